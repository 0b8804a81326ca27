// SPDX-License-Identifier: Apache-2.0
import type { ServerResponse } from 'node:http'
import {
  andThen,
  awaited,
  doWork,
  type MaybePromise,
  type Timestamp,
  type Work,
} from '../../../../storage/storage.ts'
import type { Caller } from '../../../guard/access/principal.ts'
import type { AnswerBody } from '../../../requests/answers/answer-body.ts'
import { type AnswerFormat, FORMAT_TYPES } from '../../../requests/answers/answer-format.ts'
import type { AnswerWriter } from '../../../requests/answers/answer-text.ts'
import {
  AnswerBudget,
  EMPTY_RESULT,
  type QueryOutcome,
  type TextForm,
} from '../../../requests/answers/query-answer.ts'
import { tableText } from '../../../requests/answers/table-text.ts'
import { bodyInTurns, joinedInTurns } from '../../../requests/answers/text-pieces.ts'
import { IdempotentRequest, ReplayedAnswer } from '../../../requests/prepared/idempotency.ts'
import type { QueryRequest } from '../../../requests/prepared/query-request.ts'
import type { RequestAbout, RunningRequest } from '../../../requests/prepared/running-request.ts'
import type { RunningRequests } from '../../../requests/prepared/running-requests.ts'
import type { StatementRunner } from '../../../requests/statements/statement-runner.ts'
import { TransactionSession } from '../../../requests/transactions/transaction-session.ts'
import type { UnreadBegins } from '../../../requests/transactions/unread-begins.ts'
import type { ReadyAnswer } from './outbox.ts'
import { csvOfOutcome } from './terminal-answers.ts'
import {
  COMMIT_TIMESTAMP_HEADER,
  locationOf,
  openedTransaction,
  READ_TIMESTAMP_HEADER,
} from './transaction-answers.ts'

export type QueryAnswersDependencies = {
  readonly runner: StatementRunner
  readonly writer: AnswerWriter
  readonly requests: RunningRequests
  readonly begins: UnreadBegins
}

export type AnswerOptions = {
  /** Who sent it, where that is known. */
  readonly caller?: Caller
  /** `json` when nothing is said. */
  readonly format?: AnswerFormat
  /** Whether a long body comes in one part, for those who do not send its parts as they are. */
  readonly isJoined?: boolean
  readonly idempotency?: {
    /** The header field. */
    readonly key: unknown
    /** As that of `IdempotentRequest.of`. */
    readonly about: () => Iterable<string>
  }
}

type RunningQuery = {
  readonly query: QueryRequest
  readonly running: RunningRequest
  readonly response: ServerResponse
}

/** The forms that are text, in pieces. */
const TEXTS: Partial<Record<AnswerFormat, TextForm>> = {
  csv: csvOfOutcome,
  table: tableText,
}

/** Makes the whole answer to a request that holds statements. */
export class QueryAnswers {
  readonly #deps: QueryAnswersDependencies

  constructor(deps: QueryAnswersDependencies) {
    this.#deps = deps
  }

  /**
   * Returns the answer, in this turn where nothing has to be waited for. Throws or rejects with whatever a request can
   * fail by; `response` tells when its client goes away.
   */
  of(
    query: QueryRequest,
    response: ServerResponse,
    options: AnswerOptions = {},
  ): MaybePromise<ReadyAnswer> {
    const { requests } = this.#deps
    const { caller } = options
    const about = new AboutQuery(query)
    const running =
      caller === undefined
        ? requests.arrived(response, about)
        : requests.arrivedBy(caller, response, about)
    return doWork(this.#of({ query, running, response }, options), running.armWaiting)
  }

  *#of(request: RunningQuery, options: AnswerOptions): Work<ReadyAnswer> {
    const { query, running, response } = request
    const { format = 'json', idempotency } = options
    try {
      const idempotent =
        idempotency?.key === undefined
          ? undefined
          : yield* awaited(IdempotentRequest.of(idempotency.key, idempotency.about, running))
      const textForm = TEXTS[format]
      const { runner, writer, begins } = this.#deps
      const newRowWriter =
        textForm === undefined ? writer.rowWriters[query.integers ?? 'number'] : undefined
      const outcome = yield* awaited(
        runner.run(query, running, { idempotent, textForm, newRowWriter }),
      )
      let answer: MaybePromise<ReadyAnswer>
      if (outcome instanceof ReplayedAnswer) {
        answer = this.#replayed(outcome, request, options)
      } else if (outcome instanceof TransactionSession) {
        yield* awaited(begins.watch(outcome.id, response))
        answer = opened(outcome)
      } else {
        if (outcome.opened !== undefined) {
          // Its client has to learn the id, however many wait.
          running.commits()
          yield* awaited(begins.watch(outcome.opened.transaction, response))
        }
        answer = this.#whole(outcome, request, options)
      }
      return answer instanceof Promise ? yield* awaited(answer) : answer
    } finally {
      running.end()
    }
  }

