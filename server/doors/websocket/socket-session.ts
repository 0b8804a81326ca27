// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http'
import type { WebSocket } from '@fastify/websocket'
import { ClientDisconnected, limitExceeded, ServerError } from '../../errors/server-error.ts'
import type { ClientKey } from '../../guard/budgets/client-key.ts'
import { COUNTED_BYTES_MIN, Reservation } from '../../guard/budgets/hold.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import {
  type RequestAbout,
  type RunningRequest,
  statementCancelled,
} from '../../requests/prepared/running-request.ts'
import { AboutQuery } from '../http/answers/query-answers.ts'
import { BadFrame, type ClientFrame } from './client-frame.ts'
import { CLOSE_CODES, type CloseReason, SERVER_STOPS, type SocketEnd } from './close-codes.ts'
import { FrameArrival } from './frame-arrival.ts'
import { type FrameBytes, FrameWorks, frameBytes, Unsubscribed } from './frame-works.ts'
import { type AccessStep, SocketAccess } from './socket-access.ts'
import type { SocketDependencies } from './socket-dependencies.ts'
import { SocketOutbox } from './socket-outbox.ts'
import { SocketSink } from './socket-sink.ts'
import { welcomeText } from './welcome.ts'

/** Something that a client asked for and that has not had its last frame. */
type Request = {
  readonly kind: 'query' | 'release' | 'subscription' | 'observation' | 'inspection'
  readonly running: RunningRequest
  /** Of a subscription. */
  readonly sink: SocketSink | undefined
}

/** By the frame of the client that ends something: what that is, and the last frame about it. */
const ENDINGS = {
  unsubscribe: { kinds: ['subscription', 'inspection'], lastType: 'unsubscribed' },
  unobserve: { kinds: ['observation'], lastType: 'unobserved' },
} as const

/** One socket: what its client asks for by `id`, and what is sent to it. */
export class SocketSession {
  readonly #socket: WebSocket
  readonly #deps: SocketDependencies
  readonly #client: ClientKey
  readonly #outbox: SocketOutbox
  readonly #arrival: FrameArrival
  readonly #works: FrameWorks
  readonly #access: SocketAccess
  readonly #requested = new Map<string, Request>()
  readonly #working = new Set<Promise<void>>()
  readonly #gone = new AbortController()
  #end: SocketEnd | undefined
  /** Frames that came behind one that shows a token, while that is looked at; undefined at other times. */
  #held: Array<readonly [data: Buffer, isBinary: boolean]> | undefined
  #heardAtMs: number
  #pingedAtMs: number

  /** `client` is who opened it. */
  constructor(
    socket: WebSocket,
    { handshake, client }: { readonly handshake: IncomingMessage; readonly client: ClientKey },
    deps: SocketDependencies,
  ) {
    const address = deps.requests.addressOf(handshake)
    const connection = handshake.socket
    this.#socket = socket
    this.#access = new SocketAccess(deps, { handshake, address })
    this.#client = client
    this.#deps = deps
    const { unsentBytes, receivedBytes } = deps.requests.shares
    this.#outbox = new SocketOutbox(
      socket,
      connection,
      deps.clock,
      new Reservation(unsentBytes, client),
    )
    this.#arrival = new FrameArrival(socket, connection, new Reservation(receivedBytes, client))
    this.#works = new FrameWorks(deps, this.#outbox, client)
    this.#heardAtMs = deps.clock.monotonicMs()
    this.#pingedAtMs = this.#heardAtMs
    // At once, or what the client sends with its handshake would be lost.
    socket.on('message', (data: Buffer, isBinary: boolean) => this.#received(data, isBinary))
    socket.on('pong', () => this.#heard())
    this.#outbox.sendText(welcomeText(deps.version, deps.history, this.#access.state))
  }

  /** Closes at once when nothing runs, else after the last answer. Everything but queries ends. */
  stop(end: SocketEnd = SERVER_STOPS): void {
    this.#end ??= end
    const stopped = new ClientDisconnected(end.words)
    for (const { kind, running } of this.#requested.values()) {
      if (kind !== 'query' && kind !== 'release') running.abort(stopped)
    }
    this.#closeWhenAnswered()
  }

  /** To be called about once a second: pings, and closes a socket whose client is gone or stuck. */
  tick(): void {
    const nowMs = this.#deps.clock.monotonicMs()
    const { socketPingMs, socketSilenceMsMax, arrivalMsMax } = SERVER_LIMITS
    if (this.#outbox.stuckMs() >= socketSilenceMsMax) {
      this.#close('tooSlow', 'Nothing that was sent was taken.')
    } else if (this.#arrival.ageMs(nowMs) >= arrivalMsMax) {
      this.#close('tooSlow', 'A frame did not arrive whole in time.')
    } else if (this.#arrival.isTooMuch) {
      this.#close('tooMany', 'Too many bytes of this client are arriving.')
    } else if (this.#isIdle && nowMs - this.#heardAtMs >= socketSilenceMsMax) {
      this.#close('tooSlow', 'There was no sign of life.')
    } else if (nowMs - this.#pingedAtMs >= socketPingMs && this.#isOpen) {
      this.#pingedAtMs = nowMs
      this.#socket.ping()
    }
  }

  /** Closes a socket whose token does not count any more, and tells of one that is about to end. */
  stepAccess(): void {
    if (!this.#isOpen) return
    this.#follow(this.#access.step())
    this.#works.stepRights()
  }

  #follow(step: AccessStep | undefined): void {
    if (step === undefined) return
    if ('close' in step) this.#close(step.close, step.words)
    else this.#outbox.sendText(JSON.stringify(step.frame))
  }

  /** To be called when the socket is closed; resolves when nothing of it is left. */
  async closed(): Promise<void> {
    const gone = new ClientDisconnected('The client left.')
    this.#gone.abort(gone)
    this.#outbox.forget()
    for (const { running } of this.#requested.values()) running.abort(gone)
    await Promise.all(this.#working)
    await this.#works.close()
  }

  /** Nothing is on its way to the client; what is would stand before a ping. */
  get #isIdle(): boolean {
    return this.#outbox.unsentBytes === 0 && !this.#socket.isPaused
  }

  get #isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN
  }

  #heard(): void {
    this.#heardAtMs = this.#deps.clock.monotonicMs()
  }

