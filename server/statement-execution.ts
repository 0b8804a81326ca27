// SPDX-License-Identifier: Apache-2.0
import { executePlan, type StatementResult } from '../planner/planner.ts'
import type {
  Catalog,
  Clock,
  Randomness,
  Storage,
  Timestamp,
  Transaction,
} from '../storage/storage.ts'
import { PlanCache } from './plan-cache.ts'
import type { AnswerBudget } from './query-answer.ts'
import type { QueryRequest } from './query-request.ts'
import { asOfOf } from './request-snapshot.ts'
import type { Paging } from './scan-paging.ts'
import type { IndexedStatement } from './script.ts'
import { StatementFailure } from './server-error.ts'
import { withDeadline } from './statement-deadline.ts'
import { type TurnQueue, Turns } from './turns.ts'
import { uuidV7 } from './uuid.ts'

export type ExecutionParts = {
  readonly storage: Storage
  readonly clock: Clock
  readonly randomness: Randomness
  readonly statementTimeoutMs: number
  readonly turnQueue: TurnQueue
}

/** What one run over statements shares. */
export type Run = {
  readonly request: QueryRequest
  readonly transaction: Transaction
  readonly catalog: Catalog
  readonly paging: Paging
  readonly answer: AnswerBudget
  readonly signal: AbortSignal
}

/** Runs statements of one request, one after the other, inside a transaction. */
export class StatementExecution {
  readonly #parts: ExecutionParts
  readonly #plans = new PlanCache()

  constructor(parts: ExecutionParts) {
    this.#parts = parts
  }

  /** Throws StatementFailure around whatever went wrong. */
  async run(statements: readonly IndexedStatement[], run: Run): Promise<StatementResult[]> {
    const results: StatementResult[] = []
    const turns = new Turns(this.#parts.turnQueue, this.#parts.clock, run.signal)
    for (const entry of statements) {
      try {
        const result = await this.#runStatement(entry, run)
        run.answer.add(result)
        run.paging.check(result)
        results.push(result)
        await turns.pauseIfDue()
      } catch (error) {
        throw new StatementFailure(entry.index, error)
      }
    }
    return results
  }

  /** One statement: plan it (or remember the plan), then run it as a layer of the transaction. */
  async #runStatement(entry: IndexedStatement, run: Run): Promise<StatementResult> {
    const asOf = asOfOf(entry)
    if (asOf !== undefined && asOf !== run.transaction.startTs) {
      return this.#runInThePast(entry, asOf, run)
    }
    const { transaction, catalog, request, signal } = run
    const { clock, randomness, statementTimeoutMs, turnQueue } = this.#parts
    const plan = this.#plans.plan(entry.statement, catalog)
    const timeoutMs = Math.min(request.timeoutMs ?? statementTimeoutMs, statementTimeoutMs)
    return withDeadline({ timeoutMs, signal }, (signal) =>
      executePlan(plan, {
        transaction,
        catalog,
        parameters: entry.parameters,
        functions: {
          now: BigInt(transaction.startTs),
          uuid: () => uuidV7(clock.wallMicros() / 1000, randomness),
        },
        signal,
        page: run.paging.page,
        answerBytes: run.answer.bytes,
        takeTurn: () => turnQueue.next(),
        monotonicMs: () => clock.monotonicMs(),
      }),
    )
  }

  /** A read with AS OF among other statements has a snapshot, and so a catalog, of its own. */
  async #runInThePast(
    entry: IndexedStatement,
    asOf: Timestamp,
    run: Run,
  ): Promise<StatementResult> {
    const { storage } = this.#parts
    const transaction = await storage.begin({ readOnly: true, asOf })
    try {
      const catalog = await storage.catalog(transaction)
      return await this.#runStatement(entry, { ...run, transaction, catalog })
    } finally {
      transaction.rollback()
    }
  }
}
