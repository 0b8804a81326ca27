// SPDX-License-Identifier: Apache-2.0
import {
  type ExecutionContext,
  executePlan,
  executeTogether,
  isPointRead,
  type Parameters,
  type Plan,
  type PointRead,
  type StatementResult,
} from '../planner/planner.ts'
import type {
  Answer,
  Catalog,
  Clock,
  Randomness,
  Storage,
  Timestamp,
  Transaction,
} from '../storage/storage.ts'
import type { PlanCache } from './plan-cache.ts'
import type { AnswerBudget } from './query-answer.ts'
import type { QueryOptions } from './query-request.ts'
import { asOfOf } from './request-snapshot.ts'
import type { RunningRequest } from './running-request.ts'
import type { Paging } from './scan-paging.ts'
import type { IndexedStatement, RowStatement } from './script.ts'
import { StatementFailure } from './server-error.ts'
import { inSnapshot } from './snapshot.ts'
import { type TurnQueue, Turns } from './turns.ts'
import { uuidV7 } from './uuid.ts'

export type ExecutionParts = {
  readonly storage: Storage
  readonly clock: Clock
  readonly randomness: Randomness
  readonly statementTimeoutMs: number
  readonly turnQueue: TurnQueue
  readonly plans: PlanCache
}

/** What one run over statements shares. */
export type Run = {
  readonly request: Pick<QueryOptions, 'timeoutMs'>
  readonly transaction: Transaction
  readonly catalog: Catalog
  readonly paging: Pick<Paging, 'page' | 'check'>
  readonly answer: AnswerBudget
  readonly running: RunningRequest
  /** Asks GETs for the commit timestamps of their rows. */
  readonly rowTimestamps?: boolean
}

/** Runs statements of one request, one after the other, inside a transaction. */
export class StatementExecution {
  readonly #parts: ExecutionParts

  constructor(parts: ExecutionParts) {
    this.#parts = parts
  }

  /** Throws StatementFailure around whatever went wrong. */
  async run(statements: readonly IndexedStatement[], run: Run): Promise<StatementResult[]> {
    const results: StatementResult[] = []
    const answered = (result: StatementResult) => {
      run.answer.add(result)
      run.paging.check(result)
      results.push(result)
    }
    const turns = new Turns(this.#parts.turnQueue, this.#parts.clock, run.running.signal)
    for (let next = statements[0]; next !== undefined; next = statements[results.length]) {
      try {
        const reads =
          statements.length === 1 ? [] : this.#readsFrom(statements, results.length, run)
        if (reads.length > 1) await this.#runTogether(reads, run, answered)
        else {
          const result = this.#runStatement(next, run)
          answered(result instanceof Promise ? await result : result)
        }
        if (turns.isDue) await turns.pause()
      } catch (error) {
        throw new StatementFailure((statements[results.length] ?? next).index, error)
      }
    }
    return results
  }

  /**
   * The point reads from there on, which share their round trips to the store. A mistake in one of them
   * ends the list, so that it is met when all before it have been answered.
   */
  #readsFrom(statements: readonly IndexedStatement[], from: number, run: Run): PointRead[] {
    const reads: PointRead[] = []
    for (let index = from; index < statements.length; index += 1) {
      const { statement, parameters } = statements[index] as IndexedStatement
      if (statement.kind !== 'get' || statement.asOf !== undefined) break
      const plan = this.#planIfSound(statement, run.catalog)
      if (plan === undefined || !isPointRead(plan)) break
      reads.push({ plan, parameters })
    }
    return reads
  }

  #planIfSound(statement: RowStatement, catalog: Catalog): Plan | undefined {
    try {
      return this.#parts.plans.plan(statement, catalog)
    } catch {
      return undefined
    }
  }

  async #runTogether(
    reads: readonly PointRead[],
    run: Run,
    answered: (result: StatementResult) => void,
  ): Promise<void> {
    const { results, failure } = await run.running.statement(this.#timeoutMs(run), (signal) =>
      executeTogether(reads, this.#contextOf(run, [], signal)),
    )
    results.forEach(answered)
    if (failure !== undefined) throw failure
  }

  /** One statement: plan it (or remember the plan), then run it as a layer of the transaction. */
  #runStatement(entry: IndexedStatement, run: Run): Answer<StatementResult> {
    const asOf = asOfOf(entry)
    if (asOf !== undefined && asOf !== run.transaction.startTs) {
      return this.#runInThePast(entry, asOf, run)
    }
    const plan = this.#parts.plans.plan(entry.statement, run.catalog)
    return run.running.statement(this.#timeoutMs(run), (signal) =>
      executePlan(plan, this.#contextOf(run, entry.parameters, signal)),
    )
  }

  #timeoutMs({ request }: Run): number {
    const { statementTimeoutMs } = this.#parts
    return Math.min(request.timeoutMs ?? statementTimeoutMs, statementTimeoutMs)
  }

  #contextOf(run: Run, parameters: Parameters, signal: AbortSignal): ExecutionContext {
    const { transaction, catalog, paging, answer } = run
    const { clock, randomness, turnQueue } = this.#parts
    return {
      transaction,
      catalog,
      parameters,
      functions: {
        now: BigInt(transaction.startTs),
        uuid: () => uuidV7(clock.wallMicros() / 1000, randomness),
      },
      signal,
      page: paging.page,
      answerBytes: answer.bytes,
      ...(run.rowTimestamps ? { rowTimestamps: true } : {}),
      takeTurn: () => turnQueue.next(),
      monotonicMs: () => clock.monotonicMs(),
    }
  }

  /** A read with AS OF among other statements has a snapshot, and so a catalog, of its own. */
  async #runInThePast(
    entry: IndexedStatement,
    asOf: Timestamp,
    run: Run,
  ): Promise<StatementResult> {
    return await inSnapshot(this.#parts.storage, asOf, (snapshot) =>
      this.#runStatement(entry, { ...run, ...snapshot }),
    )
  }
}