  #received(data: Buffer, isBinary: boolean): void {
    this.#heard()
    if (!this.#isOpen) return
    if (this.#held !== undefined) {
      this.#held.push([data, isBinary])
      return
    }
    try {
      if (isBinary) throw new BadFrame('Frames are text.')
      if (!this.#access.isLetIn && data.length > SERVER_LIMITS.unauthenticatedBytesMax) {
        throw new BadFrame('The first frame is auth, and no longer than 64 KiB.')
      }
      this.#take(this.#deps.frames.read(data), data.length)
    } catch (error) {
      if (error instanceof BadFrame) {
        this.#close('badFrame', error.message)
        return
      }
      // A fault of ours costs this socket and no other.
      this.#deps.faults.add(error, 'a frame failed')
      this.#socket.terminate()
    }
  }

  /** What follows is not taken before it is known who sends it. */
  #authenticate(token: string): void {
    this.#socket.pause()
    this.#held = []
    const answering = this.#access
      .authenticate(token)
      .then((step) => {
        if (this.#isOpen) this.#follow(step)
      })
      .catch((error) => {
        this.#deps.faults.add(error, 'a token could not be looked at')
        this.#socket.terminate()
      })
      .finally(() => {
        this.#working.delete(answering)
        this.#takeHeld()
      })
    this.#working.add(answering)
  }

  /** One of them may show a token again, and holds those behind it. */
  #takeHeld(): void {
    const held = this.#held ?? []
    this.#held = undefined
    for (const frame of held) this.#received(...frame)
    if (this.#held === undefined && this.#isOpen) this.#socket.resume()
  }

  /** Throws BadFrame. */
  #take(frame: ClientFrame, bytes: number): void {
    if (frame.type === 'auth') {
      this.#authenticate(frame.token)
      return
    }
    if (!this.#access.isLetIn) {
      this.#follow(this.#access.refuse(frame.type))
      return
    }
    const { id } = frame
    const known = this.#requested.get(id)
    if (frame.type === 'unsubscribe' || frame.type === 'unobserve') {
      const { kinds, lastType } = ENDINGS[frame.type]
      // One that has just ended, which the client could not know, counts as ended as well.
      if (known === undefined) this.#say(frameBytes(lastType, id))
      else if (kinds.some((kind) => kind === known.kind)) known.running.abort(new Unsubscribed())
      else throw new BadFrame(`The id is not that of a ${kinds[0]}.`)
      return
    }
    if (frame.type === 'cancel') {
      // What has just ended has had its last frame.
      known?.running.abort(statementCancelled())
      return
    }
    if (frame.type === 'pause' || frame.type === 'resume') {
      known?.sink?.[frame.type]()
      return
    }
    if (known !== undefined) throw new BadFrame('The id is in use.')
    const tooFast = this.#rateRefusal(frame)
    if (tooFast !== undefined) {
      this.#say(this.#works.failed(id, tooFast))
    } else if (frame.type === 'invalid') {
      this.#say(this.#works.failed(id, frame.error))
    } else if (frame.type === 'query') {
      const query = (running: RunningRequest) => this.#works.query(frame, running)
      this.#begin(id, 'query', query, { bytes, about: new AboutQuery(frame.request) })
    } else if (frame.type === 'release') {
      this.#begin(id, 'release', () => this.#works.release(frame))
    } else if (frame.type === 'observe') {
      const observe = (running: RunningRequest) => this.#works.observe(frame, running)
      this.#begin(id, 'observation', observe, { about: { operation: 'observe' } })
    } else if (frame.type === 'inspect') {
      const inspect = (running: RunningRequest) => this.#works.inspect(frame, running)
      this.#begin(id, 'inspection', inspect, { about: { operation: 'inspect' } })
    } else {
      const sink = new SocketSink(this.#outbox, id)
      const subscribe = (running: RunningRequest) => this.#works.subscribe(frame, sink, running)
      const about = { operation: 'subscribe', statements: () => [frame.request.sql] }
      this.#begin(id, 'subscription', subscribe, { sink, about })
    }
  }

