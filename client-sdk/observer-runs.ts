// SPDX-License-Identifier: Apache-2.0
import { orAborted } from './backoff.ts'
import { PercoliteError } from './errors.ts'
import type { Http } from './http.ts'
import { type Notification, ObservedRows, type ObserverEvent } from './observer-event.ts'
import { runTransaction } from './run-transaction.ts'
import type { SharedSocket } from './shared-socket.ts'
import type { SocketConnection } from './socket-connection.ts'
import { tell } from './tell.ts'
import { Transaction } from './transaction.ts'
import type { IntegerMode, Row } from './values.ts'
import type { OpenedTransaction } from './wire.ts'

export type ObserverFunction<R = Row> = (
  tx: Transaction,
  event: ObserverEvent<R>,
) => Promise<void> | void

export type WorkerParts = {
  readonly http: Http
  readonly socket: SharedSocket
  readonly integers: IntegerMode
}

export type RunOptions<R> = {
  /** Ends it at once; a run under way is rolled back, and another worker gets its row. */
  readonly signal?: AbortSignal
  /**
   * Told of every run that failed. The server is told as well, and has it run again after a while. What
   * it throws is not heeded.
   */
  readonly onError?: (error: unknown, event: ObserverEvent<R> | undefined) => void
}

const ERROR_CHARACTERS_MAX = 1_000

/** The connection on which notifications come, and the end of what runs for them when it is lost. */
export type Link = { readonly connection: SocketConnection; readonly lost: AbortSignal }

/** The runs of one observer in this worker, each until a transaction of it has committed. */
export class ObserverRuns<R> {
  readonly #observer: string
  readonly #parts: WorkerParts
  readonly #work: ObserverFunction<R>
  readonly #options: RunOptions<R>
  readonly #rows: ObservedRows
  readonly #runs = new Set<Promise<void>>()

  constructor(
    observer: string,
    parts: WorkerParts,
    work: ObserverFunction<R>,
    options: RunOptions<R>,
  ) {
    this.#observer = observer
    this.#parts = parts
    this.#work = work
    this.#options = options
    this.#rows = new ObservedRows(parts.http, parts.integers)
  }

  /** Resolves when none is under way. */
  async ended(): Promise<void> {
    await Promise.all(this.#runs)
  }

  begin(notification: Notification, link: Link): void {
    const run = this.#run(notification, link).finally(() => this.#runs.delete(run))
    this.#runs.add(run)
    link.connection.keepOpen(run)
  }

  /** Until a transaction has committed, or the server has to give the notification out again. */
  async #run(notification: Notification, link: Link): Promise<void> {
    const { signal: own } = this.#options
    const signal = own === undefined ? link.lost : AbortSignal.any([own, link.lost])
    let event: ObserverEvent<R> | undefined
    try {
      await runTransaction(
        () => this.#open(notification, link, signal),
        async (tx) => {
          event = await this.#rows.eventOf<R>(this.#observer, notification, tx)
          // A function that waits for something that never comes must not keep the row.
          await orAborted(this.#worked(tx, event), signal)
        },
        { signal },
      )
    } catch (error) {
      if (isCode(error, 'already_observed') || link.lost.aborted) return
      const isFailure = !signal.aborted && !isNobodysFault(error)
      await this.release(notification, link, isFailure ? wordsOf(error) : undefined)
      if (isFailure) tell(this.#options.onError, error, event)
    }
  }

  async #worked(tx: Transaction, event: ObserverEvent<R>): Promise<void> {
    await this.#work(tx, event)
  }

  /** A transaction that will acknowledge the change; it goes on over HTTP, and ends with the socket. */
  async #open(
    { notification }: Notification,
    { connection }: Link,
    signal: AbortSignal,
  ): Promise<Transaction> {
    const { http, integers } = this.#parts
    const asked = connection.answerTo({ type: 'query', sql: 'BEGIN', notification })
    const opened = (await asked) as unknown as OpenedTransaction
    return new Transaction(http, opened, integers, { signal })
  }

  /** With an error it counts as a run that failed, and the server waits before the next one. */
  async release(
    { notification }: Notification,
    { connection }: Link,
    error?: string,
  ): Promise<void> {
    const frame = { type: 'release', notification, ...(error === undefined ? {} : { error }) }
    // When the connection is lost the server gives it out again by itself.
    await connection.answerTo(frame).catch(() => undefined)
  }
}

const NOBODYS_FAULT = [
  'connection_failed',
  'overloaded',
  'commit_outcome_unknown',
  // The transaction before this one has not ended yet.
  'transaction_busy',
  'unknown_notification',
]

/** Conflicts and broken connections say nothing about the function. */
function isNobodysFault(error: unknown): boolean {
  if (!(error instanceof PercoliteError)) return false
  return error.retryable || NOBODYS_FAULT.includes(error.code)
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof PercoliteError && error.code === code
}

/** What a function throws may be anything, also what cannot be made a text. */
function wordsOf(error: unknown): string {
  try {
    const code = error instanceof PercoliteError ? `${error.code}: ` : ''
    const words = code + String(error instanceof Error ? error.message || error.name : error)
    return words === '' ? 'The run failed.' : words.slice(0, ERROR_CHARACTERS_MAX)
  } catch {
    return 'The run failed.'
  }
}
