// SPDX-License-Identifier: Apache-2.0
import type { Parser } from '../../../parser/parser.ts'
import {
  type ExecutionContext,
  executePlan,
  type Parameters,
  type Plan,
  PlanError,
  type RelaySetting,
  type StatementResult,
  Variables,
} from '../../../planner/planner.ts'
import {
  type Clock,
  type MaybePromise,
  type Randomness,
  type Storage,
  type Timestamp,
  type Transaction,
  unlessAborted,
} from '../../../storage/storage.ts'
import type { Catalog } from '../../../storage/tables/tables.ts'
import { StatementFailure } from '../../errors/server-error.ts'
import type { Access } from '../../guard/access/access.ts'
import type { Audit } from '../../guard/audit/audit.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import { inSnapshot, type Snapshot } from '../../snapshot.ts'
import type { AnswerWriter } from '../answers/answer-text.ts'
import type { AnswerBudget } from '../answers/query-answer.ts'
import type { Cursors } from '../prepared/cursor.ts'
import type { QueryOptions } from '../prepared/query-request.ts'
import { asOfOf } from '../prepared/request-snapshot.ts'
import type { RunningRequest } from '../prepared/running-request.ts'
import type { Paging } from '../prepared/scan-paging.ts'
import { type IndexedStatement, intoOf } from '../prepared/script.ts'
import type { Attempts } from '../transactions/attempt.ts'
import type { EndedTransactions } from '../transactions/ended-transactions.ts'
import { withCreation } from '../transactions/table-creation.ts'
import type { TransactionSessions } from '../transactions/transaction-sessions.ts'
import type { PlanCache } from './plan-cache.ts'
import { ReadAhead } from './read-ahead.ts'
import { statementMeter } from './statement-meter.ts'

/** Returns or throws what `execute` does, and counts it. */
type StatementCounter = {
  counted(
    statement: Pick<Run, 'catalog' | 'running'> & { plan: Plan; entry: IndexedStatement },
    execute: () => MaybePromise<StatementResult>,
  ): MaybePromise<StatementResult>
}

export type ExecutionDependencies = {
  readonly storage: Storage
  readonly clock: Clock
  readonly randomness: Randomness
  readonly statementTimeoutMs: number
  readonly plans: PlanCache
  readonly ended: EndedTransactions
  readonly access: Pick<Access, 'viewOf' | 'currentCatalog'>
  /** Absent where statements are not counted. */
  readonly statistics?: StatementCounter | undefined
}

