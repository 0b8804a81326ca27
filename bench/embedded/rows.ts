// SPDX-License-Identifier: Apache-2.0
import type { RowFilter } from '../../storage/cells/row-filter.ts'
import { tableSpace } from '../../storage/tables/tables.ts'

/** The one column of every row here. */
export const COLUMN = '0'

/** What a transaction reads; one object, as the filter of a raw read and the columns of a plan are. */
export const COLUMNS: readonly string[] = [COLUMN]

/** What a raw read or scan asks for: the newest cell of the column. */
export const NEWEST: RowFilter = [{ family: 'data', qualifier: COLUMN, newest: 1 }]

/** What a transaction asks the store for: the newest write record of the column. */
export const NEWEST_RECORD: RowFilter = [{ family: 'write', qualifier: COLUMN, newest: 1 }]

const VALUE_BYTES = 100

/** Transactions and raw cells live in the same store, each in a table space of its own. */
export const TRANSACTION_TABLE = 1
export const RAW_TABLE = 2

/** The key of a row: the table's space and the row's number, so that rows lie in their order. */
export function rowKey(table: number, row: number): Buffer {
  const space = tableSpace(table)
  const key = Buffer.allocUnsafe(space.length + 8)
  key.set(space)
  key.writeBigUInt64BE(BigInt(row), space.length)
  return key
}

/**
 * A value that no other write has: the number of the write stands in it, because SQLite leaves a page
 * alone when the same bytes are written to it again, and a durable write would then cost nothing.
 */
export function rowValue(sequence: number): Buffer {
  const value = Buffer.alloc(VALUE_BYTES, 'v')
  value.writeDoubleBE(sequence, 0)
  return value
}

/**
 * Writers have the first half of the rows and readers the second, so that no read meets the versions
 * that the writes of the same run have piled up.
 */
export function readHalf(rows: number): { readonly first: number; readonly count: number } {
  const first = Math.floor(rows / 2)
  return { first, count: rows - first }
}
