// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Answer, SlottedSet } from '../storage/storage.ts'
import { type ClientKey, ClientKeys, SERVER_ITSELF } from './budgets/client-key.ts'
import { Hold } from './budgets/hold.ts'
import { Shares } from './budgets/shares.ts'
import { ClientDisconnected, ServerError } from './server-error.ts'

/**
 * What may end a request early: its client goes away, a statement has run for too long, or the server
 * can wait no longer. All three abort one signal, with the reason why, since the request is over
 * whichever it is. `end` is to be called when it has been answered.
 */
export class RunningRequest {
  readonly #controller = new AbortController()
  readonly #ended: (request: RunningRequest) => void
  /** Where it stands among those that run. */
  slot = 0
  #timer: NodeJS.Timeout | undefined
  #timeoutMs = 0
  #inStatement = false

  /** Whose shares it takes from. */
  readonly client: ClientKey
  /** What its response holds until the client has taken it; undefined where nobody counts. */
  readonly unsent: Hold | undefined

  constructor(
    ended: (request: RunningRequest) => void = () => {},
    client: ClientKey = SERVER_ITSELF,
    unsent?: Hold,
  ) {
    this.#ended = ended
    this.client = client
    this.unsent = unsent
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The first reason stays. */
  abort(reason: Error): void {
    this.#controller.abort(reason)
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
    this.#ended(this)
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

/** The requests that a stopping server would have to wait for, and whose they are. */
export class RunningRequests {
  readonly shares: Shares
  readonly #clients: ClientKeys
  readonly #running = new SlottedSet<RunningRequest>()
  #stopped: Error | undefined

  constructor(clients: ClientKeys = new ClientKeys([]), shares: Shares = new Shares()) {
    this.#clients = clients
    this.shares = shares
  }

  clientOf(request: IncomingMessage): ClientKey {
    return this.#clients.of(request)
  }

  /** To be called before anything of the request is awaited, or its client may go unnoticed. */
  begin(response: ServerResponse): RunningRequest {
    const request = this.beginFor(this.clientOf(response.req))
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
  beginFor(client: ClientKey): RunningRequest {
    const unsent = new Hold(this.shares.unsentBytes, client)
    const request = new RunningRequest((ended) => this.#running.delete(ended), client, unsent)
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

function timedOut(timeoutMs: number): ServerError {
  return new ServerError(
    'statement_timeout',
    `The statement ran for ${timeoutMs} ms, which is as long as it may, and was stopped.`,
    { timeoutMs },
  )
}
