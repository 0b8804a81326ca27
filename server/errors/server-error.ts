// SPDX-License-Identifier: Apache-2.0
import { ALL_LIMITS } from '../limits.ts'
import type { ErrorCode } from './error-codes.ts'

/** What the server itself refuses, apart from the rooms below it. `fields` join the problem. */
export class ServerError extends Error {
  override readonly name = 'ServerError'
  readonly code: ErrorCode
  readonly fields: Readonly<Record<string, unknown>>

  constructor(
    code: ErrorCode,
    detail: string,
    fields: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(detail, options)
    this.code = code
    this.fields = fields
  }
}

/** An exceeded limit, always named and with both figures. */
export function limitExceeded(
  limit: string,
  limitValue: number,
  actual: number,
  what: string,
  more: Readonly<Record<string, unknown>> = {},
) {
  return new ServerError(
    'limit_exceeded',
    `${what}: ${actual}, and at most ${limitValue} are allowed.`,
    { limit, limitValue, actual, ...more },
  )
}

/** Throws `limit_exceeded` where it is more than the limit of that name. */
export function requireWithin(limit: keyof typeof ALL_LIMITS, actual: number, what: string): void {
  if (actual > ALL_LIMITS[limit]) throw limitExceeded(limit, ALL_LIMITS[limit], actual, what)
}

/** As much as the server takes of something from all of its clients together; they may come again. */
export function overloadedBy(limit: string, limitValue: number, actual: number, detail: string) {
  return new ServerError('overloaded', detail, { limit, limitValue, actual })
}

/** As much as one client may have of it; it has to end or read something first, or to wait. */
export function clientOverloaded(
  limit: string,
  limitValue: number,
  actual: number,
  detail: string,
) {
  return new ServerError('client_overloaded', detail, { limit, limitValue, actual })
}

/** Which statement of a request failed, around the error that says why. */
export class StatementFailure extends Error {
  override readonly name = 'StatementFailure'
  readonly statement: number

  constructor(statement: number, cause: unknown) {
    super(`Statement ${statement} failed`, { cause })
    this.statement = statement
  }
}

/** What is wrong with the note of a script, around the error that says it; its place is none of the script. */
export class NoteFailure extends Error {
  override readonly name = 'NoteFailure'

  constructor(cause: unknown) {
    super('The note failed', { cause: cause instanceof StatementFailure ? cause.cause : cause })
  }
}

/** A script that stopped, around the error that says why; what was done before stays. */
export class ScriptStopped extends Error {
  override readonly name = 'ScriptStopped'
  readonly fields: ScriptStop

  constructor(fields: ScriptStop, cause: unknown) {
    super(`A script stopped after ${fields.done} statements`, { cause })
    this.fields = fields
  }
}

type ScriptStop = {
  /** Where the statement begins that failed, for errors that have no place of their own. */
  readonly line: number
  readonly column: number
  /** How many statements of the text are done. */
  readonly done: number
  readonly total: number
  /** `ScriptResult` of `openapi.yaml`, of each statement that was done by this request. */
  readonly results: readonly object[]
}

/** The client went away, and the answer will not be read. */
export class ClientDisconnected extends Error {
  override readonly name = 'ClientDisconnected'
}

/** Characters of a name or a value that an error quotes: enough to find it, and not all of a megabyte. */
const QUOTED_CHARACTERS_MAX = 100

/** A text of the client as an error quotes it. */
export function shortened(text: string, charactersMax = QUOTED_CHARACTERS_MAX): string {
  if (text.length <= charactersMax) return text
  return `${text.slice(0, charactersMax).toWellFormed()}…`
}

/** Why the system refused something: the code of the error, which says more than its message, where it has one. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException
  return code ?? message
}
