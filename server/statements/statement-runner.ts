// SPDX-License-Identifier: Apache-2.0
import type { Parser } from '../../parser/parser.ts'
import type { ExecutionContext, IntegerForm, StatementResult } from '../../planner/planner.ts'
import { type Answer, andThen, type Catalog, type Transaction } from '../../storage/storage.ts'
import type { AnswerWriter } from '../answers/answer-text.ts'
import {
  AnswerBudget,
  EMPTY_RESULT,
  type QueryOutcome,
  type TextForm,
} from '../answers/query-answer.ts'
import { bodyInTurns } from '../answers/text-pieces.ts'
import type { ClientKey } from '../budgets/client-key.ts'
import type { Shares } from '../budgets/shares.ts'
import { Turns } from '../budgets/turns.ts'
import { ServerError } from '../errors/server-error.ts'
import { namedHistory, requireHistory } from '../history/request-history.ts'
import type { Cursors } from '../requests/cursor.ts'
import { type IdempotentRequest, ReplayedAnswer } from '../requests/idempotency.ts'
import { requireMeaning, requireMeaningInside } from '../requests/meaningless-options.ts'
import { parseRequest, type QueryRequest } from '../requests/query-request.ts'
import { beginOptions, requireMinTimestamp, snapshotOf } from '../requests/request-snapshot.ts'
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
import { retryableCause, withRetries } from '../transactions/retry.ts'
import type { TransactionSession } from '../transactions/transaction-session.ts'
import type { TransactionSessions } from '../transactions/transaction-sessions.ts'
import { DefinitionRunner } from './definition-runner.ts'
import { explained } from './explained-error.ts'
import { OneAtATime } from './one-at-a-time.ts'
import { runNow } from './run-now.ts'
import { withRunnableSuggestion } from './runnable-suggestion.ts'
import { type ExecutionParts, StatementExecution } from './statement-execution.ts'
import { withCreation } from './table-creation.ts'

export type RunnerParts = ExecutionParts & {
  readonly parser: Parser
  readonly sessions: TransactionSessions
  readonly cursors: Cursors
  readonly writer: AnswerWriter
  readonly shares: Shares
}

/** What else belongs to a request that is a transaction, beside its statements. */
export type RunAround = {
  readonly idempotent?: IdempotentRequest | undefined
  /** For an answer that is text: it is made before the commit. Without it, the results are JSON. */
  readonly textForm?: TextForm | undefined
  readonly observerRun?: ObserverRun | undefined
  /** For an answer whose rows nobody needs but as its JSON. */
  readonly newRowWriter?: ExecutionContext['newRowWriter'] | undefined
}

type RunInside = Pick<RunAround, 'textForm' | 'observerRun' | 'newRowWriter'> & {
  readonly running: RunningRequest
}

/** The way of a request: text, statements, plans, rows, commit. */
export class StatementRunner {
  readonly #parts: RunnerParts
  readonly #execution: StatementExecution
  readonly #definitions: DefinitionRunner
  readonly #repetitions = new OneAtATime()

  constructor(parts: RunnerParts) {
    this.#parts = parts
    this.#execution = new StatementExecution(parts)
    this.#definitions = new DefinitionRunner(parts)
  }

