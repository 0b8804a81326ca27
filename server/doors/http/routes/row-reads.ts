// SPDX-License-Identifier: Apache-2.0
import type { IntegerForm, StatementResult } from '../../../../planner/planner.ts'
import type { Timestamp } from '../../../../storage/storage.ts'
import { SERVER_LIMITS } from '../../../limits.ts'
import { sendable, sendableLine } from '../../../requests/answers/answer-body.ts'
import type { AnswerFormat } from '../../../requests/answers/answer-format.ts'
import type { AnswerWriter } from '../../../requests/answers/answer-text.ts'
import { bodyInTurns, joinedInTurns } from '../../../requests/answers/text-pieces.ts'
import {
  meaningless,
  requireIntegersShown,
  requireSameSnapshot,
} from '../../../requests/prepared/meaningless-options.ts'
import type { RunningRequest } from '../../../requests/prepared/running-request.ts'
import { Paging } from '../../../requests/prepared/scan-paging.ts'
import { readNames } from '../../../requests/rows/name-list.ts'
import { RowConditions } from '../../../requests/rows/row-conditions.ts'
import { ownerOf, paramsOf, type RowsRequest, scanOf } from '../../../requests/rows/row-page.ts'
import { getRow } from '../../../requests/rows/row-statements.ts'
import { keyParameters } from '../../../requests/rows/row-values.ts'
import { representationOf, tagOf } from '../../../requests/rows/row-version.ts'
import { addressOf, columnsText, rowBody, rowNotFound } from '../../../requests/rows/row-writes.ts'
import { answerReadTimestamp } from '../answers/transaction-answers.ts'
import type { RouteDependencies } from '../dependencies.ts'
import { aboutRequest } from '../listed-work.ts'
import type { CheckedRequest } from '../openapi/binding.ts'
import { formOf, integersOf, snapshotOf, targetOf } from './row-parameters.ts'

/** For those who list what is running; the WHERE is all that a request on rows has of a text. */
export function conditionOf({ parameters: { where } }: CheckedRequest): readonly string[] {
  return where === undefined ? [] : [String(where)]
}

/** One page of a SCAN, which a cursor continues. */
export async function pageOfRows(
  { rows, parser, cursors, writer }: RouteDependencies,
  { parameters, reply }: CheckedRequest,
  running: RunningRequest,
): Promise<string | Buffer> {
  const request = parameters as RowsRequest
  const scan = scanOf(parser, request)
  const params = paramsOf(scan, request)
  const rowsMax = Number(parameters.limit ?? SERVER_LIMITS.rowsPageDefault)
  const owner = ownerOf(request, running.owner)
  const paging = await Paging.ofScan(cursors, owner, rowsMax, request.cursor)
  const { readTimestamp } = paging
  requireSameSnapshot(parameters.asOf, readTimestamp)
  const snapshot = readTimestamp === undefined ? snapshotOf(parameters) : { asOf: readTimestamp }
  return rows.read(snapshot, running, async (transaction) => {
    const result = await transaction.run(scan, params, { paging })
    const { cursor } = paging.cursorAfter(transaction.readTimestamp, [result])
    answerReadTimestamp(reply, transaction.readTimestamp)
    const { turns } = running
    const page = { result, cursor, readTimestamp: transaction.readTimestamp }
    const pieces = pagePieces(writer, page, integersOf(parameters))
    return sendable(await joinedInTurns(await bodyInTurns(pieces, turns), turns))
  })
}

function* pagePieces(
  writer: AnswerWriter,
  page: {
    readonly result: StatementResult
    readonly cursor?: string | undefined
    readonly readTimestamp: Timestamp
  },
  integers: IntegerForm,
): Generator<string, void, undefined> {
  const { result, cursor, readTimestamp } = page
  yield `{"columns":${columnsText(result.columns)},"rows":`
  yield* writer.rows(result, integers)
  const next = cursor === undefined ? '' : `,"cursor":${JSON.stringify(cursor)}`
  yield `,"readTimestamp":${readTimestamp}${next}}\n`
}

/** All rows of it. */
export async function streamOfRows(
  { streams, parser, cursors }: RouteDependencies,
  request: CheckedRequest,
  format: AnswerFormat,
): Promise<unknown> {
  const { parameters } = request
  const requested = parameters as RowsRequest
  if (parameters.limit !== undefined) {
    throw meaningless('limit', 'query', `${format} streams every row`, 'ask for pages as JSON')
  }
  requireIntegersShown(format, parameters.integers, 'query')
  return streams.answer(
    request.reply,
    format,
    integersOf(parameters),
    aboutRequest(request.reply, () => conditionOf(request)),
    async (running) => {
      const statement = scanOf(parser, requested)
      const owner = ownerOf(requested, running.owner)
      const { streamPageRows } = SERVER_LIMITS
      const paging = await Paging.ofScan(cursors, owner, streamPageRows, requested.cursor)
      const { page, readTimestamp } = paging
      requireSameSnapshot(parameters.asOf, readTimestamp)
      const snapshot =
        readTimestamp === undefined ? snapshotOf(parameters) : { asOf: readTimestamp }
      return {
        entry: { statement, parameters: paramsOf(statement, requested), index: 0 },
        ...snapshot,
        ...(page.after === undefined ? {} : { after: page.after }),
      }
    },
  )
}

/** Throws `row_not_found`; undefined where the reader has this very version. */
export async function oneRow(
  { rows, writer }: RouteDependencies,
  { parameters, reply }: CheckedRequest,
  running: RunningRequest,
): Promise<string | Buffer | undefined> {
  const conditions = new RowConditions(parameters)
  const { columns } = parameters
  const requested = columns === undefined ? {} : { columns: readNames('columns', String(columns)) }
  return rows.read(snapshotOf(parameters), running, async (transaction) => {
    const target = targetOf(transaction, parameters)
    const { table, key } = target
    const result = await transaction.run(getRow(table, requested), keyParameters(table, key))
    const commitTs = result.rowTimestamps?.[0] ?? null
    if (result.rows.length === 0 || commitTs === null) throw rowNotFound(target)
    answerReadTimestamp(reply, transaction.readTimestamp)
    const form = formOf(writer, parameters, running.turns)
    const tag = tagOf(commitTs, representationOf(table, { ...requested, ...form }))
    reply.header('ETag', tag)
    if (conditions.hasAlready(tag)) {
      reply.code(304).removeHeader('content-type')
      return undefined
    }
    conditions.require({ table, commitTs }, addressOf(target), 'reader')
    return sendableLine(await rowBody(result, form))
  })
}
