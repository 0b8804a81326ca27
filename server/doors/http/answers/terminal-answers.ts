// SPDX-License-Identifier: Apache-2.0
import type { FastifyReply } from 'fastify'
import { type Problem, problemOf, retryAfterSeconds } from '../../../errors/error-response.ts'
import { ClientDisconnected, ServerError } from '../../../errors/server-error.ts'
import { FORMAT_TYPES } from '../../../requests/answers/answer-format.ts'
import { csvHeader, csvRows } from '../../../requests/answers/csv-text.ts'
import { errorText } from '../../../requests/answers/error-text.ts'
import type { QueryOutcome } from '../../../requests/answers/query-answer.ts'
import type { QueryRequest } from '../../../requests/prepared/query-request.ts'

/** The rows of the last statement that has any columns, in pieces. Throws `invalid_request`. */
export function* csvOfOutcome({
  results,
  cursor,
}: QueryOutcome): Generator<string, void, undefined> {
  const result = results.findLast(({ columns }) => columns.length > 0)
  if (cursor !== undefined) {
    throw new ServerError('invalid_request', 'In a transaction CSV takes no more than a page.', {
      hint: 'give the SCAN a LIMIT, or follow the cursors of a JSON answer',
    })
  }
  if (result === undefined) return
  yield csvHeader(result)
  yield* csvRows(result)
}

/** An error as text for a terminal, with its place shown. A fault of the server is thrown on. */
export function terminalError(
  error: unknown,
  query: QueryRequest,
  {
    reply,
    listener,
  }: { readonly reply: FastifyReply; readonly listener: (problem: Problem) => void },
): string {
  const problem = problemOf(error)
  if (error instanceof ClientDisconnected || problem.code === 'internal') throw error
  listener(problem)
  const waitSeconds = retryAfterSeconds(problem)
  if (waitSeconds !== undefined) reply.header('Retry-After', waitSeconds)
  reply.code(problem.status).header('content-type', FORMAT_TYPES.table)
  return errorText(problem, textOf(query, problem.statement))
}

/** The text that the place of the error counts in. */
function textOf(query: QueryRequest, statement: unknown): string | undefined {
  if (query.statements === undefined) return query.sql
  return typeof statement === 'number' ? query.statements[statement]?.sql : undefined
}
