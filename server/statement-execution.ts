// SPDX-License-Identifier: Apache-2.0
import {
  type ExecutionContext,
  executeGets,
  executePlan,
  type Parameters,
  type Plan,
  type PlannedGet,
  readsTogether,
  type StatementResult,
} from '../planner/planner.ts'
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
import type { RunningRequest } from './running-request.ts'
import type { Paging } from './scan-paging.ts'
import type { IndexedStatement, RowStatement } from './script.ts'
import { StatementFailure } from './server-error.ts'
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
  readonly running: RunningRequest
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
    const answered = (result: StatementResult) => {
      run.answer.add(result)
      run.paging.check(result)
      results.push(result)
    }
    const turns = new Turns(this.#parts.turnQueue, this.#parts.clock, run.running.signal)
    for (let next = statements[0]; next !== undefined; next = statements[results.length]) {
      try {
        const gets = statements.length === 1 ? [] : this.#getsFrom(statements, results.length, run)
        if (gets.length > 1) await this.#runGets(gets, run, answered)
        else answered(await this.#runStatement(next, run))
        if (turns.isDue) await turns.pause()
      } catch (error) {
        throw new StatementFailure((statements[results.length] ?? next).index, error)
      }
    }
    return results
  }

  /**
   * The GETs from there on that can be read together. A mistake in one of them ends the list, so that
   * it is met when all before it have been answered.
   */
  #getsFrom(statements: readonly IndexedStatement[], from: number, run: Run): PlannedGet[] {
    const gets: PlannedGet[] = []
    for (let index = from; index < statements.length; index += 1) {
      const { statement, parameters } = statements[index] as IndexedStatement
      if (statement.kind !== 'get' || statement.asOf !== undefined) break
      const plan = this.#planIfSound(statement, run.catalog)
      const first = gets[0]?.plan ?? plan
      if (plan === undefined || first?.kind !== 'pointGet' || !readsTogether(first, plan)) break
      gets.push({ plan, parameters })
    }
    return gets
  }

  #planIfSound(statement: RowStatement, catalog: Catalog): Plan | undefined {
    try {
      return this.#plans.plan(statement, catalog)
    } catch {
      return undefined
    }
  }

  async #runGets(
    gets: readonly PlannedGet[],
    run: Run,
    answered: (result: StatementResult) => void,
  ): Promise<void> {
    await run.running.statement(this.#timeoutMs(run), (signal) =>
      executeGets(gets, this.#contextOf(run, [], signal), answered),
    )
  }

  /** One statement: plan it (or remember the plan), then run it as a layer of the transaction. */
  #runStatement(entry: IndexedStatement, run: Run): Promise<StatementResult> {
    const asOf = asOfOf(entry)
    if (asOf !== undefined && asOf !== run.transaction.startTs) {
      return this.#runInThePast(entry, asOf, run)
    }
    const plan = this.#plans.plan(entry.statement, run.catalog)
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
