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
  WorkMeter,
} from '../../planner/planner.ts'
import {
  andThen,
  type Catalog,
  type Clock,
  type MaybePromise,
  type Randomness,
  type Storage,
  type Timestamp,
  type Transaction,
} from '../../storage/storage.ts'
import type { AnswerBudget } from '../answers/query-answer.ts'
import { StatementFailure } from '../errors/server-error.ts'
import type { QueryOptions } from '../requests/query-request.ts'
import { asOfOf } from '../requests/request-snapshot.ts'
import type { RunningRequest } from '../requests/running-request.ts'
import type { Paging } from '../requests/scan-paging.ts'
import type { IndexedStatement, RowStatement } from '../requests/script.ts'
import type { EndedTransactions } from '../transactions/ended-transactions.ts'
import type { PlanCache } from './plan-cache.ts'
import { inSnapshot, type Snapshot } from './snapshot.ts'
import { withCreation } from './table-creation.ts'
import { uuidV7 } from './uuid.ts'

export type ExecutionParts = {
  readonly storage: Storage
  readonly clock: Clock
  readonly randomness: Randomness
  readonly statementTimeoutMs: number
  readonly plans: PlanCache
  readonly ended: EndedTransactions
}

/** What one run over statements shares. */
export type Run = {
  readonly request: Pick<QueryOptions, 'timeoutMs' | 'history'>
  readonly transaction: Transaction
  readonly catalog: Catalog
  readonly paging: Pick<Paging, 'page' | 'check'>
  readonly answer: AnswerBudget
  readonly running: RunningRequest
  /** Asks GETs for the commit timestamps of their rows. */
  readonly rowTimestamps?: boolean
  /** As that of `RunAround`. */
  readonly newRowWriter?: ExecutionContext['newRowWriter'] | undefined
}

/** Runs statements of one request, one after the other, inside a transaction. */
export class StatementExecution {
  readonly #parts: ExecutionParts
  // What is the same for every statement, so that none has to make it.
  readonly #uuid: () => string
  readonly #monotonicMs: () => number

  constructor(parts: ExecutionParts) {
    const { clock, randomness } = parts
    this.#parts = parts
    this.#uuid = () => uuidV7(clock.wallMicros() / 1000, randomness)
    this.#monotonicMs = () => clock.monotonicMs()
  }

  /**
   * Throws or rejects with StatementFailure around whatever went wrong. Statements that have nothing to
   * wait for are all answered in this turn, without a promise.
   */
  run(statements: readonly IndexedStatement[], run: Run): MaybePromise<StatementResult[]> {
    const results: StatementResult[] = []
    while (results.length < statements.length) {
      try {
        const step = this.#step(statements, run, results)
        const isDone = results.length === statements.length
        if (step instanceof Promise || (!isDone && run.running.turns.isDue)) {
          return this.#runRest(statements, run, { results, step })
        }
      } catch (error) {
        throw failureAt(statements, results.length, error)
      }
    }
    return results
  }

  /** Continues after a step that has to be waited for, or after which others have their turn. */
  async #runRest(
    statements: readonly IndexedStatement[],
    run: Run,
    begun: {
      readonly results: StatementResult[]
      readonly step: MaybePromise<void>
    },
  ): Promise<StatementResult[]> {
    const { results } = begun
    const { turns } = run.running
    let { step } = begun
    try {
      for (;;) {
        if (step instanceof Promise) await step
        if (results.length === statements.length) return results
        if (turns.isDue) await turns.pause()
        step = this.#step(statements, run, results)
      }
    } catch (error) {
      throw failureAt(statements, results.length, error)
    }
  }

  /** Answers the next statement, or all point reads that follow each other from there on. */
  #step(
    statements: readonly IndexedStatement[],
    run: Run,
    results: StatementResult[],
  ): MaybePromise<void> {
    const answered = (result: StatementResult) => {
      run.answer.add(result)
      run.paging.check(result)
      results.push(result)
    }
    const next = statements[results.length] as IndexedStatement
    if (statements.length > 1 && next.statement.kind === 'get') {
      const reads = this.#readsFrom(statements, results.length, run)
      if (reads.length > 1) return this.#runTogether(reads, run, answered)
    }
    return andThen(this.#runStatement(next, run), answered)
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
    const context = this.#contextOf(run, [])
    const { results, failure } = await this.#withinTime(run, executeTogether(reads, context))
    results.forEach(answered)
    if (failure !== undefined) throw failure
  }

  /** One statement: plan it (or remember the plan), then run it as a layer of the transaction. */
  #runStatement(entry: IndexedStatement, run: Run): MaybePromise<StatementResult> {
    const asOf = asOfOf(entry)
    if (asOf !== undefined && asOf !== run.transaction.startTs) {
      return this.#runInThePast(entry, asOf, run)
    }
    const plan = this.#parts.plans.plan(entry.statement, run.catalog)
    return this.#withinTime(run, executePlan(plan, this.#contextOf(run, entry.parameters)))
  }

  #withinTime<T>(run: Run, executed: MaybePromise<T>): MaybePromise<T> {
    return executed instanceof Promise
      ? run.running.withinTime(this.#timeoutMs(run), executed)
      : executed
  }

  #timeoutMs({ request }: Run): number {
    const { statementTimeoutMs } = this.#parts
    return Math.min(request.timeoutMs ?? statementTimeoutMs, statementTimeoutMs)
  }

  /** Throws the signal's reason. */
  #contextOf(run: Run, parameters: Parameters): ExecutionContext {
    const { signal } = run.running
    signal.throwIfAborted()
    const { transaction, catalog, paging, answer, newRowWriter } = run
    return {
      transaction,
      catalog,
      parameters,
      functions: { now: BigInt(transaction.now), uuid: this.#uuid },
      work: this.#meterOf(run),
      signal,
      page: paging.page,
      answerBytes: answer.bytes,
      rowTimestamps: run.rowTimestamps === true,
      takeTurn: () => run.running.turns.pause(),
      monotonicMs: this.#monotonicMs,
      newRowWriter,
    }
  }

  /** No timer fires while an expression is evaluated, so the meter looks at the clock. */
  #meterOf(run: Run): WorkMeter {
    const { running } = run
    const timeoutMs = this.#timeoutMs(run)
    const beganMs = this.#monotonicMs()
    return new WorkMeter(() => {
      running.signal.throwIfAborted()
      if (this.#monotonicMs() - beganMs >= timeoutMs) running.timeOut(timeoutMs)
    })
  }

  /** A read with AS OF among other statements has a snapshot, and so a catalog, of its own. */
  async #runInThePast(
    entry: IndexedStatement,
    asOf: Timestamp,
    run: Run,
  ): Promise<StatementResult> {
    const { storage } = this.#parts
    const inPast = (snapshot: Snapshot) => this.#runStatement(entry, { ...run, ...snapshot })
    try {
      return await inSnapshot(storage, asOf, inPast, run.request.history)
    } catch (error) {
      throw await withCreation(error, storage, asOf)
    }
  }
}

/** What fails after the last statement, such as a pause, counts as its failure. */
function failureAt(
  statements: readonly IndexedStatement[],
  answered: number,
  error: unknown,
): StatementFailure {
  const { index } = (statements[answered] ?? statements.at(-1)) as IndexedStatement
  return new StatementFailure(index, error)
}