  #replayed(
    before: ReplayedAnswer,
    request: RunningQuery,
    options: AnswerOptions,
  ): MaybePromise<ReadyAnswer> {
    if (before.isWhole) return replayed(before, options.format ?? 'json')
    return andThen(this.#whole(countsOf(before), request, options), asReplayed)
  }

  #whole(
    outcome: QueryOutcome,
    { query, running: { turns } }: RunningQuery,
    { format = 'json', isJoined = false }: AnswerOptions,
  ): MaybePromise<ReadyAnswer> {
    const textForm = TEXTS[format]
    const made =
      textForm === undefined
        ? this.#deps.writer.answer(outcome, query.integers ?? 'number', turns)
        : // Only a request without rows, such as a CREATE, comes without its text.
          (outcome.text ?? bodyInTurns(textForm(outcome, new AnswerBudget()), turns))
    const body = isJoined ? andThen(made, (parts) => joinedInTurns(parts, turns)) : made
    return body instanceof Promise
      ? body.then((text) => answered(outcome, text, format))
      : answered(outcome, body, format)
  }
}

/** A request that holds statements, for those who list what is running. */
export class AboutQuery implements RequestAbout {
  readonly #query: QueryRequest

  constructor(query: QueryRequest) {
    this.#query = query
  }

  get operation(): string {
    return this.#query.transaction === undefined ? 'query' : 'queryInTransaction'
  }

  statements(): readonly string[] {
    const { sql, statements = [] } = this.#query
    return sql === undefined ? statements.map((entry) => entry.sql) : [sql]
  }
}

/** What a request that ended with a transaction is answered. */
function answered(
  { readTimestamp, commitTimestamp }: QueryOutcome,
  body: AnswerBody,
  format: AnswerFormat,
): ReadyAnswer {
  return { status: 200, headers: headersOf(format, readTimestamp, commitTimestamp), body }
}

function opened(session: TransactionSession): ReadyAnswer {
  const headers = headersOf('json', session.transaction.startTs, null)
  headers.push('Location', locationOf(session))
  return { status: 201, headers, body: jsonLine(openedTransaction(session)) }
}

function asReplayed(answer: ReadyAnswer): ReadyAnswer {
  return { ...answer, headers: [...answer.headers, 'Idempotent-Replayed', 'true'] }
}

/** What is told of an answer to one who might not see its rows now. */
function countsOf(before: ReplayedAnswer): QueryOutcome {
  const { readTimestamp, commitTs: commitTimestamp, attempts, rowsAffected } = before
  const results = rowsAffected.map((count) => ({ ...EMPTY_RESULT, rowsAffected: count }))
  return { results, readTimestamp, commitTimestamp, attempts }
}

/** In the form in which it was given: the key of one form is not that of another. */
function replayed(before: ReplayedAnswer, format: AnswerFormat): ReadyAnswer {
  const headers = headersOf(format, before.readTimestamp, before.commitTs)
  headers.push('Idempotent-Replayed', 'true')
  const text = TEXTS[format] === undefined ? `${before.body}\n` : JSON.parse(before.results)
  return { status: 200, headers, body: text }
}

function headersOf(
  format: AnswerFormat,
  readTimestamp: Timestamp,
  commitTimestamp: Timestamp | null,
): string[] {
  const type = FORMAT_TYPES[format]
  const read = String(readTimestamp)
  const headers = ['Content-Type', type, READ_TIMESTAMP_HEADER, read]
  return commitTimestamp === null
    ? headers
    : [...headers, COMMIT_TIMESTAMP_HEADER, String(commitTimestamp)]
}

function jsonLine(value: unknown): string {
  return `${JSON.stringify(value)}\n`
}
