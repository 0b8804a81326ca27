// SPDX-License-Identifier: Apache-2.0
import type { Problem, ServerErrorCode } from './wire.ts'

/** What the client itself may report; every other code comes from the server (`docs/errors.md`). */
const CLIENT_ERRORS = {
  /** The answer is none of Percolite's, or a value in it is none of its type, for example a proxy's page. */
  invalid_answer: 'The answer is not one of a Percolite server.',
  /** `db.close()` was called. */
  client_closed: 'The client was closed.',
} as const

/** The words of the others have a value in them, and stand where they are thrown. */
export type ClientErrorCode =
  | keyof typeof CLIENT_ERRORS
  /** No answer came. Unless it was a read, whether the server did it is not known. */
  | 'connection_failed'
  /** The answer took longer than `timeoutMs`. As above, it may have been done. */
  | 'request_timed_out'
  /** An INTEGER beyond 2^53 − 1 was read by a client that asked for numbers. */
  | 'integer_out_of_range'
  | 'json_number_inexact'
  /** A query has more rows than `maxRows`: use `scan`, or LIMIT. */
  | 'result_too_large'
export type ErrorCode = ClientErrorCode | ServerErrorCode

export type ErrorFields = Readonly<Record<string, unknown>>

type ErrorFacts = {
  readonly code: ErrorCode
  readonly message: string
  readonly httpStatus?: number | undefined
  readonly retryable?: boolean
  readonly fields?: ErrorFields
  readonly retryAfterMs?: number | undefined
  readonly cause?: unknown
}

/** Every expected failure. Match on `code`, never on the message. */
export class PercoliteError extends Error {
  override readonly name = 'PercoliteError'
  readonly code: ErrorCode
  /**
   * The HTTP status of the answer, undefined where none came. It is not called `status`, which web servers would take
   * for that of their own answer.
   */
  readonly httpStatus: number | undefined
  /** Whether running the whole transaction again may succeed. */
  readonly retryable: boolean
  /** Facts a program may act on: the conflicting table and key, the limit and the actual figure … */
  readonly fields: ErrorFields
  /** How long an overloaded server asks to be left alone, in milliseconds. */
  readonly retryAfterMs: number | undefined

  constructor(facts: ErrorFacts) {
    super(facts.message, facts.cause === undefined ? {} : { cause: facts.cause })
    this.code = facts.code
    this.httpStatus = facts.httpStatus
    this.retryable = facts.retryable ?? false
    this.fields = facts.fields ?? {}
    this.retryAfterMs = facts.retryAfterMs
  }

  /**
   * The write has been committed, at `commitTimestamp`, and must not be sent again: only its answer could not
   * be read or shown.
   */
  get committed(): boolean {
    return this.fields.committed === true
  }

  /** When it was committed, in microseconds since 1970; undefined unless `committed`. */
  get commitTimestamp(): number | undefined {
    return this.committed ? numberOrNothing(this.fields.commitTimestamp) : undefined
  }

  /** Which statement of the request failed, from 0. */
  get statement(): number | undefined {
    return numberOrNothing(this.fields.statement)
  }

  /** Where in its text, both from 1; columns count UTF-16 code units. */
  get position(): { readonly line: number; readonly column: number } | undefined {
    const line = numberOrNothing(this.fields.line)
    const column = numberOrNothing(this.fields.column)
    return line && column ? { line, column } : undefined
  }

  /** What to write instead, where the server knows. */
  get hint(): string | undefined {
    return typeof this.fields.hint === 'string' ? this.fields.hint : undefined
  }
}

export function hasCode(error: unknown, ...codes: readonly ErrorCode[]): error is PercoliteError {
  return error instanceof PercoliteError && codes.includes(error.code)
}

export function clientError(
  code: ClientErrorCode,
  facts: Omit<ErrorFacts, 'code' | 'message'> & { readonly message?: string } = {},
): PercoliteError {
  const message = (CLIENT_ERRORS as Partial<Record<ClientErrorCode, string>>)[code] ?? code
  return new PercoliteError({ message, ...facts, code })
}

export function errorFromProblem(problem: Problem, retryAfterMs?: number): PercoliteError {
  const { type: _type, title, status: httpStatus, code, detail, retryable, ...fields } = problem
  return new PercoliteError({
    code,
    message: detail || title,
    httpStatus,
    retryable,
    fields,
    retryAfterMs,
  })
}

/** What an error says, whatever was thrown. */
export function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error)
}

function numberOrNothing(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined
}
