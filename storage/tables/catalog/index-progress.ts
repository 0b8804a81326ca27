// SPDX-License-Identifier: Apache-2.0
import { systemRowKey } from '../../cells/row-key.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import type { SqlValue } from '../../values/sql-type.ts'
import { damaged, decodeJson, encodeJson } from '../bytes/catalog-json.ts'
import { decodePrimaryKey } from '../bytes/key-encoding.ts'
import { ROW_COLUMN } from '../bytes/row-codec.ts'
import type { IndexDefinition, TableDefinition } from '../table-definition.ts'

/**
 * How far the building of an index has come: the system row `index-build/<id>`, written by each of its
 * transactions, so that a crash loses at most one of them, and two builders that take the same rows
 * conflict.
 *
 *     index-build/8    {"format":1,"rows":1250,"last":"AQAAAAcQ…"}     the last row key, in base64
 */
const FORMAT = 1

export type BuildPosition = {
  readonly rows: number
  /** The row key of the last row done. */
  readonly last: Uint8Array
}

/** What SHOW INDEXES says about an index that is being built. */
export type IndexProgress = {
  readonly rowsDone: number
  /** The primary key of the last row done; null before the first. */
  readonly lastKey: readonly SqlValue[] | null
}

export async function readIndexProgress(
  transaction: Pick<Transaction, 'getRow'>,
  table: TableDefinition,
  index: IndexDefinition,
): Promise<IndexProgress> {
  const position = await readPosition(transaction, index)
  if (position === undefined) return { rowsDone: 0, lastKey: null }
  return { rowsDone: position.rows, lastKey: decodePrimaryKey(table, position.last) }
}

/** Undefined before the first batch. */
export async function readPosition(
  transaction: Pick<Transaction, 'getRow'>,
  index: IndexDefinition,
): Promise<BuildPosition | undefined> {
  const row = await transaction.getRow(progressKey(index), [ROW_COLUMN])
  const cell = row?.columns.get(ROW_COLUMN)
  return cell === undefined ? undefined : decodePosition(cell.value)
}

export function writePosition(
  transaction: Pick<Transaction, 'put'>,
  index: IndexDefinition,
  { rows, last }: BuildPosition,
): void {
  const members = { rows, last: Buffer.from(last).toString('base64') }
  transaction.put(progressKey(index), ROW_COLUMN, encodeJson(FORMAT, members))
}

/** An index that is not being built has no such row. */
export function forgetProgress(
  transaction: Pick<Transaction, 'delete'>,
  index: IndexDefinition,
): void {
  if (index.state === 'building') transaction.delete(progressKey(index), ROW_COLUMN)
}

/** Violations of T3. */
export function decodePosition(value: Uint8Array): BuildPosition {
  const { rows, last } = decodeJson(value, [FORMAT])
  if (!Number.isSafeInteger(rows) || (rows as number) < 0) throw damaged('a count is missing')
  if (typeof last !== 'string') throw damaged('a row key is missing')
  return { rows: rows as number, last: Uint8Array.from(Buffer.from(last, 'base64')) }
}

export const INDEX_BUILD_PREFIX = systemRowKey('index-build/')

function progressKey({ id }: IndexDefinition): Uint8Array {
  return systemRowKey(`index-build/${id}`)
}
