// SPDX-License-Identifier: Apache-2.0
import { requireTableRight, type StatementResult } from '../../../planner/planner.ts'
import type { Timestamp, Transaction } from '../../../storage/storage.ts'
import { type Catalog, requireTable } from '../../../storage/tables/tables.ts'
import { StatementFailure } from '../../errors/server-error.ts'
import { standingOf } from '../../guard/access/standing.ts'
import type { AnswerBody } from '../answers/answer-body.ts'
import { AnswerBudget } from '../answers/query-answer.ts'
import type { IdempotentRequest, ReplayedAnswer } from '../prepared/idempotency.ts'
import type { QueryOptions } from '../prepared/query-request.ts'
import type { RunningRequest } from '../prepared/running-request.ts'
import { Paging } from '../prepared/scan-paging.ts'
import type { IndexedStatement, RowStatement } from '../prepared/script.ts'
import { OneAtATime } from '../statements/one-at-a-time.ts'
import type { StatementDependencies } from '../statements/statement-execution.ts'
import { type Attempt, commitWritten } from '../transactions/attempt.ts'

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
    const [result] = await this.#runAll([{ statement, parameters, index: 0 }], options)
    return result as StatementResult
  }

  /** Runs one statement with each of these parameters, whose rows are asked for together. */
  async runEach(
    statement: RowStatement,
    parameters: readonly IndexedStatement['parameters'][],
  ): ResultsComing {
    return await this.#runAll(parameters.map((each) => ({ statement, parameters: each, index: 0 })))
  }

  async #runAll(statements: readonly IndexedStatement[], options: RunOptions = {}): ResultsComing {
    try {
      return await this.#run(statements, options)
    } catch (error) {
      throw error instanceof StatementFailure ? error.cause : error
    }
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
  /** Of rows that are not answered themselves. */
  readonly counts?: { readonly rowsAffected: number; readonly skipped: number }
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

type RowWriteRequest = Pick<RowSnapshot, 'minTimestamp'> & {
  readonly idempotent: IdempotentRequest | undefined
  readonly table: string
}

/** Runs the requests on rows, each a transaction of its own. Its errors name no statement. */
export class RowTransactions {
  readonly #deps: StatementDependencies
  readonly #repetitions = new OneAtATime()

  constructor(deps: StatementDependencies) {
    this.#deps = deps
  }

  async read<T>(
    snapshot: RowSnapshot,
    running: RunningRequest,
    work: (rows: RowTransaction) => Promise<T>,
  ): Promise<T> {
    const { signal } = running
    const once = async (own: Attempt) => {
      const answer = await work(this.#rowTransaction(own, running))
      signal.throwIfAborted()
      return answer
    }
    const request = { ...snapshot, readOnly: true }
    return await this.#deps.attempts.run({
      snapshot: request,
      running,
      work: once,
      commitTsOf: () => null,
    })
  }

  /** Runs the work again while it meets conflicts, as a query would be. */
  async write(
    request: RowWriteRequest,
    running: RunningRequest,
    work: (rows: RowTransaction) => Promise<WrittenAnswer>,
  ): Promise<Written> {
    const { idempotent, minTimestamp } = request
    const run = async () =>
      this.#deps.attempts.run({
        snapshot: { minTimestamp, readOnly: false },
        running,
        work: (own) => this.#writeOnce(own, request, running, work),
        // What is replayed was counted when it was committed.
        commitTsOf: ({ replayed, commitTimestamp }) => (replayed ? null : commitTimestamp),
      })
    return idempotent === undefined
      ? await run()
      : await this.#repetitions.run(idempotent.scopedKey, running, run)
  }

  async #writeOnce(
    own: Attempt,
    { idempotent, table }: RowWriteRequest,
    running: RunningRequest,
    work: (rows: RowTransaction) => Promise<WrittenAnswer>,
  ): Promise<Written> {
    const { transaction, catalog, attempts } = own
    const before = await idempotent?.replayed(own, running.principal)
    if (before !== undefined) {
      requireTableRight(catalog, requireTable(catalog, table), 'write')
      return replayedAnswer(before)
    }
    const answer = await work(this.#rowTransaction(own, running))
    const readTimestamp = transaction.startTs
    if (idempotent !== undefined && transaction.hasWrites) {
      const { body } = answer
      const text = body === undefined ? {} : { body: idempotent.textToKeep(body) }
      const results = JSON.stringify({ ...answer, ...text })
      const standing = standingOf(catalog, running.principal)
      idempotent.keep(transaction, { results, readTimestamp, attempts, standing })
    }
    const commitTimestamp = await commitWritten(transaction, running)
    return { ...answer, readTimestamp, commitTimestamp, replayed: false }
  }

  #rowTransaction({ transaction, catalog }: Attempt, running: RunningRequest): RowTransaction {
    const answer = new AnswerBudget(running)
    const { whole } = Paging
    return new RowTransaction({ catalog, transaction }, async (statements, { paging = whole }) =>
      this.#deps.execution.run(statements, {
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

/** Without the row, its key and its version. */
function countsOf({
  status,
  counts = { rowsAffected: 1, skipped: 0 },
}: WrittenAnswer): WrittenAnswer {
  return { status, counts }
}

function replayedAnswer(before: ReplayedAnswer): Written {
  const { readTimestamp, commitTs } = before
  const kept = JSON.parse(before.results) as WrittenAnswer
  const answer = before.isWhole || kept.status === 204 ? kept : countsOf(kept)
  return { ...answer, readTimestamp, commitTimestamp: commitTs, replayed: true }
}
