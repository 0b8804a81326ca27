// SPDX-License-Identifier: Apache-2.0
import type { ExecutionContext, StatementResult } from '../../../planner/planner.ts'
import { andThen, type MaybePromise } from '../../../storage/storage.ts'
import { standingOf } from '../../guard/access/standing.ts'
import { requireHistory } from '../../guard/history/request-history.ts'
import {
  AnswerBudget,
  EMPTY_RESULT,
  type QueryOutcome,
  type TextForm,
} from '../answers/query-answer.ts'
import { type IdempotentRequest, ReplayedAnswer } from '../prepared/idempotency.ts'
import { requireMeaning, requireMeaningInside } from '../prepared/meaningless-options.ts'
import type { PreparedScript } from '../prepared/prepared-script.ts'
import {
  knownRequest,
  preparedRequest,
  preparedText,
  type QueryRequest,
} from '../prepared/query-request.ts'
import { beginOptions, snapshotOf, whenVisible } from '../prepared/request-snapshot.ts'
import type { RunningRequest } from '../prepared/running-request.ts'
import { Paging } from '../prepared/scan-paging.ts'
import type { InnerScript, Script } from '../prepared/script.ts'
import type { Attempt, Attempts } from '../transactions/attempt.ts'
import { explained } from '../transactions/explained-error.ts'
import type { ObserverRun } from '../transactions/observer-run.ts'
import { outcomeUnknown, type TransactionSession } from '../transactions/transaction-session.ts'
import { DefinitionRunner } from './definition-runner.ts'
import { aroundRows, commitOutcome, withText } from './made-outcome.ts'
import { OneAtATime } from './one-at-a-time.ts'
import { withRunnableSuggestion } from './runnable-suggestion.ts'
import type { StatementDependencies, StatementExecution } from './statement-execution.ts'

/** What belongs to a request that is a transaction, in addition to its statements. */
export type RunOptions = {
  readonly idempotent?: IdempotentRequest | undefined
  /** For an answer that is text: it is made before the commit. Without it, the results are JSON. */
  readonly textForm?: TextForm | undefined
  readonly observerRun?: ObserverRun | undefined
  /** For an answer whose rows are needed only as its JSON. */
  readonly newRowWriter?: ExecutionContext['newRowWriter'] | undefined
}

type RunInside = Pick<RunOptions, 'textForm' | 'observerRun' | 'newRowWriter'> & {
  readonly running: RunningRequest
}

export type RunResult = QueryOutcome | TransactionSession | ReplayedAnswer

type OwnScript = Script & { readonly kind: 'transaction' }

type OwnTransaction = {
  readonly prepared: PreparedScript
  readonly script: OwnScript
  readonly request: QueryRequest
  readonly running: RunningRequest
  readonly paging: Paging
  readonly options: RunOptions
}

/** The way of a request: text, statements, plans, rows, commit. */
export class StatementRunner {
  readonly #deps: StatementDependencies
  readonly #execution: StatementExecution
  readonly #definitions: DefinitionRunner
  readonly #attempts: Attempts
  readonly #repetitions = new OneAtATime()

  constructor(deps: StatementDependencies) {
    this.#deps = deps
    this.#execution = deps.execution
    this.#attempts = deps.attempts
    this.#definitions = new DefinitionRunner(deps)
  }

