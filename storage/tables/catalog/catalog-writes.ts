// SPDX-License-Identifier: Apache-2.0
import { StorageError } from '../../errors.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import {
  CATALOG_NEXT_ID_KEY,
  CATALOG_VERSION_KEY,
  catalogTableKey,
  decodeNextId,
  encodeCatalogVersion,
  encodeNextId,
  TABLE_ID_MAX,
} from '../bytes/catalog-codec.ts'
import { ROW_COLUMN } from '../bytes/row-codec.ts'
import { encodeTable } from '../bytes/table-codec.ts'
import type { TableDefinition } from '../table-definition.ts'

/**
 * What the changes of the catalog have in common. Each writes `catalog/version`, so of two that run at
 * the same time one gets `write_conflict`; and each raises the schema fence of its table, so that a
 * transaction that began before it cannot commit rows by a definition of yesterday.
 */
export type CatalogWrites = Pick<
  Transaction,
  'startTs' | 'now' | 'getRow' | 'put' | 'delete' | 'changeSchema' | 'changeCatalog' | 'requireRoom'
>

/**
 * Returns the table that it has written, in a new version of the catalog. Without the fence for a change that
 * leaves the rows right of those that wrote by the definition before.
 */
export async function changeTable(
  transaction: CatalogWrites,
  table: TableDefinition,
  { isFenced = true } = {},
): Promise<TableDefinition> {
  transaction.put(catalogTableKey(table.id), ROW_COLUMN, encodeTable(table))
  const isDecimal = table.columns.some(({ size }) => size !== undefined)
  await writeVersion(transaction, table.id, isDecimal ? 'decimal' : undefined)
  if (isFenced) transaction.changeSchema(table.id)
  return table
}

/**
 * The version names the table that changed and the version before, so that a reader that has that one reads a single
 * table. A second change of one transaction names nothing, and all tables are read once. `feature` is what only newer
 * versions know of, which is told to the store first.
 */
export async function writeVersion(
  transaction: Pick<Transaction, 'getRow' | 'put' | 'changeCatalog'>,
  tableId: number,
  feature?: 'decimal',
): Promise<void> {
  const row = await transaction.getRow(CATALOG_VERSION_KEY, [ROW_COLUMN])
  const cell = row?.columns.get(ROW_COLUMN)
  const after = cell === undefined ? 0 : cell.commitTs
  const step = after === null ? undefined : { changed: tableId, after }
  await transaction.changeCatalog(feature)
  transaction.put(CATALOG_VERSION_KEY, ROW_COLUMN, encodeCatalogVersion(step))
}

/** Defines something by the next id of tables, indexes and observers, and takes the id when that went well. */
export function takeId<T>(transaction: CatalogWrites, define: (id: number) => T): Promise<T> {
  return takeIds(transaction, 1, define)
}

/** The same by the first of several ids. */
export async function takeIds<T>(
  transaction: CatalogWrites,
  count: number,
  define: (first: number) => T,
): Promise<T> {
  transaction.requireRoom()
  const first = await readNextId(transaction)
  const last = first + count - 1
  if (last > TABLE_ID_MAX) throw noIdLeft(last)
  const defined = define(first)
  transaction.put(CATALOG_NEXT_ID_KEY, ROW_COLUMN, encodeNextId(last + 1))
  return defined
}

/** The id that the next table, index or observer gets. */
export async function readNextId(transaction: Pick<Transaction, 'getRow'>): Promise<number> {
  const row = await transaction.getRow(CATALOG_NEXT_ID_KEY, [ROW_COLUMN])
  const cell = row?.columns.get(ROW_COLUMN)
  return cell === undefined ? 1 : decodeNextId(cell.value)
}

function noIdLeft(actual: number): StorageError {
  const message = `All ${TABLE_ID_MAX} ids of tables, indexes and observers have been given out.`
  return new StorageError('limit_exceeded', message, {
    limit: 'tableId',
    limitValue: TABLE_ID_MAX,
    actual,
  })
}
