// SPDX-License-Identifier: Apache-2.0
import { clientError, type PercoliteError } from '../errors.ts'
import type { JsonMode } from '../json-text.ts'
import { noAnswer } from '../no-answer.ts'
import type { ServerAddress } from '../server-address.ts'
import type { TokenSource } from '../token-source.ts'
import { authFrame, ShownToken } from './shown-token.ts'
import {
  closedForAnother,
  errorOfClose,
  errorOfFrame,
  isLastFrame,
  isNotPrimary,
  isOfConnection,
  readFrame,
  type ServerFrame,
} from './socket-frame.ts'
import { readSocketLimits, requireReadable, type SocketLimits } from './socket-limits.ts'

export type SocketOptions = {
  /** Of the server, as for HTTP. */
  readonly address: ServerAddress
  readonly tokens: TokenSource
  /** How long it may take to open, in milliseconds. */
  readonly timeoutMs: number
  readonly json?: JsonMode | undefined
  /** Undefined where the runtime has none, as Node.js before 22. */
  readonly WebSocket: typeof WebSocket | undefined
}

/** What of a socket's limits something takes, from its frame to the server's last one about it. */
export type SocketUse = { readonly limit: UseLimit; readonly count: number }

type UseLimit = 'socketSubscriptionsMax' | 'socketWorkersMax'

/** Who asked for something, and hears what the server says about it. */
export type FrameListener = {
  /** `characters` is how long the frame was. */
  frame(frame: ServerFrame, characters: number): void
  /** The connection is gone, and nothing more comes. */
  lost(error: PercoliteError): void
}

const PROTOCOL = 'percolite.v1'
const NO_WEBSOCKET = 'No WebSocket: give connect one, or use Node.js 22.'
const NORMAL_CLOSE = 1000

/** A page cannot see the pings of the server. After one such time of silence it asks, after two it has gone. */
const SILENCE_MS = 20_000

/** An unused socket is kept a moment for the next use, and never keeps a program running. */
const IDLE_MS = 100

/**
 * One WebSocket, from its `welcome` to its end. What is asked for has an `id` here, and its listener is
 * told every frame with that id, or that the connection was lost.
 */
export class SocketConnection {
  /** Told of its end; after how many milliseconds it was lost, or undefined where it was closed here. */
  onEnd: (lostAfterMs: number | undefined) => void = () => undefined
  /** Of the server. */
  readonly url: string
  readonly #options: SocketOptions
  readonly #socket: WebSocket
  readonly #limits: SocketLimits
  readonly #isAlone: boolean
  readonly #openedAt = performance.now()
  readonly #shown: ShownToken
  readonly #listeners = new Map<string, FrameListener>()
  /** By their ids; those of ids that the client has forgotten stay until the server has. */
  readonly #uses = new Map<string, SocketUse>()
  readonly #used: Record<UseLimit, number> = { socketSubscriptionsMax: 0, socketWorkersMax: 0 }
  /** Of queries: the server takes a limited number of them at a time. */
  #queries = 0
  readonly #waitingQueries: Array<() => void> = []
  readonly #silence: ReturnType<typeof setInterval>
  #idle: ReturnType<typeof setTimeout> | undefined
  #works = 0
  #ids = 0
  #isSilent = false
  #end: PercoliteError | undefined

  /**
   * Resolves when the server has sent its welcome. Throws `connection_failed`, `request_timed_out`, and
   * TypeError where there are no WebSockets. Where there is no server, the next address is tried.
   */
  static async open(
    options: SocketOptions,
    isAlone = false,
    before: Iterable<string> = [],
  ): Promise<SocketConnection> {
    const { address, tokens, WebSocket: Made } = options
    if (Made === undefined) throw new TypeError(NO_WEBSOCKET)
    const { url, urls } = address
    const tried = new Set([...before, url])
    const begun = performance.now()
    const shown = new ShownToken(tokens, await tokenFor(options, url))
    // Each address has its share of the time.
    const timeoutMs = options.timeoutMs / urls.length - (performance.now() - begun)
    return await new Promise((resolve, reject) => {
      const socket = new Made(socketUrl(url), PROTOCOL)
      const fail = (error: PercoliteError) => {
        clearTimeout(timer)
        closeUnheard(socket)
        if (isOfConnection(error) && address.next(tried) !== undefined) {
          resolve(SocketConnection.open(options, isAlone, tried))
        } else {
          reject(shown.errorOf(error))
        }
      }
      const timer = setTimeout(() => fail(noAnswer(tried)), timeoutMs)
      socket.onopen = () => {
        if (shown.text !== undefined) socket.send(authFrame(shown.text))
      }
      socket.onerror = (event) => fail(noAnswer(tried, 'no WebSocket', event))
      socket.onclose = (event) => fail(errorOfClose(event, address, url))
      socket.onmessage = ({ data }) => {
        clearTimeout(timer)
        try {
          const { type, limits } = readFrame(data)
          if (type !== 'welcome') throw clientError('invalid_answer')
          const read = readSocketLimits(limits)
          resolve(new SocketConnection(socket, read, options, shown, url, isAlone))
        } catch (error) {
          fail(error as PercoliteError)
        }
      }
    })
  }