  /** A client that gives a notification back is not kept from that. */
  #rateRefusal({ type }: ClientFrame): ServerError | undefined {
    if (type === 'release') return undefined
    const { principal, client } = this.#access.caller
    return this.#deps.requests.rateRefusal(principal, () => client)
  }

  /** `work` resolves to the last frame of the id, or rejects with what that has to say. */
  #begin(
    id: string,
    kind: Request['kind'],
    work: (running: RunningRequest) => Promise<FrameBytes>,
    {
      sink,
      bytes = 0,
      about = { operation: kind },
    }: {
      readonly sink?: SocketSink
      readonly bytes?: number
      readonly about?: RequestAbout
    } = {},
  ): void {
    const held = new Reservation(this.#deps.requests.shares.receivedBytes, this.#client)
    const refusal = this.#refusalOf(kind)
    let running: RunningRequest
    try {
      if (refusal !== undefined) throw refusal
      if (bytes >= COUNTED_BYTES_MIN) held.moveTo(bytes)
      running = this.#runningFor(kind, about)
    } catch (error) {
      held.close()
      this.#say(this.#works.failed(id, error))
      return
    }
    this.#requested.set(id, { kind, running, sink })
    const working = this.#answer(id, running, work(running)).finally(() => {
      held.close()
      this.#working.delete(working)
    })
    this.#working.add(working)
  }

  /** A subscription and an observation stay; each query is one of the requests under way. */
  #runningFor(kind: Request['kind'], about: RequestAbout): RunningRequest {
    const { requests } = this.#deps
    return kind === 'query'
      ? requests.beginQuery(this.#access.caller, about)
      : requests.beginFor(this.#access.caller, about)
  }

  async #answer(id: string, running: RunningRequest, work: Promise<FrameBytes>): Promise<void> {
    const last = await work.catch((error) => this.#works.failed(id, error, running))
    running.end()
    this.#requested.delete(id)
    this.#say(last)
    // From here on the outbox holds it.
    running.closeUnsent()
    this.#closeWhenAnswered()
  }

  /** Sends an answer. Who does not take those that there are is not asked for more questions. */
  #say(parts: FrameBytes): void {
    this.#outbox.send(parts)
    if (!this.#outbox.isWritable && !this.#socket.isPaused) void this.#readNoMoreUntilTaken()
  }

  async #readNoMoreUntilTaken(): Promise<void> {
    this.#socket.pause()
    try {
      await this.#outbox.room(this.#gone.signal)
    } catch {
      return
    }
    this.#heard()
    this.#socket.resume()
  }

  #refusalOf(kind: Request['kind']): ServerError | undefined {
    // It is done in the same turn, and until it is done no other can have what it gives back.
    if (kind === 'release') return undefined
    if (this.#end !== undefined) return new ServerError('overloaded', 'The server is stopping.')
    const { socketQueriesMax, socketSubscriptionsMax } = SERVER_LIMITS
    let count = 1
    for (const request of this.#requested.values()) if (request.kind === kind) count += 1
    if (kind === 'query' && count > socketQueriesMax) {
      return limitExceeded('socketQueriesMax', socketQueriesMax, count, 'Queries at a time')
    }
    if (kind === 'subscription' && count > socketSubscriptionsMax) {
      const name = 'socketSubscriptionsMax'
      return limitExceeded(name, socketSubscriptionsMax, count, 'Subscriptions of a socket')
    }
    return undefined
  }

  #closeWhenAnswered(): void {
    if (this.#end === undefined || this.#requested.size > 0) return
    this.#outbox.closeAfterAll(CLOSE_CODES[this.#end.reason], this.#end.words)
  }

  #close(reason: CloseReason, words: string): void {
    this.#outbox.closeNow(CLOSE_CODES[reason], words)
  }
}
