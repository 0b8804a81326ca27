// SPDX-License-Identifier: Apache-2.0

import { catalogNameKey, catalogTableKey, encodeCatalogName } from '../bytes/catalog-codec.ts'
import { ROW_COLUMN } from '../bytes/row-codec.ts'
import { freeName, requireFreeName } from '../definition-name.ts'
import { identityOf } from '../identity-column.ts'
import { defineIndex } from '../new-index.ts'
import { defineTable, type NewTable, type NewUnique, requireTableName } from '../new-table.ts'
import type { TableDefinition } from '../table-definition.ts'
import { type Catalog, requireTable } from './catalog.ts'
import { requireCatalogCounts } from './catalog-counts.ts'
import { type CatalogWrites, changeTable, takeIds, writeVersion } from './catalog-writes.ts'
import { forgetIdentity, writeIdentity } from './identity-row.ts'
import { forgetProgress } from './index-progress.ts'
import { forgetScheduleProgress } from './schedule-progress.ts'

/**
 * Creates a table. `catalog` is the one of this transaction. Returns the definition, and whether it is new: with
 * `ifNotExists` an existing table of that name is returned as it is.
 *
 * Errors: those of `defineTable`; `already_exists` with the field `existing`, also for a name that
 * differs from that of another table by case only; `limit_exceeded` for the number of tables.
 */
export async function createTable(
  transaction: CatalogWrites,
  catalog: Catalog,
  newTable: NewTable,
  options: { readonly ifNotExists: boolean },
): Promise<{ readonly table: TableDefinition; readonly created: boolean }> {
  const existing = catalog.table(newTable.name)
  if (existing !== undefined && options.ifNotExists) return { table: existing, created: false }
  requireFreeName('a table', newTable.name, catalog.tables(), { table: newTable.name })
  const uniques = newTable.uniques ?? []
  requireCatalogCounts(catalog, { tables: 1, parts: newTable.columns.length + uniques.length })
  const table = await takeIds(transaction, 1 + uniques.length, (id) =>
    uniques.reduce(
      (before, unique, at) => withUnique(catalog, before, unique, id + 1 + at),
      defineTable(newTable, id),
    ),
  )
  transaction.put(catalogNameKey(table.name), ROW_COLUMN, encodeCatalogName(table.id))
  const identity = identityOf(table)
  if (identity !== undefined) {
    const next = newTable.columns[identity.position]?.startWith ?? 1n
    writeIdentity(transaction, table, { series: identity.identity.series, next })
  }
  await changeTable(transaction, table)
  return { table, created: true }
}

/**
 * Gives a table another name, for snapshots from now on; all that belongs to it goes along. Returns whether it is
 * another one. Errors: `unknown_table`; `already_exists` with the field `existing`; those of `requireTableName`.
 */
export async function renameTable(
  transaction: CatalogWrites,
  catalog: Catalog,
  name: string,
  to: string,
): Promise<boolean> {
  const before = requireTable(catalog, name)
  if (name === to) return false
  transaction.requireRoom()
  requireTableName(to)
  const others = catalog.tables().filter(({ id }) => id !== before.id)
  requireFreeName('a table', to, others, { table: name })
  transaction.delete(catalogNameKey(name), ROW_COLUMN)
  transaction.put(catalogNameKey(to), ROW_COLUMN, encodeCatalogName(before.id))
  await changeTable(transaction, { ...before, name: to })
  return true
}

/** The table with this index, which is ready: there is no row yet. */
function withUnique(
  catalog: Catalog,
  table: TableDefinition,
  { name: given, parts }: NewUnique,
  id: number,
): TableDefinition {
  const known = [...catalog.indexes().map(({ index }) => index), ...table.indexes]
  const base = [table.name, ...parts.map(({ column }) => column), 'key'].join('_')
  const name = given ?? freeName(base, known)
  requireFreeName('an index', name, known, { table: table.name, index: name })
  const index = defineIndex(
    table,
    { name, table: table.name, unique: true, parts, storing: [] },
    id,
  )
  return { ...table, indexes: [...table.indexes, { ...index, state: 'ready' }] }
}

/**
 * Drops a table with its indexes; snapshots from before still see it and its rows. Returns its definition, or null when
 * there was none and `ifExists` allows that; otherwise that is `unknown_table`.
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
  for (const index of table.indexes) forgetProgress(transaction, index)
  for (const schedule of table.schedules) forgetScheduleProgress(transaction, schedule)
  if (identityOf(table) !== undefined) forgetIdentity(transaction, table)
  await writeVersion(transaction, table.id)
  transaction.changeSchema(table.id)
  return table
}
