// SPDX-License-Identifier: Apache-2.0
import type { RunningRequest } from '../../../requests/prepared/running-request.ts'
import { RowConditions } from '../../../requests/rows/row-conditions.ts'
import { getRow } from '../../../requests/rows/row-statements.ts'
import { keyParameters } from '../../../requests/rows/row-values.ts'
import { tagOf } from '../../../requests/rows/row-version.ts'
import {
  addressOf,
  representationOfBytes,
  requireBytesColumn,
  rowNotFound,
} from '../../../requests/rows/row-writes.ts'
import { answerReadTimestamp } from '../answers/transaction-answers.ts'
import { BYTES_TYPE } from '../bodies/body.ts'
import type { RouteDependencies } from '../dependencies.ts'
import type { CheckedRequest } from '../openapi/binding.ts'
import { snapshotOf, targetOf } from './row-parameters.ts'

/**
 * The bytes of one column, or the range that the request asks for; undefined for NULL, and where the reader has this
 * very version. Throws `row_not_found`, and as `requireBytesColumn`. A browser saves them: shown, they would be a page
 * of this origin.
 */
export async function bytesOfRow(
  { rows }: RouteDependencies,
  { parameters, raw, reply }: CheckedRequest,
  running: RunningRequest,
): Promise<Buffer | undefined> {
  const conditions = new RowConditions(parameters)
  const column = String(parameters.column)
  return rows.read(snapshotOf(parameters), running, async (transaction) => {
    const target = targetOf(transaction, parameters)
    const { table, key } = target
    requireBytesColumn(table, column)
    const get = getRow(table, { columns: [column] })
    const found = await transaction.run(get, keyParameters(table, key))
    const commitTs = found.rowTimestamps?.[0] ?? null
    const [row] = found.rows
    if (row === undefined || commitTs === null) throw rowNotFound(target)
    answerReadTimestamp(reply, transaction.readTimestamp)
    const tag = tagOf(commitTs, representationOfBytes(table, column))
    reply.header('ETag', tag)
    if (conditions.hasAlready(tag)) {
      reply.code(304).removeHeader('content-type')
      return undefined
    }
    conditions.require({ table, commitTs }, addressOf(target), 'reader')
    const [value] = row
    if (!(value instanceof Uint8Array)) {
      reply.code(204).removeHeader('content-type')
      return undefined
    }
    reply.header('content-type', BYTES_TYPE).header('Content-Disposition', 'attachment')
    reply.header('Content-Security-Policy', "default-src 'none'; sandbox")
    reply.header('Accept-Ranges', 'bytes')
    const { range, 'if-range': ifRange } = raw.headers
    const part = ifRange === undefined || ifRange === tag ? partOf(range, value.length) : undefined
    const bytes = Buffer.from(value.buffer, value.byteOffset, value.length)
    if (part === undefined) return bytes
    const [first, end] = part
    reply.code(206).header('Content-Range', `bytes ${first}-${end - 1}/${value.length}`)
    return bytes.subarray(first, end)
  })
}

/**
 * The range of bytes that the header asks for, without its end. Undefined where it asks for no one part of them: then
 * the answer is the whole, as for a server that knows no ranges (RFC 9110, 14.2).
 */
function partOf(range: string | undefined, length: number): readonly [number, number] | undefined {
  const [, from = '', to = ''] = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(range ?? '') ?? []
  if (from === '' && to === '') return undefined
  const first = from === '' ? Math.max(0, length - Number(to)) : Number(from)
  const end = from === '' || to === '' ? length : Math.min(Number(to) + 1, length)
  return first < end ? [first, end] : undefined
}
