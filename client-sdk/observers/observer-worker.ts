// SPDX-License-Identifier: Apache-2.0
import { orAborted, reconnectMs, sleep } from '../backoff.ts'
import { PercoliteError } from '../errors.ts'
import { isProgress } from '../socket/reconnect-pace.ts'
import type { SharedSocket } from '../socket/shared-socket.ts'
import type { SocketConnection, SocketUse } from '../socket/socket-connection.ts'
import {
  closedForAnother,
  errorOfFrame,
  isForNewToken,
  isForOneFrame,
  isOfConnection,
  isWorthReconnect,
  type ServerFrame,
} from '../socket/socket-frame.ts'
import { tell } from '../tell.ts'
import type { Row } from '../values.ts'
import type { Notification } from './observer-event.ts'
import {
  type ObserverFunction,
  ObserverRuns,
  type RunOptions,
  type WorkerParts,
} from './observer-runs.ts'

export type ObserveOptions<R = Row> = RunOptions<R> & {
  /** How many rows it may be run for at a time; 1 if not given. */
  readonly workers?: number
  /** How long a row is this worker's alone, in milliseconds; 30,000 if not given. */
  readonly leaseMs?: number
  /**
   * Called when the connection was lost, before each attempt to come back. What it throws is not
   * heeded.
   */
  readonly onReconnect?: (error: PercoliteError, tries: number) => void
}

/**
 * Runs a function for the rows that an observer is notified of, each time in a transaction that
 * acknowledges the change with what the function writes: so each change is observed by one commit,
 * however many workers there are and whatever breaks. What the function does outside of its transaction
 * happens at least once.
 */
export class ObserverWorker<R = Row> implements AsyncDisposable {
  readonly observer: string
  /**
   * Resolves when it was stopped, by `stop`, the signal or `db.close`, and its last run has ended.
   * Rejects with what ended it otherwise: `unknown_observer`, or that the first connection failed. To
   * be waited for, as every promise: it is how the end of a worker is heard of.
   */
  readonly done: Promise<void>

  readonly #socket: SharedSocket
  readonly #options: ObserveOptions<R>
  readonly #runs: ObserverRuns<R>
  readonly #stopping = new AbortController()
  readonly #use: SocketUse
  #hasBegun = false
  /** The connection was closed because of one frame, and it may have been this one's. */
  #isSuspect = false
  #begunAt: number | undefined
  #tries = 0

  constructor(
    parts: WorkerParts,
    observer: string,
    work: ObserverFunction<R>,
    options: ObserveOptions<R>,
  ) {
    this.observer = observer
    this.#socket = parts.socket
    this.#options = options
    this.#runs = new ObserverRuns<R>(observer, parts, work, options, () => this.#progressed())
    this.#use = { limit: 'socketWorkersMax', count: options.workers ?? 1 }
    this.done = this.#untilStopped()
  }

  /** Takes no more notifications; resolves when the runs under way have ended. Never rejects. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.done.catch(() => undefined)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  async #untilStopped(): Promise<void> {
    const { signal } = this.#options
    const stopping = this.#stopping.signal
    try {
      await this.#observe(signal === undefined ? stopping : AbortSignal.any([signal, stopping]))
    } catch (error) {
      const isWanted = signal?.aborted || stopping.aborted || isCode(error, 'client_closed')
      if (!isWanted) throw error
    } finally {
      await this.#runs.ended()
    }
  }

  async #observe(signal: AbortSignal): Promise<never> {
    while (true) {
      try {
        const options = { isReturning: this.#tries > 0, isAlone: this.#isSuspect }
        await this.#observeOn(await this.#socket.open(this.#use, signal, options), signal)
      } catch (error) {
        signal.throwIfAborted()
        if (isProgress(this.#begunAt)) this.#tries = 0
        this.#begunAt = undefined
        if (!isWorthReconnect(error)) throw error
        if (!this.#hasBegun && !isForNewToken(error)) throw error
        this.#tries += 1
        tell(this.#options.onReconnect, error, this.#tries)
        // A connection is waited for by all that need one, together.
        if (!isOfConnection(error)) {
          await sleep(reconnectMs(this.#tries, error.retryAfterMs), signal)
        }
      }
    }
  }

  /** On one connection; rejects with what ended it there. */
  async #observeOn(connection: SocketConnection, signal: AbortSignal): Promise<never> {
    this.#hasBegun = true
    this.#begunAt = performance.now()
    this.#runs.forgetTables()
    let isHeard = false
    const { workers = 1, leaseMs } = this.#options
    const lost = new AbortController()
    const ended = Promise.withResolvers<never>()
    const link = { connection, lost: lost.signal }
    const request = {
      type: 'observe',
      observer: this.observer,
      workers,
      ...(leaseMs === undefined ? {} : { leaseMs }),
    }
    const listener = {
      frame: (frame: ServerFrame) => {
        isHeard = true
        if (frame.type === 'error') ended.reject(errorOfFrame(frame))
        if (frame.type !== 'notification') return
        const notification = frame as unknown as Notification
        if (signal.aborted) this.#runs.release(notification, link)
        else this.#runs.begin(notification, link)
      },
      lost: (error: PercoliteError) => {
        lost.abort(error)
        ended.reject(this.#lost(error, isHeard))
      },
    }
    const id = connection.ask(request, listener, this.#use)
    try {
      return await orAborted(ended.promise, signal)
    } finally {
      // What is held stays so, until its run has ended.
      connection.send({ type: 'unobserve', id })
    }
  }

  /** As of a subscription. */
  #lost(error: PercoliteError, isHeard: boolean): PercoliteError {
    if (!isForOneFrame(error)) return error
    if (this.#isSuspect && !isHeard) return error
    this.#isSuspect = !isHeard
    return closedForAnother(error)
  }

  /** A run has committed, so the pauses between attempts start again from the shortest. */
  #progressed(): void {
    this.#tries = 0
    this.#socket.progressed()
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof PercoliteError && error.code === code
}
