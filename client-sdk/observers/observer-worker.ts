// SPDX-License-Identifier: Apache-2.0
import { eitherSignal, orAborted } from '../backoff.ts'
import { hasCode, type PercoliteError } from '../errors.ts'
import { type ReturnOptions, Returns } from '../socket/returns.ts'
import type { SocketConnection, SocketUse } from '../socket/socket-connection.ts'
import { errorOfFrame, type ServerFrame } from '../socket/socket-frame.ts'
import type { Row } from '../values.ts'
import type { Notification } from './observer-event.ts'
import {
  type ObserverFunction,
  ObserverRuns,
  type RunOptions,
  type WorkerDependencies,
} from './observer-runs.ts'

export type ObserveOptions<R = Row> = RunOptions<R> &
  ReturnOptions & {
    /** How many rows it may be run for at a time; 1 if not given. */
    readonly workers?: number
    /** How long a row is this worker's alone, in milliseconds; 30,000 if not given. */
    readonly leaseMs?: number
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

  readonly #returns: Returns
  readonly #options: ObserveOptions<R>
  readonly #runs: ObserverRuns<R>
  readonly #stopping = new AbortController()
  readonly #use: SocketUse

  constructor(
    deps: WorkerDependencies,
    observer: string,
    work: ObserverFunction<R>,
    options: ObserveOptions<R>,
  ) {
    this.observer = observer
    this.#options = options
    this.#runs = new ObserverRuns<R>(observer, deps, work, options, () =>
      this.#returns.progressed(),
    )
    this.#use = { limit: 'socketWorkersMax', count: options.workers ?? 1 }
    this.#returns = new Returns(deps.socket, this.#use, options)
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
      await this.#observe(eitherSignal(stopping, signal))
    } catch (error) {
      const isWanted = signal?.aborted || stopping.aborted || hasCode(error, 'client_closed')
      if (!isWanted) throw error
    } finally {
      await this.#runs.ended()
    }
  }

  async #observe(signal: AbortSignal): Promise<never> {
    while (true) {
      try {
        await this.#observeOn(await this.#returns.connection(signal), signal)
      } catch (error) {
        signal.throwIfAborted()
        await this.#returns.wait(error, signal)
      }
    }
  }

  /** On one connection; rejects with what ended it there. */
  async #observeOn(connection: SocketConnection, signal: AbortSignal): Promise<never> {
    this.#returns.begun()
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
      leaseMs,
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
        ended.reject(this.#returns.lost(error, isHeard))
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
}
