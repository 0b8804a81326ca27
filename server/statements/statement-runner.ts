// SPDX-License-Identifier: Apache-2.0
import type { Parser } from '../../parser/parser.ts'
import type { ExecutionContext } from '../../planner/planner.ts'
import { andThen, awaited, doWork, type MaybePromise, type Work } from '../../storage/storage.ts'
import { standingOf } from '../access/standing.ts'
import type { AnswerWriter } from '../answers/answer-text.ts'
import {
  AnswerBudget,
  EMPTY_RESULT,
  type QueryOutcome,
  type TextForm,
} from '../answers/query-answer.ts'
import { requireHistory } from '../history/request-history.ts'
import type { Cursors } from '../requests/cursor.ts'
import { type IdempotentRequest, ReplayedAnswer } from '../requests/idempotency.ts'
import { requireMeaning, requireMeaningInside } from '../requests/meaningless-options.ts'
import { parseRequest, type QueryRequest } from '../requests/query-request.ts'
import { beginOptions, snapshotOf } from '../requests/request-snapshot.ts'
import type { RunningRequest } from '../requests/running-request.ts'
import { Paging } from '../requests/scan-paging.ts'
import {
  type InnerScript,
  readInnerScript,
  readScript,
  type Script,
  type ScriptStatement,
} from '../requests/script.ts'
import type { ObserverRun } from '../transactions/observer-run.ts'
import type { TransactionSession } from '../transactions/transaction-session.ts'
import type { TransactionSessions } from '../transactions/transaction-sessions.ts'
import { type DefinitionParts, DefinitionRunner } from './definition-runner.ts'
import { explained } from './explained-error.ts'
import { KnownCosts } from './known-costs.ts'
import { aroundRows, commitOutcome, withText } from './made-outcome.ts'
import { OneAtATime } from './one-at-a-time.ts'
import { type OwnTransaction, OwnTransactions } from './own-transactions.ts'
import { withRunnableSuggestion } from './runnable-suggestion.ts'
import { type ExecutionParts, StatementExecution } from './statement-execution.ts'

export type RunnerParts = ExecutionParts &
  DefinitionParts & {
    readonly parser: Parser
    readonly sessions: TransactionSessions
    readonly cursors: Cursors
    readonly writer: AnswerWriter
  }

/** What belongs to a request that is a transaction, in addition to its statements. */
export type RunAround = {
  readonly idempotent?: IdempotentRequest | undefined
  /** For an answer that is text: it is made before the commit. Without it, the results are JSON. */
  readonly textForm?: TextForm | undefined
  readonly observerRun?: ObserverRun | undefined
  /** For an answer whose rows are needed only as its JSON. */
  readonly newRowWriter?: ExecutionContext['newRowWriter'] | undefined
}

type RunInside = Pick<RunAround, 'textForm' | 'observerRun' | 'newRowWriter'> & {
  readonly running: RunningRequest
}

export type RunResult = QueryOutcome | TransactionSession | ReplayedAnswer

type OwnScript = Script & { readonly kind: 'transaction' }

type AskedTransaction = {
  readonly script: OwnScript
  readonly request: QueryRequest
  readonly running: RunningRequest
  readonly paging: Paging
}

/** The way of a request: text, statements, plans, rows, commit. */
export class StatementRunner {
  readonly #parts: RunnerParts
  readonly #execution: StatementExecution
  readonly #definitions: DefinitionRunner
  readonly #transactions: OwnTransactions
  readonly #repetitions = new OneAtATime()
  readonly #costs: KnownCosts

  constructor(parts: RunnerParts) {
    this.#parts = parts
    this.#costs = new KnownCosts(parts.parser)
    this.#execution = new StatementExecution(parts)
    this.#transactions = new OwnTransactions(parts)
    this.#definitions = new DefinitionRunner(this.#transactions, parts)
  }

