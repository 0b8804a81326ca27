// SPDX-License-Identifier: Apache-2.0
import type { Parser } from '../../parser/parser.ts'
import type { ExecutionContext, IntegerForm, StatementResult } from '../../planner/planner.ts'
import {
  awaited,
  doWork,
  type MaybePromise,
  type Transaction,
  type Work,
} from '../../storage/storage.ts'
import type { AnswerWriter } from '../answers/answer-text.ts'
import {
  AnswerBudget,
  EMPTY_RESULT,
  type QueryOutcome,
  type TextForm,
} from '../answers/query-answer.ts'
import { bodyInTurns } from '../answers/text-pieces.ts'
import type { Shares } from '../budgets/shares.ts'
import type { Turns } from '../budgets/turns.ts'
import { ServerError } from '../errors/server-error.ts'
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
import { DefinitionRunner } from './definition-runner.ts'
import { explained } from './explained-error.ts'
import { OneAtATime } from './one-at-a-time.ts'
import { commitWritten, type OwnTransaction, OwnTransactions } from './own-transactions.ts'
import { withRunnableSuggestion } from './runnable-suggestion.ts'
import { type ExecutionParts, StatementExecution } from './statement-execution.ts'

export type RunnerParts = ExecutionParts & {
  readonly parser: Parser
  readonly sessions: TransactionSessions
  readonly cursors: Cursors
  readonly writer: AnswerWriter
  readonly shares: Shares
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

  constructor(parts: RunnerParts) {
    this.#parts = parts
    this.#execution = new StatementExecution(parts)
    this.#transactions = new OwnTransactions(parts)
    this.#definitions = new DefinitionRunner(this.#transactions)
  }

  /**
   * Runs a request, without waiting as far as nothing has to be waited for. Returns what it came to. Throws what is
   * wrong.
   */
  *run(
    request: QueryRequest,
    running: RunningRequest,
    around: RunAround,
  ): Work<QueryOutcome | TransactionSession | ReplayedAnswer> {
    const { history } = this.#parts.storage
    requireHistory(history, request.history, request)
    const { turns } = running
    if (!turns.mayBegin && !(turns.isAlone && this.#isSmall(request))) yield turns.begin()
    const parsed = this.#parsed(request, turns)
    const statements = parsed instanceof Promise ? yield* awaited(parsed) : parsed
    const { idempotent, textForm, observerRun, newRowWriter } = around
    const inside = { running, textForm, observerRun, newRowWriter }
    // What is left open or kept is refused before anything of it happens.
    const isArmedFirst = (idempotent ?? observerRun ?? request.transaction) !== undefined
    if (isArmedFirst) running.arm()
    if (request.transaction !== undefined) {
      if (idempotent !== undefined) throw keyWithoutRows()
      if (request.asOf !== undefined) throw snapshotIsSettled()
      if (request.keepOpen === true) throw isOpenAlready()
      const script = readInnerScript(statements)
      requireMeaningInside(request, script)
      return yield* awaited(this.#runInside(request.transaction, script, request, inside))
    }
    const script = readScript(statements, request.keepOpen)
    requireMeaning(request, script)
    if (idempotent !== undefined && script.kind !== 'transaction') throw keyWithoutRows()
    switch (script.kind) {
      case 'open':
        running.arm()
        return yield* awaited(this.#open(script, request, inside))
      case 'definitions':
        if (observerRun !== undefined) throw definitionsOfObserver()
        if (request.asOf !== undefined) throw definitionsInThePast()
        return yield* this.#definitions.run(script.statements, running)
      case 'transaction':
        return yield* this.#runTransaction(script, request, running, around)
    }
  }

  /**
   * Whether it is one GET or SET that has been parsed before: to put it off would take longer than most of them do.
   */
  #isSmall({ sql }: QueryRequest): boolean {
    const [statement, another] = (sql && this.#parts.parser.knownScript(sql)) || []
    return another === undefined && (statement?.kind === 'get' || statement?.kind === 'set')
  }

  /** Throws or rejects with what is wrong with the text; a statement that it suggests is one that runs. */
  #parsed(request: QueryRequest, turns: Turns): MaybePromise<ScriptStatement[]> {
    const explain = async (error: unknown): Promise<never> => {
      throw await withRunnableSuggestion(error, this.#parts)
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
    const { observerRun } = inside
    const { sessions } = this.#parts
    const { minTimestamp, history } = request
    const { client } = inside.running
    const snapshot = beginOptions(begin, request)
    const session = await sessions.open({ minTimestamp, history, ...snapshot, client })
    if (observerRun !== undefined) await this.#runFor(session, observerRun, inside.running)
    if (statements.length === 0) return session
    try {
      const acknowledged = { ...inside, observerRun: undefined }
      const outcome = await this.#runInside(session.id, script, request, acknowledged)
      const { id: transaction, expiresAt } = session
      return { ...outcome, opened: { transaction, expiresAt } }
    } catch (error) {
      // Its client will not learn of it.
      if (sessions.isOpen(session.id)) await sessions.rollBack(session.id)
      throw error
    }
  }

  /** A request that is a transaction of its own. */
  #runTransaction(
    script: OwnScript,
    request: QueryRequest,
    running: RunningRequest,
    around: RunAround,
  ): Work<QueryOutcome | ReplayedAnswer> {
    const { idempotent } = around
    const paging = Paging.of(request, script.statements, this.#parts.cursors)
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
    if (idempotent === undefined) return run()
    // Repetitions wait for the first of them, here; between gateways they conflict and run again.
    const { key } = idempotent
    return awaited(this.#repetitions.run(key, running.signal, async () => doWork(run())))
  }

  *#runOnce(
    { transaction, catalog, attempts }: OwnTransaction,
    asked: AskedTransaction,
    { idempotent, textForm, observerRun, newRowWriter }: RunAround,
  ): Work<QueryOutcome | ReplayedAnswer> {
    const { script, request, running, paging } = asked
    const replayed = idempotent && (yield* awaited(idempotent.replayed(transaction)))
    if (replayed !== undefined) return replayed
    if (observerRun !== undefined) yield observerRun.acknowledge(transaction)
    const answer = new AnswerBudget(running)
    const run = { request, transaction, catalog, paging, answer, running, newRowWriter }
    const executed = this.#execution.run(script.statements, run)
    const results = executed instanceof Promise ? yield* awaited(executed) : executed
    const made: QueryOutcome = {
      results: script.begin === undefined ? results : aroundRows(script, results),
      readTimestamp: transaction.startTs,
      commitTimestamp: null,
      attempts,
      ...paging.cursorAfter(transaction.startTs, results),
    }
    const outcome =
      textForm === undefined ? made : yield* this.#withText(made, textForm, { answer, running })
    if (script.end === 'rollback') {
      running.signal.throwIfAborted()
      return outcome
    }
    if (idempotent !== undefined) {
      yield this.#keep(idempotent, transaction, outcome, running, request.integers)
    }
    const committed = commitWritten(transaction, running)
    const commitTimestamp = committed instanceof Promise ? yield* awaited(committed) : committed
    observerRun?.committed()
    return commitTimestamp === null ? outcome : { ...outcome, commitTimestamp }
  }

  /** The answer of a transaction that wrote nothing is not kept: it may just as well run again. */
  async #keep(
    idempotent: IdempotentRequest,
    transaction: Transaction,
    { results, readTimestamp, attempts, text }: QueryOutcome,
    running: RunningRequest,
    integers: IntegerForm = 'number',
  ): Promise<void> {
    if (!transaction.hasWrites) return
    const { writer } = this.#parts
    const kept = idempotent.textToKeep(
      text ?? (await writer.results(results, integers, running.turns)),
    )
    const json = text === undefined ? kept : JSON.stringify(kept)
    idempotent.keep(transaction, { results: json, readTimestamp, attempts })
  }

  /** The outcome as a text: made before the commit, so that what is refused has changed nothing. */
  *#withText(
    outcome: QueryOutcome,
    textForm: TextForm,
    { answer, running }: { readonly answer: AnswerBudget; readonly running: RunningRequest },
  ): Work<QueryOutcome> {
    const text = yield* awaited(bodyInTurns(textForm(outcome, answer), running.turns))
    return { ...outcome, text }
  }

  /** Inside a transaction over several requests. */
  async #runInside(
    id: string,
    script: Pick<InnerScript, 'begin' | 'statements' | 'end'>,
    request: QueryRequest,
    { running, textForm, observerRun, newRowWriter }: RunInside,
  ): Promise<QueryOutcome> {
    const { sessions, cursors, storage } = this.#parts
    const paging = Paging.of(request, script.statements, cursors)
    if (script.statements.length === 0 && observerRun === undefined) {
      return this.#endOnly(id, script.end)
    }
    const { result, commitTs } = await sessions.run(
      id,
      running,
      async (session) => {
        const { transaction } = session
        paging.requireSnapshot(transaction.startTs)
        if (observerRun !== undefined) await session.runFor(observerRun)
        session.catalog = await storage.catalog(transaction)
        const answer = new AnswerBudget(running)
        const { catalog } = session
        const run = { request, transaction, catalog, paging, answer, running, newRowWriter }
        try {
          const results = await this.#execution.run(script.statements, run)
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
          return await doWork(this.#withText(made, textForm, { answer, running }))
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
      if (sessions.isOpen(session.id)) await sessions.rollBack(session.id)
      throw error
    }
  }

  /** A request that is only COMMIT or ROLLBACK; like its own operation, it can be repeated. */
  async #endOnly(id: string, end: 'commit' | 'rollback' | undefined): Promise<QueryOutcome> {
    const { sessions } = this.#parts
    const commitTimestamp = end === 'commit' ? await sessions.commit(id) : null
    if (end === 'rollback') await sessions.rollBack(id)
    const readTimestamp = Number.parseInt(id, 10)
    return { results: [EMPTY_RESULT], readTimestamp, commitTimestamp, attempts: 1 }
  }
}

/** `results[i]` answers statement i, so a BEGIN and its end have a result too. */
function aroundRows(
  { begin, end }: Pick<InnerScript, 'begin' | 'end'>,
  results: readonly StatementResult[],
): readonly StatementResult[] {
  const ofBegin = begin === undefined ? [] : [EMPTY_RESULT]
  return [...ofBegin, ...results, ...(end === undefined ? [] : [EMPTY_RESULT])]
}

function isOpenAlready(): ServerError {
  return new ServerError('invalid_request', '"keepOpen" is for BEGIN, not for an open transaction.')
}

function snapshotIsSettled(): ServerError {
  return new ServerError(
    'invalid_request',
    'An open transaction has its snapshot: asOf is not for it.',
    {
      hint: 'open it with asOf, or write AS OF in a GET or SCAN',
    },
  )
}

function definitionsInThePast(): ServerError {
  return new ServerError('read_only_transaction', 'With asOf nothing can be created or dropped.')
}

function definitionsOfObserver(): ServerError {
  const detail = 'CREATE, ALTER and DROP cannot acknowledge a notification.'
  return new ServerError('invalid_request', detail)
}

function keyWithoutRows(): ServerError {
  return new ServerError(
    'invalid_request',
    'Idempotency-Key is for a request that is a transaction of its own: not for BEGIN, whose COMMIT can be repeated by its id, and not for CREATE and DROP, which have IF NOT EXISTS and IF EXISTS.',
  )
}
