// SPDX-License-Identifier: Apache-2.0
import type { StatementResult } from '../../planner/planner.ts'
import type { Catalog, Timestamp, Transaction } from '../../storage/storage.ts'
import type { AnswerBody } from '../answers/answer-body.ts'
import { AnswerBudget } from '../answers/query-answer.ts'
import type { Shares } from '../budgets/shares.ts'
import { Turns } from '../budgets/turns.ts'
import { StatementFailure } from '../errors/server-error.ts'
import type { Cursors } from '../requests/cursor.ts'
import type { IdempotentRequest, ReplayedAnswer } from '../requests/idempotency.ts'
import type { QueryOptions } from '../requests/query-request.ts'
import { requireMinTimestamp } from '../requests/request-snapshot.ts'
import type { RunningRequest } from '../requests/running-request.ts'
import { Paging } from '../requests/scan-paging.ts'
import type { IndexedStatement, RowStatement } from '../requests/script.ts'
import { explained } from '../statements/explained-error.ts'
import { OneAtATime } from '../statements/one-at-a-time.ts'
import { type ExecutionParts, StatementExecution } from '../statements/statement-execution.ts'
import { withCreation } from '../statements/table-creation.ts'
import { retryableCause, withRetries } from '../transactions/retry.ts'

/** The snapshot that a request on rows asks for. */
export type RowSnapshot = Pick<QueryOptions, 'minTimestamp'> & { readonly asOf?: Timestamp }

/** What one request on rows does its work with: one transaction, statement by statement. */
export class RowTransaction {
  readonly catalog: Catalog
  readonly readTimestamp: Timestamp
  readonly #run: (statements: readonly IndexedStatement[], options: RunOptions) => ResultsComing

  constructor(
    { catalog, transaction }: { readonly catalog: Catalog; readonly transaction: Transaction },
    run: (statements: readonly IndexedStatement[], options: RunOptions) => ResultsComing,
  ) {
    this.catalog = catalog
    this.readTimestamp = transaction.startTs
    this.#run = run
  }

  /** Runs one statement; a GET answers `rowTimestamps` as well. */
  async run(
    statement: RowStatement,
    parameters: IndexedStatement['parameters'],
    options: RunOptions = {},
  ): Promise<StatementResult> {
    const [result] = await this.#run([{ statement, parameters, index: 0 }], options)
    return result as StatementResult
  }
}

type RunOptions = { readonly paging?: Paging }
type ResultsComing = Promise<readonly StatementResult[]>

/** What a write came to, as it is kept for its `Idempotency-Key`: all but its commit. */
export type WrittenAnswer = {
  readonly status: number
  readonly location?: string
  /** JSON; absent where the answer has no body. */
  readonly body?: AnswerBody
  /** The row that is answered; `written` by this very transaction. */
  readonly version?: 'written' | Timestamp
  /** What its table and its form make of the row, for its tag. */
  readonly representation?: string
}

export type Written = WrittenAnswer & {
  readonly readTimestamp: Timestamp
  readonly commitTimestamp: Timestamp | null
  readonly replayed: boolean
}

type RowTransactionParts = ExecutionParts & {
  readonly cursors: Cursors
  readonly shares: Shares
}

/** Runs the requests on rows, each a transaction of its own. Its errors name no statement. */
export class RowTransactions {
  readonly #parts: RowTransactionParts
  readonly #execution: StatementExecution
  readonly #repetitions = new OneAtATime()

  constructor(parts: RowTransactionParts) {
    this.#parts = parts
    this.#execution = new StatementExecution(parts)
  }

