// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Answer, type Clock, SlottedSet, systemClock } from '../../storage/storage.ts'
import { type ClientKey, ClientKeys, SERVER_ITSELF } from '../budgets/client-key.ts'
import { Hold } from '../budgets/hold.ts'
import { Shares } from '../budgets/shares.ts'
import type { TurnTaker } from '../budgets/turns.ts'
import type { Waiting } from '../budgets/waiting-line.ts'
import { ClientDisconnected, ServerError } from '../errors/server-error.ts'

/**
 * What may end a request early: its client goes away, a statement has run for too long, or the server
 * can wait no longer. All three abort one signal, with the reason why, since the request is over
 * whichever it is. `end` is to be called when it has been answered.
 */
export class RunningRequest implements TurnTaker, Waiting {
  readonly #controller = new AbortController()
  readonly #parts: RequestParts
  /** Where it stands among those that run. */
  slot = 0
  #timer: NodeJS.Timeout | undefined
  #timeoutMs = 0
  #inStatement = false

  /** Whose shares it takes from. */
  readonly client: ClientKey
  /** What its response holds until the client has taken it; undefined where nobody counts. */
  readonly unsent: Hold | undefined
  #state: RunningState = 'running'
  #isAdmitted = false
  #isFollowing = false
  #mayGiveWay = true
  /** Ends its waiting for a turn; undefined when it does not wait. */
  #goOn: (() => void) | undefined

  constructor(parts: RequestParts = {}) {
    const { client = SERVER_ITSELF, shares } = parts
    this.#parts = parts
    this.client = client
    this.unsent = shares === undefined ? undefined : new Hold(shares.unsentBytes, client)
  }

  /** What it is known by to those who want to end it; unlike that of any other, also of an earlier process. */
  get id(): string {
    return this.#parts.id ?? ''
  }

  get operation(): string {
    return this.#parts.about?.operation ?? 'unknown'
  }

  get ageMs(): number {
    const { clock, beganMs } = this.#parts
    return clock === undefined || beganMs === undefined ? 0 : clock.monotonicMs() - beganMs
  }

  /** The texts of its statements. */
  readonly statements = (): readonly string[] => this.#parts.about?.statements?.() ?? []

  get state(): RunningState {
    return this.#state
  }

  /** Whether it only tells what others change, for as long as its client likes: then it is no running statement. */
  get isFollowing(): boolean {
    return this.#isFollowing
  }

  /**
   * It waits for its turn, and counts among those that wait until it ends. Throws `client_overloaded` and `overloaded`
   * where too many do, and the signal's reason. What commits is not refused any more.
   */
  waitsForTurn(goOn: () => void): void {
    // One that gave way does not enter the line again.
    this.signal.throwIfAborted()
    const { shares } = this.#parts
    if (!this.#isAdmitted && this.#mayGiveWay) shares?.waitingLine.enter(this)
    this.#state = 'waiting'
    this.#goOn = goOn
  }

  hasTurn(): void {
    this.#state = 'running'
    this.#goOn = undefined
  }

  /** From here on it is finished, whatever becomes of its client. */
  commits(): void {
    this.#state = 'committing'
    this.#mayGiveWay = false
  }

  get mayGiveWay(): boolean {
    return this.#mayGiveWay
  }

  giveWay(reason: ServerError): void {
    this.abort(reason)
  }

  /**
   * Part of its response is out, which goes on for as long as the client takes it: it is never
   * refused from here on.
   */
  admitted(): void {
    this.#isAdmitted = true
    this.#leaveQueue()
  }

  /** As `admitted`, and from here on it is `isFollowing`. */
  follows(): void {
    this.#isFollowing = true
    this.admitted()
  }

  #leaveQueue(): void {
    this.#parts.shares?.waitingLine.leave(this)
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The first reason stays. What waits for its turn ends now, and not when that comes. */
  abort(reason: Error): void {
    this.#controller.abort(reason)
    this.#goOn?.()
  }

  /** Ends a statement that has run for so long, as its timer does. Throws the reason of the abort. */
  timeOut(timeoutMs: number): never {
    this.abort(timedOut(timeoutMs))
    throw this.signal.reason
  }

  /**
   * Runs one statement, or several that are run as one. Whatever it throws, the reason of the abort is
   * what comes out.
   */
  statement<T>(timeoutMs: number, work: (signal: AbortSignal) => Answer<T>): Answer<T> {
    const { signal } = this
    signal.throwIfAborted()
    const result = work(signal)
    // In the turn in which it began only its own look at the clock can have aborted it, and has thrown then.
    return result instanceof Promise ? this.#withinTime(timeoutMs, result) : result
  }

  async #withinTime<T>(timeoutMs: number, result: Promise<T>): Promise<T> {
    const { signal } = this
    this.#startTimer(timeoutMs)
    this.#inStatement = true
    try {
      return await result
    } catch (error) {
      throw signal.aborted ? signal.reason : error
    } finally {
      this.#inStatement = false
    }
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#leaveQueue()
    this.#parts.ended?.(this)
  }

