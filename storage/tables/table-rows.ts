// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cell-store/cell.ts'
import { endOfPrefix } from '../cell-store/row-key.ts'
import { invariant } from '../invariant.ts'
import type { Transaction } from '../transaction/transaction.ts'
import { encodePrimaryKey, tableSpace } from './key-encoding.ts'
import { decodeRow, encodeRow, ROW_COLUMN } from './row-codec.ts'
import type { SqlValue } from './sql-type.ts'
import type { SqlRow, TableDefinition } from './table-definition.ts'

/**
 * The rows of a SQL table as one transaction sees and changes them. A read decodes by the table's
 * definition at the transaction's own snapshot, so `table` comes from the catalog of that snapshot.
 */
export type StoredRow = {
  /** The row key, which a page of a scan can be continued behind. */
  readonly key: Uint8Array
  readonly row: SqlRow
  /** Null when it is the transaction's own, not yet committed writing. */
  readonly commitTs: Timestamp | null
}

/** For each tuple of primary key values, in key order, its row or null. One round trip. */
export async function getRows(
  transaction: Pick<Transaction, 'getRows'>,
  table: TableDefinition,
  keyTuples: ReadonlyArray<readonly SqlValue[]>,
): Promise<Array<StoredRow | null>> {
  const keys = keyTuples.map((keyValues) => fullKey(table, keyValues))
  const rows = await transaction.getRows(keys, [ROW_COLUMN])
  return rows.map((row) => (row === null ? null : storedRow(table, row)))
}

export type TableScan = {
  /** A row key of this table, inclusive; absent: its beginning. */
  readonly start?: Uint8Array
  /** Exclusive; absent: the end of the table. */
  readonly end?: Uint8Array
  /** From the end towards the start. */
  readonly reverse?: boolean
  /** At most so many rows. */
  readonly limit?: number
  readonly signal?: AbortSignal
}

/** The rows of a range of keys, in key order or reversed. */
export async function* scanRows(
  transaction: Pick<Transaction, 'scanRows'>,
  table: TableDefinition,
  scan: TableScan,
): AsyncGenerator<StoredRow, void, undefined> {
  const space = tableSpace(table.id)
  // No table id is FF FF FF FF with a space byte FF, so a table's space always has an end.
  const end = scan.end ?? (endOfPrefix(space) as Uint8Array)
  const range = { ...scan, start: scan.start ?? space, end, columns: [ROW_COLUMN] }
  for await (const row of transaction.scanRows(range)) {
    const stored = storedRow(table, row)
    if (stored !== null) yield stored
  }
}

/** Writes the whole row, new or not. Errors: those of `encodeRow`. */
export function putRow(transaction: RowWrites, table: TableDefinition, row: SqlRow): void {
  const { key, value } = encodeRow(table, row)
  transaction.dependOnSchema(table.id)
  transaction.put(key, ROW_COLUMN, value)
}

/** Deletes the row with these primary key values, in key order; it need not exist. */
export function deleteRow(
  transaction: RowWrites,
  table: TableDefinition,
  keyValues: readonly SqlValue[],
): void {
  const key = fullKey(table, keyValues)
  transaction.dependOnSchema(table.id)
  transaction.delete(key, ROW_COLUMN)
}

/**
 * Makes the commit conflict with every write and guard of that row since the snapshot, whether the
 * row exists or not: what GET … FOR UPDATE asks for.
 */
export function guardRow(
  transaction: RowWrites,
  table: TableDefinition,
  keyValues: readonly SqlValue[],
): void {
  const key = fullKey(table, keyValues)
  transaction.dependOnSchema(table.id)
  transaction.guard(key, ROW_COLUMN)
}

export type RowWrites = Pick<Transaction, 'put' | 'delete' | 'guard' | 'dependOnSchema'>

function fullKey(table: TableDefinition, keyValues: readonly SqlValue[]): Uint8Array {
  invariant(keyValues.length === table.primaryKey.length, 'T1', { table: table.name })
  return encodePrimaryKey(table, keyValues)
}

function storedRow(
  table: TableDefinition,
  row: { readonly key: Uint8Array; readonly columns: ReadonlyMap<string, VersionedCell> },
): StoredRow | null {
  const cell = row.columns.get(ROW_COLUMN)
  if (cell === undefined) return null
  return { key: row.key, row: decodeRow(table, row.key, cell.value), commitTs: cell.commitTs }
}

type VersionedCell = { readonly value: Uint8Array; readonly commitTs: Timestamp | null }