  private constructor(
    socket: WebSocket,
    limits: SocketLimits,
    options: SocketOptions,
    shown: ShownToken,
    url: string,
    isAlone: boolean,
  ) {
    this.#socket = socket
    this.#limits = limits
    this.#options = options
    this.#shown = shown
    this.url = url
    this.#isAlone = isAlone
    socket.onopen = null
    socket.onmessage = ({ data }) => this.#received(data)
    socket.onclose = (event) => this.#lose(errorOfClose(event, options.address, url))
    // What follows an error is the close.
    socket.onerror = () => undefined
    this.#silence = setInterval(() => this.#askWhetherItIsThere(), SILENCE_MS)
    this.#closeWhenIdle()
  }

  get isOpen(): boolean {
    return this.#end === undefined
  }

  /** Something runs on it, or is about to. */
  get isUsed(): boolean {
    return Object.values(this.#used).some((count) => count > 0)
  }

  hasCapacityFor({ limit, count }: SocketUse): boolean {
    return !this.#isAlone && this.#used[limit] + count <= this.#limits[limit]
  }

  /** Keeps room for a use until it is asked for by `ask`, or given back. */
  take({ limit, count }: SocketUse): void {
    this.#used[limit] += count
  }

  giveBack({ limit, count }: SocketUse): void {
    this.#used[limit] -= count
  }

  /**
   * Sends a frame with an id of its own, which is answered, or the connection is lost. With a `use` that
   * was taken before. Throws `limit_exceeded` where the server would not read it, and has not kept anything.
   */
  ask(frame: Readonly<Record<string, unknown>>, listener: FrameListener, use?: SocketUse): string {
    this.#ids += 1
    const id = String(this.#ids)
    let text: string
    try {
      // Before anything is kept of it: a parameter may have a `toJSON` that throws.
      text = JSON.stringify({ ...frame, id })
      requireReadable(text, this.#limits)
    } catch (error) {
      if (use !== undefined) this.giveBack(use)
      this.#closeWhenIdle()
      throw error
    }
    const end = this.#end
    if (end !== undefined) {
      // It has ended since the caller was given it.
      queueMicrotask(() => listener.lost(end))
      return id
    }
    clearTimeout(this.#idle)
    this.#listeners.set(id, listener)
    if (use !== undefined) this.#uses.set(id, use)
    this.#socket.send(text)
    return id
  }

  /** The one frame that answers it. Throws what the server says is wrong, or why there is no answer. */
  answerTo(frame: Readonly<Record<string, unknown>>): Promise<ServerFrame> {
    return new Promise((resolve, reject) => {
      this.ask(frame, {
        frame: (answer) =>
          answer.type === 'error' ? reject(errorOfFrame(answer)) : resolve(answer),
        lost: reject,
      })
    })
  }

  /** The same for a query: those beyond what the server takes at a time wait here for their turn. */
  async answerToQuery(frame: Readonly<Record<string, unknown>>): Promise<ServerFrame> {
    while (this.isOpen && this.#queries >= this.#limits.socketQueriesMax) {
      await new Promise<void>((resolve) => this.#waitingQueries.push(resolve))
    }
    this.#queries += 1
    try {
      return await this.answerTo({ ...frame, type: 'query' })
    } finally {
      this.#queries -= 1
      this.#waitingQueries.shift()?.()
    }
  }

  /** Of no effect on a connection that has ended: every listener has been told. */
  send(frame: Readonly<Record<string, unknown>>): void {
    if (this.isOpen) this.#socket.send(JSON.stringify(frame))
  }

  /** Nothing of this id is told any more. */
  forget(id: string): void {
    this.#listeners.delete(id)
    this.#closeWhenIdle()
  }

  /** It is not idle before `work` has ended. */
  keepOpen(work: Promise<unknown>): void {
    this.#works += 1
    const ended = () => {
      this.#works -= 1
      this.#closeWhenIdle()
    }
    work.then(ended, ended)
  }

  /** Ends it; its remaining listeners get `error`. */
  close(error: PercoliteError): void {
    this.#ended(error, undefined)
  }

  #lose(error: PercoliteError): void {
    this.#ended(this.#shown.errorOf(error), performance.now() - this.#openedAt)
  }

  #received(data: unknown): void {
    this.#isSilent = false
    let frame: ServerFrame
    try {
      frame = readFrame(data, this.#options.json)
    } catch (error) {
      this.#lose(error as PercoliteError)
      return
    }
    const { address } = this.#options
    if (isNotPrimary(frame.code) && address.next([this.url], frame.primary) !== undefined) {
      // All that is on it goes where the writes are.
      this.#lose(closedForAnother(errorOfFrame(frame)))
      return
    }
    if (frame.type === 'authenticated') this.#shown.accepted()
    if (frame.type === 'authExpiring') this.#showAnother()
    if (frame.id === undefined) return
    const listener = this.#listeners.get(frame.id)
    if (isLastFrame(frame)) {
      const use = this.#uses.get(frame.id)
      if (use !== undefined) this.giveBack(use)
      this.#uses.delete(frame.id)
      this.forget(frame.id)
    }
    listener?.frame(frame, (data as string).length)
  }

  /** Where there is no other token, or none can be had, the server closes the socket when this one ends. */
  #showAnother(): void {
    this.#shown.renew().then(
      (token) => {
        if (token !== undefined && this.isOpen) this.#socket.send(authFrame(token))
      },
      () => undefined,
    )
  }

  #askWhetherItIsThere(): void {
    if (this.#isSilent) {
      this.#lose(closedForAnother(noAnswer([this.url], 'it is silent')))
    } else {
      this.#isSilent = true
      // Answered for any id, so that it is a ping.
      this.send({ type: 'unsubscribe', id: 'ping' })
    }
  }

  #closeWhenIdle(): void {
    clearTimeout(this.#idle)
    if (this.#listeners.size > 0 || this.#works > 0 || !this.isOpen) return
    this.#idle = setTimeout(() => this.close(clientError('connection_failed')), IDLE_MS)
  }

  #ended(error: PercoliteError, lostAfterMs: number | undefined): void {
    if (this.#end !== undefined) return
    this.#end = error
    closeUnheard(this.#socket)
    this.onEnd(lostAfterMs)
    clearInterval(this.#silence)
    clearTimeout(this.#idle)
    const listeners = [...this.#listeners.values()]
    this.#listeners.clear()
    for (const resolve of this.#waitingQueries.splice(0)) resolve()
    for (const listener of listeners) listener.lost(error)
  }
}

/**
 * Closes a socket that is not listened to any more. The handlers are taken off first: while a socket is
 * still connecting, `close` on Node.js 22 calls `onerror` before it returns, and so without end. The handler
 * for errors stays, because a WebSocket makes an exception of an error without a listener.
 */
function closeUnheard(socket: WebSocket): void {
  socket.onopen = null
  socket.onmessage = null
  socket.onclose = null
  socket.onerror = () => undefined
  socket.close(NORMAL_CLOSE)
}

/** A function that gives none for now is waited for as a server that is away. */
async function tokenFor(
  { tokens, timeoutMs }: SocketOptions,
  url: string,
): Promise<string | undefined> {
  const timeout = AbortSignal.timeout(timeoutMs)
  tokens.requireSecure(url)
  return await tokens.for(url, timeout).catch((cause: unknown) => {
    const code = timeout.aborted ? 'request_timed_out' : 'connection_failed'
    throw clientError(code, { message: `No token: ${cause}`, cause })
  })
}

function socketUrl(url: string): string {
  return `${url.replace(/^http/, 'ws')}/v1/socket`
}