  /**
   * Runs a request, without waiting as far as nothing has to be waited for. Returns what it came to. Throws what is
   * wrong.
   */
  run(request: QueryRequest, running: RunningRequest, around: RunAround): Work<RunResult> {
    requireHistory(this.#parts.storage.history, request.history, request)
    running.timeoutMs = request.timeoutMs
    const { turns } = running
    if (!turns.mayBegin && !(this.#costs.isSmall(request.sql) && turns.maySmallBegin)) {
      const parsed = turns.begin().then(() => this.#parsed(request, running))
      return this.#runLater(parsed, request, running, around)
    }
    const parsed = this.#parsed(request, running)
    return parsed instanceof Promise
      ? this.#runLater(parsed, request, running, around)
      : this.#runParsed(parsed, request, running, around)
  }

  /** Whether the text is known to take less time than putting it off would. */
  isSmall(sql: string): boolean {
    return this.#costs.isSmall(sql)
  }

  *#runLater(
    parsed: Promise<ScriptStatement[]>,
    request: QueryRequest,
    running: RunningRequest,
    around: RunAround,
  ): Work<RunResult> {
    const statements = yield* awaited(parsed)
    return yield* this.#runParsed(statements, request, running, around)
  }

  #runParsed(
    statements: readonly ScriptStatement[],
    request: QueryRequest,
    running: RunningRequest,
    around: RunAround,
  ): Work<RunResult> {
    const { idempotent, observerRun } = around
    // What is left open or kept is refused before anything of it happens.
    const isArmedFirst = (idempotent ?? observerRun ?? request.transaction) !== undefined
    if (isArmedFirst) running.arm()
    if (request.transaction !== undefined) {
      const script = readInnerScript(statements)
      requireMeaningInside(request, script, around)
      const inside = { ...around, running }
      return awaited(this.#runInside(request.transaction, script, request, inside))
    }
    const script = readScript(statements, request.keepOpen)
    requireMeaning(request, script, around)
    switch (script.kind) {
      case 'open':
        running.arm()
        return awaited(this.#open(script, request, { ...around, running }))
      case 'definitions':
        return this.#definitions.run(script.statements, running)
      case 'transaction':
        return this.runTransaction(script, request, running, around)
    }
  }

  /** Throws or rejects with what is wrong with the text; a statement that it suggests is one that runs. */
  #parsed(
    request: QueryRequest,
    { turns, principal }: RunningRequest,
  ): MaybePromise<ScriptStatement[]> {
    const explain = async (error: unknown): Promise<never> => {
      throw await withRunnableSuggestion(error, this.#parts, principal)
    }
    try {
      const parsed = parseRequest(this.#parts.parser, request, turns)
      return parsed instanceof Promise ? parsed.catch(explain) : parsed
    } catch (error) {
      return explain(error)
    }
  }

  /** Opens a transaction over several requests, and runs in it what came with its BEGIN. */
  async #open(
    script: Script & { readonly kind: 'open' },
    request: QueryRequest,
    inside: RunInside,
  ): Promise<QueryOutcome | TransactionSession> {
    const { begin, statements } = script
    const { observerRun, running } = inside
    const { sessions } = this.#parts
    const { minTimestamp, history } = request
    const asked = { minTimestamp, history, ...beginOptions(begin, request), signal: running.signal }
    const session = await running.beginning(sessions.open(running, asked))
    if (observerRun !== undefined) await this.#runFor(session, observerRun, running)
    if (statements.length === 0) return session
    try {
      // Others may have waited for the same timestamps.
      await inside.running.turns.rejoin()
      const acknowledged = { ...inside, observerRun: undefined }
      const outcome = await this.#runInside(session.id, script, request, acknowledged)
      const { id: transaction, expiresAt } = session
      return { ...outcome, opened: { transaction, expiresAt } }
    } catch (error) {
      // Its client will not learn of it.
      if (sessions.isOpen(session.id)) await sessions.rollBack(session)
      throw error
    }
  }

  /** As `run`, of a script that is a transaction of its own. */
  *runTransaction(
    script: OwnScript,
    request: QueryRequest,
    running: RunningRequest,
    around: RunAround,
  ): Work<QueryOutcome | ReplayedAnswer> {
    const { idempotent } = around
    const { cursors } = this.#parts
    const paging = yield* awaited(Paging.of(request, script.statements, cursors, running.owner))
    const { minTimestamp, history } = request
    const snapshot = { minTimestamp, history, ...snapshotOf(script, paging, request) }
    const run = () =>
      this.#transactions.run(
        snapshot,
        running,
        (own) => this.#runOnce(own, { script, request, running, paging }, around),
        (outcome) => {
          if (outcome instanceof ReplayedAnswer) return null
          return script.end === 'commit' ? outcome.commitTimestamp : undefined
        },
      )
    if (idempotent === undefined) return yield* run()
    // Repetitions wait for the first of them, here; between gateways they conflict and run again.
    const { scopedKey: key } = idempotent
    return yield* awaited(this.#repetitions.run(key, running, async () => doWork(run())))
  }

  #runOnce(
    own: OwnTransaction,
    asked: AskedTransaction,
    around: RunAround,
  ): MaybePromise<QueryOutcome | ReplayedAnswer> {
    const { idempotent, observerRun } = around
    return idempotent === undefined && observerRun === undefined
      ? this.#runAndCommit(own, asked, around)
      : this.#runUnlessReplayed(own, asked, around)
  }

  async #runUnlessReplayed(
    own: OwnTransaction,
    asked: AskedTransaction,
    around: RunAround,
  ): Promise<QueryOutcome | ReplayedAnswer> {
    const { idempotent, observerRun } = around
    const { script, running } = asked
    const replayed = await idempotent?.replayed(own, running.principal)
    const { statements } = script
    if (replayed !== undefined) return this.#execution.permitted(replayed, statements, own.catalog)
    await observerRun?.acknowledge(own.transaction)
    const outcome = await this.#runAndCommit(own, asked, around)
    if (script.end === 'commit') observerRun?.committed()
    return outcome
  }

  #runAndCommit(
    own: OwnTransaction,
    asked: AskedTransaction,
    { idempotent, textForm, newRowWriter }: RunAround,
  ): MaybePromise<QueryOutcome> {
    const { transaction, catalog, attempts } = own
    const { script, request, running, paging } = asked
    const answer = new AnswerBudget(running)
    const run = { request, transaction, catalog, paging, answer, running, newRowWriter }
    return andThen(this.#execution.run(script.statements, run), (results) => {
      const made: QueryOutcome = {
        results: script.begin === undefined ? results : aroundRows(script, results),
        readTimestamp: transaction.startTs,
        commitTimestamp: null,
        attempts,
        ...paging.cursorAfter(transaction.startTs, results),
      }
      return andThen(withText(made, textForm, { answer, running }), (outcome) => {
        if (request.sql !== undefined) this.#costs.ran(script.statements[0], running.turns)
        if (script.end === 'commit') {
          const kept = idempotent && this.#keep(idempotent, own, outcome, asked)
          return andThen(kept, () => commitOutcome(outcome, transaction, running))
        }
        running.signal.throwIfAborted()
        return outcome
      })
    })
  }

  /** The answer of a transaction that wrote nothing is not kept: it may just as well run again. */
  async #keep(
    idempotent: IdempotentRequest,
    { transaction, catalog }: OwnTransaction,
    { results, readTimestamp, attempts, text }: QueryOutcome,
    { request, running }: AskedTransaction,
  ): Promise<void> {
    if (!transaction.hasWrites) return
    const { writer } = this.#parts
    const { integers = 'number' } = request
    const kept = idempotent.textToKeep(
      text ?? (await writer.results(results, integers, running.turns)),
    )
    const json = text === undefined ? kept : JSON.stringify(kept)
    const standing = standingOf(catalog, running.principal)
    const rowsAffected = results.map((result) => result.rowsAffected)
    idempotent.keep(transaction, { results: json, readTimestamp, attempts, standing, rowsAffected })
  }

  /** Inside a transaction over several requests. */
  async #runInside(
    id: string,
    script: Pick<InnerScript, 'begin' | 'statements' | 'end'>,
    request: QueryRequest,
    { running, textForm, observerRun, newRowWriter }: RunInside,
  ): Promise<QueryOutcome> {
    const { sessions, cursors, access } = this.#parts
    const paging = await Paging.of(request, script.statements, cursors, running.owner)
    if (script.statements.length === 0 && observerRun === undefined) {
      return this.#endOnly(id, script.end, running)
    }
    const { result, commitTs } = await sessions.run(
      id,
      running,
      async (session) => {
        const { transaction } = session
        paging.requireSnapshot(transaction.startTs)
        if (observerRun !== undefined) await session.runFor(observerRun)
        const known = await this.#transactions.catalogOf(transaction, running)
        session.catalog = access.viewOf(running.principal, known)
        const answer = new AnswerBudget(running)
        const { catalog } = session
        const run = { request, transaction, catalog, paging, answer, running, newRowWriter }
        try {
          const results = await this.#execution.run(script.statements, run)
          session.work.ran(script.statements, catalog)
          session.ran(script.statements, running.principal)
          running.signal.throwIfAborted()
          const readTimestamp = transaction.startTs
          const made: QueryOutcome = {
            results: aroundRows(script, results),
            readTimestamp,
            commitTimestamp: null,
            attempts: 1,
            ...paging.cursorAfter(readTimestamp, results),
          }
          return await withText(made, textForm, { answer, running })
        } catch (error) {
          throw explained(error, session.catalog)
        }
      },
      script.end,
    )
    return { ...result, commitTimestamp: commitTs }
  }

  /** A transaction that cannot be the run is none that anybody knows of. */
  async #runFor(
    session: TransactionSession,
    observerRun: ObserverRun,
    running: RunningRequest,
  ): Promise<void> {
    const { sessions } = this.#parts
    try {
      await sessions.run(session.id, running, () => session.runFor(observerRun))
    } catch (error) {
      if (sessions.isOpen(session.id)) await sessions.rollBack(session)
      throw error
    }
  }

  /** A request that is only COMMIT or ROLLBACK; like its own operation, it can be repeated. */
  async #endOnly(
    id: string,
    end: 'commit' | 'rollback' | undefined,
    { owner, principal }: RunningRequest,
  ): Promise<QueryOutcome> {
    const { sessions } = this.#parts
    const address = { id, owner }
    const commitTimestamp = end === 'commit' ? await sessions.commit(address, principal) : null
    if (end === 'rollback') await sessions.rollBack(address)
    const readTimestamp = Number.parseInt(id, 10)
    return { results: [EMPTY_RESULT], readTimestamp, commitTimestamp, attempts: 1 }
  }
}