  /** Runs a simple request in the turn in which it arrives; undefined where that cannot be, see `runNow`. */
  runNow(request: QueryRequest, client: ClientKey): Answer<QueryOutcome | undefined> {
    const { turnQueue } = this.#parts
    // Whoever waits for a turn is before it. One statement alone takes less than putting it off would.
    const mayRun = request.statements === undefined ? turnQueue.isEmpty : turnQueue.isFree
    return mayRun ? runNow(this.#parts, request, client) : undefined
  }

  /** Runs a request; `running` is aborted when its client goes away. Throws or rejects. */
  run(
    request: QueryRequest,
    running: RunningRequest,
    around: RunAround = {},
  ): Answer<QueryOutcome | TransactionSession | ReplayedAnswer> {
    const { turnQueue, clock, storage } = this.#parts
    requireHistory(storage.history, request.history, request)
    const turns = new Turns(turnQueue, clock, running)
    const ordinary = () =>
      andThen(this.#parsed(request, turns), (statements) =>
        this.#runParsed(statements, request, running, around),
      )
    if (turns.mayBegin) return ordinary()
    const { idempotent, textForm, observerRun } = around
    const isJsonAlone = (idempotent ?? textForm ?? observerRun) === undefined
    return turns.begin().then(async () => {
      const outcome = isJsonAlone ? await runNow(this.#parts, request, running.client) : undefined
      return outcome ?? (await ordinary())
    })
  }

  /** Rejects with what is wrong with the text; a statement that it suggests is one that runs. */
  #parsed(request: QueryRequest, turns: Turns): Answer<ScriptStatement[]> {
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

  #runParsed(
    statements: readonly ScriptStatement[],
    request: QueryRequest,
    running: RunningRequest,
    around: RunAround,
  ): Promise<QueryOutcome | TransactionSession | ReplayedAnswer> {
    const { idempotent, textForm, observerRun, newRowWriter } = around
    const inside = { running, textForm, observerRun, newRowWriter }
    if (request.transaction !== undefined) {
      if (idempotent !== undefined) throw keyWithoutRows()
      if (request.asOf !== undefined) throw snapshotIsSettled()
      if (request.keepOpen === true) throw isOpenAlready()
      const script = readInnerScript(statements)
      requireMeaningInside(request, script)
      return this.#runInside(request.transaction, script, request, inside)
    }
    const script = readScript(statements, request.keepOpen)
    requireMeaning(request, script)
    if (idempotent !== undefined && script.kind !== 'transaction') throw keyWithoutRows()
    switch (script.kind) {
      case 'open':
        return this.#open(script, request, inside)
      case 'definitions':
        if (observerRun !== undefined) throw definitionsOfObserver()
        if (request.asOf !== undefined) throw definitionsInThePast()
        return this.#definitions.run(script.statements, running)
      case 'transaction':
        return this.#inTurn(idempotent, running, () =>
          this.#runTransaction(script, request, running, around),
        )
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
    const { minTimestamp } = request
    const session = await sessions.open({
      ...beginOptions(begin, request),
      ...namedHistory(request.history),
      ...(minTimestamp === undefined ? {} : { minTimestamp }),
      client: inside.running.client,
    })
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

  /** Repetitions wait for the first of them, here; between gateways they conflict and run again. */
  #inTurn<T>(
    idempotent: IdempotentRequest | undefined,
    { signal }: RunningRequest,
    work: () => Promise<T>,
  ): Promise<T> {
    return idempotent === undefined ? work() : this.#repetitions.run(idempotent.key, signal, work)
  }

  /** The data flow of a request that is a transaction of its own. */
  #runTransaction(
    script: Script & { readonly kind: 'transaction' },
    request: QueryRequest,
    running: RunningRequest,
    { idempotent, textForm, observerRun, newRowWriter }: RunAround,
  ): Promise<QueryOutcome | ReplayedAnswer> {
    const { storage, cursors } = this.#parts
    const { signal, client } = running
    const budget = this.#parts.shares.writtenBy(client)
    const paging = Paging.of(request, script.statements, cursors)
    const snapshot = snapshotOf(script, paging, request)
    const mayRetry = (error: unknown) => snapshot.asOf === undefined && retryableCause(error)
    const { clock, randomness, ended, turnQueue } = this.#parts
    const attempt = async (attempts: number): Promise<QueryOutcome | ReplayedAnswer> => {
      const begun = storage.begin({ ...snapshot, budget })
      const transaction = begun instanceof Promise ? await begun : begun
      let catalog: Catalog | undefined
      try {
        if (begun instanceof Promise) await new Turns(turnQueue, clock, running).rejoin()
        requireMinTimestamp(storage, request, snapshot, transaction.startTs)
        const replayed = idempotent && (await idempotent.replayed(transaction))
        if (replayed !== undefined) return replayed
        if (observerRun !== undefined) await observerRun.acknowledge(transaction)
        const known = storage.catalog(transaction)
        catalog = known instanceof Promise ? await known : known
        const answer = new AnswerBudget(running.unsent)
        const run = { request, transaction, catalog, paging, answer, running, newRowWriter }
        const answered = this.#execution.run(script.statements, run)
        const results = answered instanceof Promise ? await answered : answered
        const made: QueryOutcome = {
          results: script.begin === undefined ? results : aroundRows(script, results),
          readTimestamp: transaction.startTs,
          commitTimestamp: null,
          attempts,
          ...paging.cursorAfter(transaction.startTs, results),
        }
        const outcome = await this.#withText(made, textForm, { answer, running })
        if (idempotent !== undefined && script.end === 'commit') {
          await this.#keep(idempotent, transaction, outcome, running, request.integers)
        }
        // Up to here a client that went away has changed nothing; a commit is always finished.
        signal.throwIfAborted()
        if (script.end !== 'commit') return outcome
        running.commits()
        const { commitTs } = await transaction.commit()
        observerRun?.committed()
        return { ...outcome, commitTimestamp: commitTs }
      } catch (error) {
        throw await withCreation(explained(error, catalog), storage, snapshot.asOf)
      } finally {
        // Of no effect on a transaction that has committed.
        transaction.rollback()
      }
    }
    return ended.counted(
      () => withRetries({ clock, randomness, signal, mayRetry }, attempt),
      (outcome) => {
        if (outcome instanceof ReplayedAnswer) return null
        return script.end === 'commit' ? outcome.commitTimestamp : undefined
      },
    )
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
    const { writer, turnQueue, clock } = this.#parts
    const turns = new Turns(turnQueue, clock, running)
    const kept = idempotent.textToKeep(text ?? (await writer.results(results, integers, turns)))
    const json = text === undefined ? kept : JSON.stringify(kept)
    idempotent.keep(transaction, { results: json, readTimestamp, attempts })
  }

  /**
   * The outcome with its text, where the answer is one: made before the commit, so that what is refused
   * has changed nothing.
   */
  async #withText(
    outcome: QueryOutcome,
    textForm: TextForm | undefined,
    { answer, running }: { readonly answer: AnswerBudget; readonly running: RunningRequest },
  ): Promise<QueryOutcome> {
    if (textForm === undefined) return outcome
    const { turnQueue, clock } = this.#parts
    const turns = new Turns(turnQueue, clock, running)
    return { ...outcome, text: await bodyInTurns(textForm(outcome, answer), turns) }
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
        const answer = new AnswerBudget(running.unsent)
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
          return await this.#withText(made, textForm, { answer, running })
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