  async read<T>(
    snapshot: RowSnapshot,
    running: RunningRequest,
    work: (rows: RowTransaction) => Promise<T>,
  ): Promise<T> {
    const { signal } = running
    const mayRetry = (error: unknown) => snapshot.asOf === undefined && retryableCause(error)
    const attempt = () =>
      this.#inTransaction({ ...snapshot, readOnly: true }, running, async (_transaction, rows) => {
        const answer = await work(rows)
        signal.throwIfAborted()
        return answer
      })
    return this.#parts.ended.counted(() =>
      withRetries({ ...this.#parts, signal, mayRetry }, attempt),
    )
  }

  /** Runs the work again while it meets conflicts, as a query would be. */
  async write(
    asked: Pick<RowSnapshot, 'minTimestamp'> & {
      readonly idempotent: IdempotentRequest | undefined
    },
    running: RunningRequest,
    work: (rows: RowTransaction) => Promise<WrittenAnswer>,
  ): Promise<Written> {
    const { idempotent } = asked
    const once = () => this.#write(asked, running, work)
    return idempotent === undefined
      ? once()
      : this.#repetitions.run(idempotent.key, running.signal, once)
  }

  #write(
    { idempotent, ...snapshot }: Parameters<RowTransactions['write']>[0],
    running: RunningRequest,
    work: (rows: RowTransaction) => Promise<WrittenAnswer>,
  ): Promise<Written> {
    const { signal } = running
    const attempt = (attempts: number) =>
      this.#inTransaction({ ...snapshot, readOnly: false }, running, async (transaction, rows) => {
        const before = await idempotent?.replayed(transaction)
        if (before !== undefined) return replayedAnswer(before)
        const answer = await work(rows)
        const { readTimestamp } = rows
        if (idempotent !== undefined && transaction.hasWrites) {
          const { body } = answer
          const text = body === undefined ? {} : { body: idempotent.textToKeep(body) }
          const results = JSON.stringify({ ...answer, ...text })
          idempotent.keep(transaction, { results, readTimestamp, attempts })
        }
        // Up to here a client that went away has changed nothing; a commit is always finished.
        signal.throwIfAborted()
        running.commits()
        const { commitTs } = await transaction.commit()
        return { ...answer, readTimestamp, commitTimestamp: commitTs, replayed: false }
      })
    return this.#parts.ended.counted(
      () => withRetries({ ...this.#parts, signal, mayRetry: retryableCause }, attempt),
      // What is replayed was counted when it was committed.
      ({ replayed, commitTimestamp }) => (replayed ? null : commitTimestamp),
    )
  }

  async #inTransaction<T>(
    snapshot: RowSnapshot & { readonly readOnly: boolean },
    running: RunningRequest,
    work: (transaction: Transaction, rows: RowTransaction) => Promise<T>,
  ): Promise<T> {
    const { storage, shares, turnQueue, clock } = this.#parts
    const { readOnly, asOf } = snapshot
    const begun = storage.begin({
      readOnly,
      budget: shares.writtenBy(running.client),
      ...(asOf === undefined ? {} : { asOf }),
    })
    const transaction = await begun
    let catalog: Catalog | undefined
    try {
      if (begun instanceof Promise) await new Turns(turnQueue, clock, running).rejoin()
      requireMinTimestamp(storage, snapshot, snapshot, transaction.startTs)
      catalog = await storage.catalog(transaction)
      return await work(transaction, this.#rowTransaction(transaction, catalog, running))
    } catch (error) {
      const cause = error instanceof StatementFailure ? error.cause : error
      throw await withCreation(explained(cause, catalog), storage, asOf)
    } finally {
      // Of no effect on a transaction that has committed.
      transaction.rollback()
    }
  }

  #rowTransaction(
    transaction: Transaction,
    catalog: Catalog,
    running: RunningRequest,
  ): RowTransaction {
    const answer = new AnswerBudget(running.unsent)
    const whole = Paging.ofWhole(this.#parts.cursors)
    return new RowTransaction({ catalog, transaction }, async (statements, { paging = whole }) =>
      this.#execution.run(statements, {
        request: {},
        transaction,
        catalog,
        paging,
        answer,
        running,
        rowTimestamps: true,
      }),
    )
  }
}

function replayedAnswer(before: ReplayedAnswer): Written {
  const { readTimestamp, commitTs } = before
  const answer = JSON.parse(before.results) as WrittenAnswer
  return { ...answer, readTimestamp, commitTimestamp: commitTs, replayed: true }
}