  /** One timer serves all statements of the request: starting it again costs next to nothing. */
  #startTimer(timeoutMs: number): void {
    if (this.#timer !== undefined && this.#timeoutMs === timeoutMs) {
      this.#timer.refresh()
      return
    }
    clearTimeout(this.#timer)
    this.#timeoutMs = timeoutMs
    this.#timer = setTimeout(() => {
      if (this.#inStatement) this.abort(timedOut(timeoutMs))
    }, timeoutMs)
  }
}

/** What a request is, for those who list what is running. */
export type RequestAbout = {
  /** The operation of `openapi.yaml`, or the type of the frame. */
  readonly operation: string
  /** The texts of its statements; asked for only when somebody looks. */
  readonly statements?: () => readonly string[]
}

export type RunningState = 'waiting' | 'running' | 'committing'

type RequestParts = {
  readonly client?: ClientKey
  readonly about?: RequestAbout
  readonly shares?: Shares
  readonly ended?: (request: RunningRequest) => void
  readonly id?: string
  readonly clock?: Pick<Clock, 'monotonicMs'>
  readonly beganMs?: number
}

/** The requests that a stopping server would have to wait for, and whose they are. */
export class RunningRequests {
  readonly shares: Shares
  readonly #clients: ClientKeys
  readonly #clock: Clock
  /** Tells the ids of this process from those of earlier ones. */
  readonly #idPrefix: string
  readonly #running = new SlottedSet<RunningRequest>()
  #number = 0
  #stopped: Error | undefined

  constructor(
    clients: ClientKeys = new ClientKeys([]),
    shares: Shares = new Shares(),
    clock: Clock = systemClock,
  ) {
    this.#clients = clients
    this.shares = shares
    this.#clock = clock
    this.#idPrefix = Math.round(clock.wallMicros()).toString(36)
  }

  /** What is running now, the oldest first, without what stays for as long as its client likes. */
  list(): RunningRequest[] {
    const listed = [...this.#running].filter(({ isFollowing }) => !isFollowing)
    return listed.toSorted((one, other) => other.ageMs - one.ageMs)
  }

  /** The one of `list` with this id. */
  find(id: string): RunningRequest | undefined {
    for (const request of this.#running) {
      if (!request.isFollowing && request.id === id) return request
    }
    return undefined
  }

  clientOf(request: IncomingMessage): ClientKey {
    return this.#clients.of(request)
  }

  /**
   * To be called before anything of the request is awaited, or its client may go unnoticed. Throws as `beginQuery`.
   */
  begin(response: ServerResponse, about?: RequestAbout): RunningRequest {
    const request = this.beginQuery(this.clientOf(response.req), about)
    const leave = () => {
      if (!response.writableFinished) request.abort(new ClientDisconnected('The client left.'))
      request.unsent?.close()
    }
    // It may have gone while its body was being read.
    if (response.destroyed) leave()
    else response.once('close', leave)
    return request
  }

  /**
   * For what came in a frame of a socket or is run by the server itself; the caller aborts it when its client goes
   * away, and closes `unsent` when the response has been sent.
   */
  beginFor(client: ClientKey, about?: RequestAbout): RunningRequest {
    return this.#begin(client, about, (ended) => this.#running.delete(ended))
  }

  /** As `beginFor`, where each one comes to its end soon. Throws `client_overloaded` and `overloaded`. */
  beginQuery(client: ClientKey, about?: RequestAbout): RunningRequest {
    const { requests } = this.shares
    requests.take(client)
    return this.#begin(client, about, (ended) => {
      if (!this.#running.has(ended)) return
      this.#running.delete(ended)
      requests.giveBack(client)
    })
  }

  #begin(
    client: ClientKey,
    about: RequestAbout | undefined,
    ended: (request: RunningRequest) => void,
  ): RunningRequest {
    this.#number += 1
    const clock = this.#clock
    const request = new RunningRequest({
      client,
      ended,
      clock,
      shares: this.shares,
      id: `${this.#idPrefix}-${this.#number}`,
      beganMs: clock.monotonicMs(),
      ...(about === undefined ? {} : { about }),
    })
    this.#running.add(request)
    if (this.#stopped !== undefined) request.abort(this.#stopped)
    return request
  }

  /** Holds the bytes of a request until it has been answered. Throws as `Hold.moveTo`. */
  holdReceived(response: ServerResponse, bytes: number): void {
    const client = this.clientOf(response.req)
    new Hold(this.shares.receivedBytes, client).untilClosed(response, bytes)
  }

  /** Holds the bytes of a response that no running request made, until its client took it. Throws as `Hold.moveTo`. */
  holdUnsent(response: ServerResponse, bytes: number): void {
    const client = this.clientOf(response.req)
    new Hold(this.shares.unsentBytes, client).untilClosed(response, bytes)
  }

  /** Aborts all that are running, and those that are still to come. */
  abortAll(reason: Error): void {
    this.#stopped = reason
    for (const request of [...this.#running]) request.abort(reason)
  }
}

/** What the client of a statement is told that somebody ended. */
export function statementCancelled(): ServerError {
  return new ServerError('statement_cancelled', 'The statement was stopped on request.')
}

function timedOut(timeoutMs: number): ServerError {
  return new ServerError(
    'statement_timeout',
    `The statement ran for ${timeoutMs} ms, which is as long as it may, and was stopped.`,
    { timeoutMs },
  )
}
