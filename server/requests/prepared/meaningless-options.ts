// SPDX-License-Identifier: Apache-2.0
import { readStamp } from '../../../planner/planner.ts'
import type { Timestamp } from '../../../storage/storage.ts'
import { ServerError } from '../../errors/server-error.ts'
import type { AnswerFormat } from '../answers/answer-format.ts'
import type { QueryRequest } from './query-request.ts'
import type { InnerScript, Script } from './script.ts'

// Options that a request gives and that mean nothing for what it asks. They are refused, because a client that
// sends one expects something of it.

/** An option of the body, a query parameter or a header field that means nothing here. */
export function meaningless(
  parameter: string,
  place: 'body' | 'query' | 'header',
  why: string,
  hint?: string,
): ServerError {
  const detail = `${parameter} has no meaning here: ${why}.`
  return new ServerError('invalid_request', detail, { parameter, in: place, hint })
}

/** What comes with a request and is not in its body. */
type Options = {
  readonly idempotent?: object | undefined
  readonly observerRun?: object | undefined
}

/** Of a request outside of a transaction. Throws `invalid_request`, `bad_cursor` and `read_only_transaction`. */
export function requireMeaning(request: QueryRequest, script: Script, options: Options): void {
  if ((request.cursor ?? request.pageSize) !== undefined) {
    requirePaged(request, script.kind === 'transaction' && script.isOneScan)
  }
  if (script.kind !== 'transaction' && options.idempotent !== undefined) throw keyWithoutRows()
  if (script.kind !== 'definitions') return
  if (request.minTimestamp !== undefined) {
    const why = 'CREATE, ALTER and DROP read no snapshot'
    throw meaningless('Percolite-Min-Timestamp', 'header', why)
  }
  if (options.observerRun !== undefined) {
    const detail = 'CREATE, ALTER and DROP cannot acknowledge a notification.'
    throw new ServerError('invalid_request', detail)
  }
  if (request.asOf !== undefined) {
    throw new ServerError('read_only_transaction', 'With asOf nothing can be created or dropped.')
  }
}

/** Of a request inside an open transaction. Throws `invalid_request` and `bad_cursor`. */
export function requireMeaningInside(
  request: QueryRequest,
  { isOneScan }: InnerScript,
  options: Options,
): void {
  if (options.idempotent !== undefined) throw keyWithoutRows()
  if (request.asOf !== undefined) {
    const detail = 'An open transaction has its snapshot: asOf is not for it.'
    const hint = 'open it with asOf, or write AS OF in a GET or SCAN'
    throw new ServerError('invalid_request', detail, { hint })
  }
  if (request.keepOpen === true) {
    const detail = '"keepOpen" is for BEGIN, not for an open transaction.'
    throw new ServerError('invalid_request', detail)
  }
  if ((request.cursor ?? request.pageSize) !== undefined) requirePaged(request, isOneScan)
  if (request.minTimestamp !== undefined) {
    const why = 'an open transaction has its snapshot'
    throw meaningless('Percolite-Min-Timestamp', 'header', why, 'send it with BEGIN')
  }
}

/** Of a request that has a page: only one SCAN, the text of the request, is answered by the page. */
function requirePaged({ sql, cursor }: QueryRequest, isOneScan: boolean): void {
  if (sql !== undefined && isOneScan) return
  if (cursor !== undefined) {
    throw new ServerError('bad_cursor', 'A cursor continues a request that is one SCAN.')
  }
  throw meaningless('pageSize', 'body', 'only a request that is one SCAN is answered by the page')
}

/** Of a SCAN that is streamed as a whole. */
export function requireMeaningOfStream(
  format: AnswerFormat,
  { pageSize, integers }: Pick<QueryRequest, 'pageSize' | 'integers'>,
): void {
  if (pageSize !== undefined) {
    throw meaningless('pageSize', 'body', `${format} streams every row`, STREAM_HINT)
  }
  requireIntegersShown(format, integers, 'body')
}

const STREAM_HINT = 'give the SCAN a LIMIT, or ask for pages as JSON'

/** CSV and tables write every INTEGER in digits. */
export function requireIntegersShown(
  format: AnswerFormat,
  integers: unknown,
  place: 'body' | 'query',
): void {
  if (integers === undefined || format === 'json' || format === 'ndjson') return
  throw meaningless('integers', place, `${format} writes every INTEGER in digits`)
}

/** The snapshot of a cursor is that of its first page; `asOf` may repeat it. Throws `bad_cursor`. */
export function requireSameSnapshot(asOf: unknown, cursorTimestamp: Timestamp | undefined): void {
  if (asOf === undefined || cursorTimestamp === undefined) return
  const stamp = readStamp('AS OF', asOf)
  if (stamp === cursorTimestamp) return
  throw new ServerError('bad_cursor', 'The cursor is of another snapshot than asOf.', {
    asOf: stamp,
    readTimestamp: cursorTimestamp,
    hint: 'leave asOf out: a cursor goes on in the snapshot of its first page',
  })
}

function keyWithoutRows(): ServerError {
  return new ServerError(
    'invalid_request',
    'Idempotency-Key is for a request that is a transaction of its own: not for BEGIN, whose COMMIT can be repeated by its id, and not for CREATE and DROP, which have IF NOT EXISTS and IF EXISTS.',
  )
}