/** What carries requests with statements out. */
export type StatementDependencies = ExecutionDependencies & {
  readonly parser: Parser
  readonly sessions: TransactionSessions
  readonly cursors: Cursors
  readonly writer: AnswerWriter
  readonly access: Access
  readonly audit: Audit
  readonly attempts: Attempts
  readonly execution: StatementExecution
  readonly relaySetting: RelaySetting
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

/** How far the statements of a request are. */
type Begun = {
  readonly results: StatementResult[]
  readonly ahead: ReadAhead | undefined
  /** There where a statement reads INTO names. */
  readonly variables: Variables | undefined
}

/** More than the one row that INTO wants is not read. */
const INTO_PAGE = { rows: 2, bytes: SERVER_LIMITS.pageBytesMax } as const

/** Runs statements of one request, one after the other, inside a transaction. */
export class StatementExecution {
  readonly #deps: ExecutionDependencies
  // What is the same for every statement, so that none has to make it.
  readonly #uuid: () => string
  readonly #monotonicMs: () => number

  constructor(deps: ExecutionDependencies) {
    const { clock, randomness } = deps
    this.#deps = deps
    this.#uuid = () => uuidV7(clock.wallMicros() / 1000, randomness)
    this.#monotonicMs = () => clock.monotonicMs()
  }

  /**
   * Throws or rejects with StatementFailure around whatever went wrong. Statements that have nothing to
   * wait for are all answered in this turn, without a promise.
   */
  run(statements: readonly IndexedStatement[], run: Run): MaybePromise<StatementResult[]> {
    const results: StatementResult[] = []
    const variables = statements.some(readsInto) ? new Variables() : undefined
    const ahead = statements.length < 2 ? undefined : this.#aheadOf(statements, run, variables)
    const begun = { results, ahead, variables }
    while (results.length < statements.length) {
      try {
        const step = this.#step(statements, run, begun)
        const isDone = results.length === statements.length
        if (step instanceof Promise || (!isDone && run.running.turns.isDue)) {
          return this.#runRest(statements, run, { ...begun, step })
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
    begun: Begun & { readonly step: MaybePromise<void> },
  ): Promise<StatementResult[]> {
    const { results } = begun
    const { turns } = run.running
    let { step } = begun
    try {
      for (;;) {
        if (step instanceof Promise) await step
        if (results.length === statements.length) return results
        if (turns.isDue) await turns.pause()
        step = this.#step(statements, run, begun)
      }
    } catch (error) {
      throw failureAt(statements, results.length, error)
    }
  }

  /** Answers the next statement. */
  #step(statements: readonly IndexedStatement[], run: Run, begun: Begun): MaybePromise<void> {
    const { results, ahead, variables } = begun
    const next = statements[results.length] as IndexedStatement
    const read = ahead?.before(results.length)
    const ran =
      read === undefined
        ? this.#runStatement(next, run, variables)
        : run.running
            .withinTime(this.#timeoutMs(run), unlessAborted(run.running.signal, read))
            .then(() => this.#runStatement(next, run, variables))
    return ran instanceof Promise
      ? ran.then((result) => addResult(result, next, run, begun))
      : addResult(ran, next, run, begun)
  }

  /** Nothing where reads do not wait; a single statement reads its rows together anyway. */
  #aheadOf(
    statements: readonly IndexedStatement[],
    run: Run,
    variables: Variables | undefined,
  ): ReadAhead | undefined {
    if (!run.transaction.prefetches) return undefined
    return new ReadAhead(statements, {
      transaction: run.transaction,
      planOf: (entry) =>
        asOfOf(entry) === undefined
          ? this.#deps.plans.plan(entry.statement, run.catalog, variables)
          : undefined,
      contextOf: ({ parameters }) => this.#contextOf(run, parameters, variables),
    })
  }

  /** One statement: plan it (or remember the plan), then run it as a layer of the transaction. */
  #runStatement(
    entry: IndexedStatement,
    run: Run,
    variables?: Variables,
  ): MaybePromise<StatementResult> {
    const asOf = asOfOf(entry)
    if (asOf !== undefined && asOf !== run.transaction.startTs) {
      return this.#runInThePast(entry, asOf, run, variables)
    }
    const { plans, access, statistics } = this.#deps
    // Rights may have been taken away since the statement before.
    const catalog = access.viewOf(run.running.principal, run.catalog)
    const now = catalog === run.catalog ? run : { ...run, catalog }
    const plan = plans.plan(entry.statement, catalog, variables)
    const context = this.#contextOf(now, entry.parameters, variables)
    const own =
      variables !== undefined && readsInto(entry)
        ? { ...context, page: INTO_PAGE, newRowWriter: undefined }
        : context
    if (statistics === undefined || !isOnRows(entry)) {
      return this.#withinTime(run, executePlan(plan, own))
    }
    return statistics.counted({ plan, entry, running: run.running, catalog }, () =>
      this.#withinTime(run, executePlan(plan, own)),
    )
  }

  /**
   * An answer that is given again. Throws PlanError `not_permitted`, and `unknown_table` for what is not to be known
   * any more.
   */
  permitted<T>(answer: T, statements: readonly IndexedStatement[], catalog: Catalog): T {
    for (const { statement } of statements) {
      try {
        this.#deps.plans.plan(statement, catalog)
      } catch (error) {
        const code = error instanceof PlanError ? error.code : undefined
        if (code === 'not_permitted' || code === 'unknown_table') throw error
      }
    }
    return answer
  }

  #withinTime<T>(run: Run, executed: MaybePromise<T>): MaybePromise<T> {
    return executed instanceof Promise
      ? run.running.withinTime(this.#timeoutMs(run), executed)
      : executed
  }

  /** The shortest of what the server, the role of the client and the request allow. */
  #timeoutMs({ request, running }: Run): number {
    const { statementTimeoutMs: most } = this.#deps
    return Math.min(most, running.limits.statement ?? most, request.timeoutMs ?? most)
  }

  /** Throws the signal's reason. */
  #contextOf(run: Run, parameters: Parameters, variables?: Variables): ExecutionContext {
    const { signal } = run.running
    signal.throwIfAborted()
    const { transaction, catalog, paging, answer, newRowWriter } = run
    return {
      transaction,
      catalog,
      parameters,
      claims: run.running.principal?.claims,
      variables,
      functions: {
        now: BigInt(transaction.now),
        uuid: this.#uuid,
        nextNumbers: (table, count) => this.#deps.storage.identities.take(table, count, signal),
      },
      work: statementMeter(run.running, this.#timeoutMs(run), this.#monotonicMs),
      signal,
      page: paging.page,
      answerBytes: answer.bytes,
      holdBytes: answer.holdBesides,
      rowTimestamps: run.rowTimestamps === true,
      turns: run.running.turns,
      monotonicMs: this.#monotonicMs,
      newRowWriter,
    }
  }

  /** A read with AS OF among other statements has a snapshot, and so a catalog, of its own. */
  async #runInThePast(
    entry: IndexedStatement,
    asOf: Timestamp,
    run: Run,
    variables: Variables | undefined,
  ): Promise<StatementResult> {
    const { storage } = this.#deps
    const { principal } = run.running
    const inPast = (snapshot: Snapshot) =>
      this.#runStatement(entry, { ...run, ...snapshot }, variables)
    try {
      return await inSnapshot(storage, asOf, inPast, run.request.history)
    } catch (error) {
      throw await withCreation(error, this.#deps, principal, asOf)
    }
  }
}

function addResult(
  result: StatementResult,
  entry: IndexedStatement,
  { answer, paging }: Run,
  { results, variables }: Begun,
): void {
  if (result.columns.length > 0) answer.add(result)
  if (variables === undefined || !readInto(entry, result, variables)) paging.check(result)
  results.push(result)
}

function readsInto({ statement }: IndexedStatement): boolean {
  return intoOf(statement) !== undefined
}

/** Whether the statement has read its one row INTO names. Throws PlanError. */
function readInto(
  { statement }: IndexedStatement,
  result: StatementResult,
  variables: Variables,
): boolean {
  const into = intoOf(statement)
  if (into === undefined) return false
  if (statement.kind === 'explain') variables.explain(into, result.explained ?? result)
  else variables.read(into, result)
  return true
}

/** Whether it reads or writes rows: SHOW and DESCRIBE only say what there is. */
function isOnRows({ statement: { kind } }: IndexedStatement): boolean {
  return kind !== 'describe' && !kind.startsWith('show')
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

/** A version 7 UUID (RFC 9562): 48 bits of milliseconds since 1970, then random bits. */
function uuidV7(wallMs: number, randomness: Randomness): string {
  const bytes = Buffer.alloc(16)
  bytes.writeUIntBE(Math.floor(wallMs), 0, 6)
  bytes.set(randomness.bytes(10), 6)
  bytes.writeUInt8(((bytes[6] as number) & 0x0f) | 0x70, 6)
  bytes.writeUInt8(((bytes[8] as number) & 0x3f) | 0x80, 8)
  const hex = bytes.toString('hex')
  return [8, 12, 16, 20, 32].map((end, i) => hex.slice([0, 8, 12, 16, 20][i], end)).join('-')
}
