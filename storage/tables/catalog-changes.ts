// SPDX-License-Identifier: Apache-2.0
import { StorageError } from '../errors.ts'
import type { Transaction } from '../transaction/transaction.ts'
import { type Catalog, requireTable } from './catalog.ts'
import {
  CATALOG_NEXT_ID_KEY,
  CATALOG_VERSION_KEY,
  catalogNameKey,
  catalogTableKey,
  decodeNextId,
  encodeCatalogName,
  encodeCatalogVersion,
  encodeNextId,
  encodeTable,
  TABLE_ID_MAX,
} from './catalog-codec.ts'
import { defineTable, type NewTable } from './new-table.ts'
import { ROW_COLUMN } from './row-codec.ts'
import type { TableDefinition } from './table-definition.ts'

/**
 * The changes of the catalog. Each writes `catalog/version`, so of two that run at the same time one
 * gets `write_conflict`; and each raises the schema fence of its table, so that a transaction that
 * began before it cannot commit rows by a definition of yesterday.
 */
export type CatalogWrites = Pick<Transaction, 'getRow' | 'put' | 'delete' | 'changeSchema'>

/**
 * Creates a table. `catalog` is the one of this transaction. Answers the definition, and whether it
 * is new: with `ifNotExists` a table of that very name is answered as it is.
 *
 * Errors: those of `defineTable`; `already_exists` with the field `existing`, also for a name that
 * differs from that of another table by case only.
 */
export async function createTable(
  transaction: CatalogWrites,
  catalog: Catalog,
  newTable: NewTable,
  options: { readonly ifNotExists: boolean },
): Promise<{ readonly table: TableDefinition; readonly created: boolean }> {
  const existing = catalog.table(newTable.name)
  if (existing !== undefined && options.ifNotExists) return { table: existing, created: false }
  requireFreeName(catalog, newTable.name)
  const id = await nextId(transaction)
  const table = defineTable(newTable, id)
  transaction.put(CATALOG_NEXT_ID_KEY, ROW_COLUMN, encodeNextId(id + 1))
  transaction.put(catalogTableKey(id), ROW_COLUMN, encodeTable(table))
  transaction.put(catalogNameKey(table.name), ROW_COLUMN, encodeCatalogName(id))
  finishChange(transaction, id)
  return { table, created: true }
}

/**
 * Drops a table; snapshots from before still see it and its rows. Answers its definition, or null
 * when there was none and `ifExists` allows that; otherwise that is `unknown_table`.
 */
export async function dropTable(
  transaction: CatalogWrites,
  catalog: Catalog,
  name: string,
  options: { readonly ifExists: boolean },
): Promise<TableDefinition | null> {
  if (options.ifExists && catalog.table(name) === undefined) return null
  const table = requireTable(catalog, name)
  transaction.delete(catalogTableKey(table.id), ROW_COLUMN)
  transaction.delete(catalogNameKey(name), ROW_COLUMN)
  finishChange(transaction, table.id)
  return table
}

function finishChange(transaction: CatalogWrites, tableId: number): void {
  transaction.put(CATALOG_VERSION_KEY, ROW_COLUMN, encodeCatalogVersion())
  transaction.changeSchema(tableId)
}

function requireFreeName(catalog: Catalog, name: string): void {
  const folded = name.toLowerCase()
  const other = catalog.tables().find((table) => table.name.toLowerCase() === folded)
  if (other === undefined) return
  const message =
    other.name === name
      ? `There is a table "${name}" already.`
      : `There is a table "${other.name}" already, and names must differ by more than case.`
  throw new StorageError('already_exists', message, { table: name, existing: other.name })
}

async function nextId(transaction: CatalogWrites): Promise<number> {
  const row = await transaction.getRow(CATALOG_NEXT_ID_KEY, [ROW_COLUMN])
  const cell = row?.columns.get(ROW_COLUMN)
  const id = cell === undefined ? 1 : decodeNextId(cell.value)
  if (id <= TABLE_ID_MAX) return id
  const message = `All ${TABLE_ID_MAX} table ids have been given out.`
  throw new StorageError('limit_exceeded', message, {
    limit: 'tableId',
    limitValue: TABLE_ID_MAX,
    actual: id,
  })
}