  /**
   * Runs a request, without waiting as far as nothing has to be waited for. Returns what it came to. Throws what is
   * wrong.
   */
  run(
    request: QueryRequest,
    running: RunningRequest,
    options: RunOptions,
  ): MaybePromise<RunResult> {
    const { history, sql } = request
    const { parser } = this.#deps
    if (history !== undefined) requireHistory(this.#deps.storage.history, history, request)
    running.timeoutMs = request.timeoutMs
    const { turns } = running
    const isDue = turns.mayBegin || (turns.maySmallBegin && knownRequest(parser, request)?.isSmall)
    if (!isDue) {
      return turns
        .begin()
        .then(() => this.#prepared(request, running))
        .then((prepared) => this.#runPrepared(prepared, request, running, options))
    }
    const known = sql === undefined ? undefined : parser.knownScript(sql)
    const prepared =
      known === undefined || request.sql === undefined
        ? this.#prepared(request, running)
        : preparedText(request, known)
    return prepared instanceof Promise
      ? prepared.then((read) => this.#runPrepared(read, request, running, options))
      : this.#runPrepared(prepared, request, running, options)
  }

  #runPrepared(
    prepared: PreparedScript,
    request: QueryRequest,
    running: RunningRequest,
    options: RunOptions,
  ): MaybePromise<RunResult> {
    const { idempotent, observerRun } = options
    // What is left open or kept is refused before anything of it happens.
    const isArmedFirst = (idempotent ?? observerRun ?? request.transaction) !== undefined
    if (isArmedFirst) running.arm()
    if (request.transaction !== undefined) {
      const script = prepared.inner(request)
      requireMeaningInside(request, script, options)
      const inside = { ...options, running }
      return this.#runInside(request.transaction, script, request, inside)
    }
    const script = prepared.script(request, request.keepOpen)
    const isPaged = (request.cursor ?? request.pageSize) !== undefined
    if (script.kind !== 'transaction' || isPaged) requireMeaning(request, script, options)
    switch (script.kind) {
      case 'open':
        running.arm()
        return this.#open(script, request, { ...options, running })
      case 'definitions':
        return this.#definitions.run(script.statements, running)
      case 'transaction':
        return this.#runTransaction({ prepared, script, request, running, options })
    }
  }

  /** Throws or rejects with what is wrong with the text; a statement that it suggests is one that runs. */
  #prepared(
    request: QueryRequest,
    { turns, principal }: RunningRequest,
  ): MaybePromise<PreparedScript> {
    const explain = async (error: unknown): Promise<never> => {
      throw await withRunnableSuggestion(error, this.#deps, principal)
    }
    try {
      const prepared = preparedRequest(this.#deps.parser, request, turns)
      return prepared instanceof Promise ? prepared.catch(explain) : prepared
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
    const { sessions } = this.#deps
    const { minTimestamp, history } = request
    const requested = {
      minTimestamp,
      history,
      ...beginOptions(begin, request),
      signal: running.signal,
    }
    await whenVisible(this.#deps.storage, requested, running)
    const session = await running.beginning(sessions.open(running, requested))
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

  #runTransaction(
    requested: Omit<OwnTransaction, 'paging'>,
  ): MaybePromise<QueryOutcome | ReplayedAnswer> {
    const { script, request, running } = requested
    const paging = script.isOneScan
      ? Paging.of(request, this.#deps.cursors, running.owner)
      : Paging.whole
    return paging instanceof Promise
      ? paging.then((known) => this.#runPaged({ ...requested, paging: known }))
      : this.#runPaged({ ...requested, paging })
  }

  #runPaged(requested: OwnTransaction): MaybePromise<QueryOutcome | ReplayedAnswer> {
    const { script, request, running, paging, options } = requested
    const { idempotent, observerRun } = options
    const { minTimestamp, history } = request
    const isPlain = idempotent === undefined && observerRun === undefined
    const run = () =>
      this.#attempts.run({
        snapshot: { minTimestamp, history, ...snapshotOf(script, paging, request) },
        running,
        work: (attempt): MaybePromise<QueryOutcome | ReplayedAnswer> =>
          isPlain
            ? this.#runAndCommit(attempt, requested)
            : this.#runUnlessReplayed(attempt, requested),
        commitTsOf: (outcome) => {
          if (outcome instanceof ReplayedAnswer) return null
          return script.end === 'commit' ? outcome.commitTimestamp : undefined
        },
      })
    if (idempotent === undefined) return run()
    // Repetitions wait for the first of them, here; between gateways they conflict and run again.
    return this.#repetitions.run(idempotent.scopedKey, running, async () => run())
  }

  async #runUnlessReplayed(
    attempt: Attempt,
    request: OwnTransaction,
  ): Promise<QueryOutcome | ReplayedAnswer> {
    const { script, running, options } = request
    const { idempotent, observerRun } = options
    const replayed = await idempotent?.replayed(attempt, running.principal)
    const { statements } = script
    if (replayed !== undefined)
      return this.#execution.permitted(replayed, statements, attempt.catalog)
    await observerRun?.acknowledge(attempt.transaction)
    const outcome = await this.#runAndCommit(attempt, request)
    if (script.end === 'commit') observerRun?.committed()
    return outcome
  }

  #runAndCommit(attempt: Attempt, requested: OwnTransaction): MaybePromise<QueryOutcome> {
    const { transaction, catalog } = attempt
    const { script, request, running, paging, options } = requested
    const answer = new AnswerBudget(running)
    const { newRowWriter } = options
    const run = { request, transaction, catalog, paging, answer, running, newRowWriter }
    const results = this.#execution.run(script.statements, run)
    return results instanceof Promise
      ? results.then((made) => this.#commit(made, attempt, requested, answer))
      : this.#commit(results, attempt, requested, answer)
  }

  #commit(
    results: readonly StatementResult[],
    attempt: Attempt,
    request: OwnTransaction,
    answer: AnswerBudget,
  ): MaybePromise<QueryOutcome> {
    const { transaction, attempts } = attempt
    const { script, running, paging } = request
    const made: QueryOutcome = {
      results: script.begin === undefined ? results : aroundRows(script, results),
      readTimestamp: transaction.startTs,
      commitTimestamp: null,
      attempts,
      ...paging.cursorAfter(transaction.startTs, results),
    }
    const { textForm } = request.options
    if (textForm === undefined) return this.#end(made, attempt, request)
    return andThen(withText(made, textForm, { answer, running }), (outcome) =>
      this.#end(outcome, attempt, request),
    )
  }

  #end(
    outcome: QueryOutcome,
    attempt: Attempt,
    request: OwnTransaction,
  ): MaybePromise<QueryOutcome> {
    const { prepared, script, running, options } = request
    const { idempotent } = options
    prepared.ran(running.turns)
    if (script.end !== 'commit') {
      running.signal.throwIfAborted()
      return outcome
    }
    if (idempotent === undefined) return commitOutcome(outcome, attempt.transaction, running)
    return this.#keep(idempotent, attempt, outcome, request).then(() =>
      commitOutcome(outcome, attempt.transaction, running),
    )
  }

  /** The answer of a transaction that wrote nothing is not kept: it may just as well run again. */
  async #keep(
    idempotent: IdempotentRequest,
    { transaction, catalog }: Attempt,
    { results, readTimestamp, attempts, text }: QueryOutcome,
    { request, running }: OwnTransaction,
  ): Promise<void> {
    if (!transaction.hasWrites) return
    const { writer } = this.#deps
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
    script: Omit<InnerScript, 'length'>,
    request: QueryRequest,
    { running, textForm, observerRun, newRowWriter }: RunInside,
  ): Promise<QueryOutcome> {
    const { sessions, cursors, access } = this.#deps
    const paging = script.isOneScan
      ? await Paging.of(request, cursors, running.owner)
      : Paging.whole
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
        const known = await this.#attempts.catalogOf(transaction, running)
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
          if (textForm === undefined) return made
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
    const { sessions } = this.#deps
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
    running: RunningRequest,
  ): Promise<QueryOutcome> {
    const { sessions } = this.#deps
    const { owner, principal } = running
    const address = { id, owner }
    const inTime = <T>(ending: Promise<T>) => running.untilCopied(ending, () => outcomeUnknown(id))
    const commitTimestamp =
      end === 'commit' ? await inTime(sessions.commit(address, principal)) : null
    if (end === 'rollback') await inTime(sessions.rollBack(address))
    const readTimestamp = Number.parseInt(id, 10)
    return { results: [EMPTY_RESULT], readTimestamp, commitTimestamp, attempts: 1 }
  }
}
