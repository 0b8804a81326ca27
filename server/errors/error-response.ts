// SPDX-License-Identifier: Apache-2.0
import { ParseError } from '../../parser/parser.ts'
import { PlanError } from '../../planner/planner.ts'
import {
  CellStoreError,
  DamagedRecord,
  StorageError,
  storeUnavailableOf,
  writeRefusalOf,
} from '../../storage/storage.ts'
import { SERVER_LIMITS } from '../limits.ts'
import { ERROR_CODES, type ErrorCode, isErrorCode } from './error-codes.ts'
import {
  NoteFailure,
  ScriptStopped,
  ServerError,
  StatementFailure,
  shortened,
} from './server-error.ts'

/** Of each text of a problem. What a client sent is quoted in it, and no more of that than a key can be. */
const TEXT_CHARACTERS_MAX = 4_096

/** RFC 9457, with the fields of `Problem` in `openapi.yaml`. */
export type Problem = {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly code: ErrorCode
  readonly detail: string
  readonly retryable: boolean
  readonly [field: string]: unknown
}

export const PROBLEM_TYPE = 'application/problem+json; charset=utf-8'

const RETRY_AFTER_SECONDS = 1
const WAITED_FOR = [
  'overloaded',
  'client_overloaded',
  'rate_limited',
  'moving',
  'behind',
  'no_second_copy',
  'store_unavailable',
  'gateway_unavailable',
]

/** Seconds that a client is asked to wait, for `Retry-After`; undefined where waiting does not help. */
export function retryAfterSeconds(problem: Pick<Problem, 'code'>): number | undefined {
  const { code, retryAfterSeconds: known } = problem as Problem
  if (typeof known === 'number') return known
  return WAITED_FOR.includes(code) ? RETRY_AFTER_SECONDS : undefined
}

const CONFLICT = 409
const MISDIRECTED = 421

/**
 * What a client is told of an error. One that is not expected becomes `internal`, and nothing of it
 * leaves the process.
 */
export function problemOf(error: unknown): Problem {
  if (error instanceof ScriptStopped) {
    const { line, column, ...done } = error.fields
    const stopped = problemOf(error.cause)
    // Node.js and browsers repeat a request that is answered 421 by themselves, and with it what is done.
    const isRepeated = stopped.status === MISDIRECTED && done.results.length > 0
    const status = isRepeated ? CONFLICT : stopped.status
    // An error without a place of its own has that of its statement.
    const place = { line: stopped.line ?? line, column: stopped.column ?? column }
    return { ...stopped, status, ...place, ...done }
  }
  if (error instanceof NoteFailure) {
    const { line: _, column: __, ...noteProblem } = problemOf(error.cause)
    return { ...(noteProblem as Problem), note: true }
  }
  if (error instanceof StatementFailure) {
    return { ...problemOf(error.cause), statement: error.statement }
  }
  if (error instanceof ParseError) return ofParseError(error)
  if (error instanceof PlanError) return ofPlanError(error)
  if (error instanceof StorageError) return ofStorageError(error)
  if (error instanceof ServerError) return problem(error.code, error.message, error.fields)
  if (error instanceof CellStoreError) return ofCellStoreError(error)
  if (error instanceof DamagedRecord) return problem('store_damaged', error.detail)
  return ofFrameworkError(error) ?? internal()
}

function ofParseError(error: ParseError): Problem {
  const { code, message, line, column, token, expected, hint, suggestion, statement } = error
  const { limitName, limit: limitValue, actual } = error
  const limit = limitName === undefined ? {} : { limit: limitName, limitValue, actual }
  const fields = { line, column, token, expected, hint, suggestion, statement }
  return problem(code, message, { ...fields, ...limit })
}

function ofPlanError({ code, message, position, hint, fields }: PlanError): Problem {
  // What the server wrote itself has no place in any text of the client's.
  const isPlaced = position !== undefined && position.line > 0
  const place = isPlaced ? { line: position.line, column: position.column } : {}
  return problem(code, message, { ...renamed(fields), ...place, hint })
}

