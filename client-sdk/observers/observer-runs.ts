// SPDX-License-Identifier: Apache-2.0
import { backoffMs, eitherSignal, orAborted, sleep } from '../backoff.ts'
import { type ErrorCode, hasCode, PercoliteError, wordsOf } from '../errors.ts'
import type { Http } from '../requests/http.ts'
import { runTransaction } from '../requests/run-transaction.ts'
import { Transaction } from '../requests/transaction.ts'
import type { SharedSocket } from '../socket/shared-socket.ts'
import type { SocketConnection } from '../socket/socket-connection.ts'
import { isShed } from '../socket/socket-frame.ts'
import { tell } from '../tell.ts'
import type { Row, ValueModes } from '../values.ts'
import type { OpenedTransaction } from '../wire.ts'
import { type Notification, ObservedRows, type ObserverEvent } from './observer-event.ts'

export type ObserverFunction<R = Row> = (
  tx: Transaction,
  event: ObserverEvent<R>,
) => Promise<void> | void

export type WorkerDependencies = {
  readonly http: Http
  readonly socket: SharedSocket
  readonly modes: ValueModes
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
  readonly #deps: WorkerDependencies
  readonly #work: ObserverFunction<R>
  readonly #options: RunOptions<R>
  readonly #rows: ObservedRows
  readonly #committed: () => void
  readonly #runs = new Set<Promise<void>>()
  /** Runs in a row that came to nothing without any fault of the function. */
  #fruitless = 0

  /** `committed` is called after each run that did. */
  constructor(
    observer: string,
    deps: WorkerDependencies,
    work: ObserverFunction<R>,
    options: RunOptions<R>,
    committed: () => void,
  ) {
    this.#observer = observer
    this.#deps = deps
    this.#work = work
    this.#options = options
    this.#committed = committed
    this.#rows = new ObservedRows(deps.http, deps.modes)
  }

  /** Resolves when none is under way. */
  async ended(): Promise<void> {
    await Promise.all(this.#runs)
  }

  /** On a new connection, since tables may have been dropped and created again meanwhile. */
  forgetTables(): void {
    this.#rows.forgetTables()
  }

  begin(notification: Notification, link: Link): void {
    const run = this.#run(notification, link).finally(() => this.#runs.delete(run))
    this.#runs.add(run)
    link.connection.keepOpen(run)
  }

  /** Until a transaction has committed, or the server has to give the notification out again. */
  async #run(notification: Notification, link: Link): Promise<void> {
    const signal = eitherSignal(link.lost, this.#options.signal)
    let event: ObserverEvent<R> | undefined
    let hasBegun = false
    try {
      await runTransaction(
        async () => {
          const tx = await this.#open(notification, link, signal)
          hasBegun = true
          return tx
        },
        async (tx) => {
          event = await this.#rows.eventOf<R>(this.#observer, notification, tx)
          // A function that waits for something that never comes must not keep the row.
          await orAborted(this.#worked(tx, event), signal)
        },
        { signal },
      )
      this.#fruitless = 0
      this.#committed()
    } catch (error) {
      if (hasCode(error, 'already_observed') || link.lost.aborted) return
      // What was refused before the function was called says nothing about it either.
      const isFailure = hasBegun && !signal.aborted && !isNobodysFault(error)
      if (isFailure || signal.aborted) this.#fruitless = 0
      else await this.#pause(link)
      await this.release(notification, link, isFailure ? reportOf(error) : undefined)
      if (isFailure) tell(this.#options.onError, error, event)
    }
  }

  /** What is given back for no fault of the function comes again at once, and is not to be asked for as often. */
  async #pause({ lost }: Link): Promise<void> {
    this.#fruitless += 1
    await sleep(backoffMs(this.#fruitless), lost).catch(() => undefined)
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
    const { http, modes } = this.#deps
    const pending = connection.answerToQuery({ sql: 'BEGIN', notification })
    const opened = (await pending) as unknown as OpenedTransaction
    return new Transaction(http, opened, modes, { signal }, connection.url)
  }

  /**
   * With an error it counts as a run that failed, and the server waits before the next one. A server that is
   * full is asked again: what it does not hear of, it keeps from all others until the lease ends.
   */
  async release(
    { notification }: Notification,
    { connection, lost }: Link,
    error?: string,
  ): Promise<void> {
    const frame = { type: 'release', notification, error }
    for (let tries = 1; ; tries += 1) {
      try {
        await connection.answerTo(frame)
        return
      } catch (refusal) {
        // When the connection is lost the server gives it out again.
        if (lost.aborted || !isRefusedForNow(refusal)) return
        await sleep(backoffMs(tries, refusal.retryAfterMs), lost).catch(() => undefined)
      }
    }
  }
}

function isRefusedForNow(error: unknown): error is PercoliteError {
  return isShed(error) || hasCode(error, 'limit_exceeded')
}

const NOBODYS_FAULT: readonly ErrorCode[] = [
  'connection_failed',
  'commit_outcome_unknown',
  // The transaction before this one has not ended yet.
  'transaction_busy',
  'unknown_notification',
]

/** Limits that are reached by all together; the others are those of one statement or transaction. */
const LIMITS_OF_ALL = ['socketQueriesMax', 'openTransactionsMax', 'bufferedBytesMax']

/** Conflicts, broken connections and a full server say nothing about the function. */
function isNobodysFault(error: unknown): boolean {
  if (!(error instanceof PercoliteError)) return false
  if (error.code === 'limit_exceeded') return LIMITS_OF_ALL.includes(String(error.fields.limit))
  return error.retryable || isShed(error) || hasCode(error, ...NOBODYS_FAULT)
}

/** What a function throws may be anything, also what cannot be made a text. */
function reportOf(error: unknown): string {
  try {
    const code = error instanceof PercoliteError ? `${error.code}: ` : ''
    const words = code + wordsOf(error)
    return words === '' ? 'The run failed.' : words.slice(0, ERROR_CHARACTERS_MAX)
  } catch {
    return 'The run failed.'
  }
}