function ofStorageError({ code, message, fields }: StorageError): Problem {
  if (isErrorCode(code)) return problem(code, message, renamed(fields))
  if (code === 'closed') return problem('overloaded', 'The server is stopping.')
  return internal()
}

/** Of a call that no commit was waiting for. */
function ofCellStoreError(error: CellStoreError): Problem {
  if (error.kind === 'damaged') return problem('store_damaged', error.message)
  const known = writeRefusalOf(error) ?? storeUnavailableOf(error)
  if (known !== undefined) return ofStorageError(known)
  return error.kind === 'closed' ? problem('overloaded', 'The server is stopping.') : internal()
}

/** Names that the rooms below use and that mean something else in a problem. */
const NAMES: Readonly<Record<string, string>> = {
  type: 'typeName',
  column: 'columnName',
  expected: 'expectedType',
}

function renamed(fields: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      // The figure of a limit is a number; what is met instead of a type is a type.
      if (name === 'actual' && typeof value === 'string') return ['actualType', value]
      return [Object.hasOwn(NAMES, name) ? NAMES[name] : name, value]
    }),
  )
}

function problem(
  code: ErrorCode,
  detail: string,
  fields: Readonly<Record<string, unknown>> = {},
): Problem {
  const { status, title, retryable } = ERROR_CODES[code]
  return {
    type: `urn:percolite:error:${code}`,
    title,
    status,
    code,
    detail: shortened(detail, TEXT_CHARACTERS_MAX),
    retryable,
    ...Object.fromEntries(
      Object.entries(fields).map(([name, value]) => [name, fieldToJson(value)]),
    ),
  }
}

function internal(): Problem {
  return problem('internal', 'The server failed. Its log knows more.')
}

function fieldToJson(value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString()
  if (typeof value === 'string') return shortened(value, TEXT_CHARACTERS_MAX)
  if (value instanceof Uint8Array) return fieldToJson(Buffer.from(value).toString('base64'))
  if (Array.isArray(value)) return value.map(fieldToJson)
  return value
}

/** What Fastify and Node refuse themselves, before a handler runs, by their codes. */
const REFUSED: Readonly<Record<string, readonly [ErrorCode, string]>> = {
  FST_ERR_CTP_INVALID_MEDIA_TYPE: [
    'unsupported_media_type',
    'Bodies are taken as application/json, and statements also as text/plain or application/sql.',
  ],
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: [
    'invalid_request',
    'The body is not as long as its Content-Length says.',
  ],
  FST_ERR_ROUTE_MISSING_CONTENT_TYPE: [
    'invalid_request',
    'A request of this method needs a Content-Type.',
  ],
  // A file of the documentation whose path leads elsewhere: what is there is not said.
  FST_STATIC_FORBIDDEN_PATH: ['not_found', 'There is nothing at this path.'],
  FST_ERR_BAD_URL: ['invalid_request', 'The path is not well-formed.'],
  FST_ERR_MAX_PARAM_LENGTH: ['uri_too_long', 'A part of the path is longer than any key can be.'],
  HPE_HEADER_OVERFLOW: ['header_fields_too_large', 'Path and header fields are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['request_timeout', 'The request did not arrive in time.'],
}

function ofFrameworkError(error: unknown): Problem | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (typeof code !== 'string') return undefined
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const limitValue = SERVER_LIMITS.bodyBytesMax
    const detail = `The body is larger than ${limitValue} bytes.`
    return problem('limit_exceeded', detail, { limit: 'bodyBytesMax', limitValue })
  }
  const refused = Object.hasOwn(REFUSED, code) ? REFUSED[code] : undefined
  if (refused !== undefined) return problem(...refused)
  return code.startsWith('HPE_') ? problem('invalid_request', 'This is not HTTP.') : undefined
}
