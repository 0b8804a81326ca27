// SPDX-License-Identifier: Apache-2.0

import { nowOf } from '../../values/days.ts'
import type { SqlValue } from '../../values/sql-type.ts'
import { isKeyColumn } from '../bytes/row-codec.ts'
import { invalidDefinition } from '../definition-name.ts'
import { requireNoIdentity } from '../identity-column.ts'
import {
  defineColumn,
  type NewColumn,
  requireDefault,
  requireDistinctColumns,
} from '../new-column.ts'
import { requireColumn } from '../new-key.ts'
import { requireNoCheckOn, requireNoRuleOn } from '../row-rules.ts'
import { requireCount } from '../table-counts.ts'
import type { ColumnDefault, ColumnDefinition, TableDefinition } from '../table-definition.ts'
import { type Catalog, requireTable } from './catalog.ts'
import { requireCatalogCounts } from './catalog-counts.ts'
import { type CatalogWrites, changeTable } from './catalog-writes.ts'
import { forgetIdentity } from './identity-row.ts'

/**
 * Adds a column after the others, at once however many rows there are: rows of before lack it, and reading gives them
 * the value that its default has now. now() is the time of this change for all of them; uuid() would be one id for all
 * of them and is refused.
 *
 * Errors: `unknown_table`; those of `defineColumn`; `invalid_definition` for a NOT NULL without a
 * default; `limit_exceeded` for the number of columns.
 */
export async function addColumn(
  transaction: CatalogWrites,
  catalog: Catalog,
  tableName: string,
  newColumn: NewColumn,
): Promise<TableDefinition> {
  const before = requireTable(catalog, tableName)
  transaction.requireRoom()
  requireCatalogCounts(catalog, { parts: 1 })
  requireCount(tableName, 'columns', before.columns.length + 1)
  requireDistinctColumns(tableName, [...before.columns, newColumn])
  const id = before.nextColumnId
  const column = defineColumn(tableName, newColumn, { id, inKey: false })
  const valueBefore = valueOfOldRows(tableName, column, BigInt(transaction.now))
  const added = valueBefore === null ? column : { ...column, valueBefore }
  const table = { ...before, columns: [...before.columns, added], nextColumnId: id + 1 }
  return await changeTable(transaction, table)
}

/**
 * Drops a column, at once: its values stay in the rows until these are written again, and are not read, because no
 * later column gets its id.
 *
 * Errors: `unknown_table`; `invalid_definition` for no such column, and for one of the primary key or
 * of an index, an observer, a rule or a check, which is named in `index`, `observer`, `role` or `constraint`.
 */
export async function dropColumn(
  transaction: CatalogWrites,
  catalog: Catalog,
  tableName: string,
  columnName: string,
): Promise<TableDefinition> {
  const before = requireTable(catalog, tableName)
  const column = requireColumn('DROP COLUMN', columnName, before.columns, { table: tableName })
  requireUnused(before, column)
  if (column.default?.kind === 'identity') forgetIdentity(transaction, before)
  const table = { ...before, columns: before.columns.filter(({ id }) => id !== column.id) }
  return await changeTable(transaction, table)
}

export type ColumnChange =
  | { readonly kind: 'setDefault'; readonly default: ColumnDefault }
  | { readonly kind: 'dropDefault' | 'dropNotNull' }

/**
 * Changes what new rows have in a column, or lets it be NULL; rows that are there stay as they are. Errors:
 * `unknown_table`; `invalid_definition` for no such column, a default that does not fit, and a column of the key.
 */
export async function alterColumn(
  transaction: CatalogWrites,
  catalog: Catalog,
  tableName: string,
  { name, change }: { readonly name: string; readonly change: ColumnChange },
): Promise<TableDefinition> {
  const before = requireTable(catalog, tableName)
  const column = requireColumn('ALTER COLUMN', name, before.columns, { table: tableName })
  transaction.requireRoom()
  requireNoIdentity(tableName, column)
  const changed = changedColumn(before, column, change)
  const columns = before.columns.map((other) => (other.id === column.id ? changed : other))
  return await changeTable(transaction, { ...before, columns })
}

function changedColumn(
  table: TableDefinition,
  column: ColumnDefinition,
  change: ColumnChange,
): ColumnDefinition {
  const { default: given, ...bare } = column
  switch (change.kind) {
    case 'dropDefault':
      return bare
    case 'setDefault':
      requireDefault(table.name, column, change.default)
      return { ...bare, default: change.default }
    case 'dropNotNull': {
      const { name } = column
      if (!isKeyColumn(table, column.id)) return { ...column, notNull: false }
      const message = `Column "${name}" is in the primary key of "${table.name}", which has no NULL.`
      throw invalidDefinition(message, { table: table.name, column: name })
    }
  }
}

/**
 * Gives a column another name, for snapshots from now on; keys, indexes, families and observers know it by its id.
 * Returns whether it is another one.
 * Errors: `unknown_table`; `invalid_definition` for no such column, a name that another one has, and a column that a
 * rule or a check names, whose text would name another one.
 */
export async function renameColumn(
  transaction: CatalogWrites,
  catalog: Catalog,
  tableName: string,
  { name, to }: { readonly name: string; readonly to: string },
): Promise<boolean> {
  const before = requireTable(catalog, tableName)
  const column = requireColumn('RENAME COLUMN', name, before.columns, { table: tableName })
  if (name === to) return false
  transaction.requireRoom()
  requireNoRuleOn(before, column)
  requireNoCheckOn(before, column)
  const columns = before.columns.map((other) =>
    other.id === column.id ? { ...other, name: to } : other,
  )
  requireDistinctColumns(tableName, columns)
  await changeTable(transaction, { ...before, columns })
  return true
}

function valueOfOldRows(table: string, column: ColumnDefinition, now: bigint): SqlValue {
  const fields = { table, column: column.name }
  switch (column.default?.kind) {
    case 'literal':
      return column.default.value
    case 'now':
      return nowOf(column.type, now)
    case 'uuid':
      throw invalidDefinition(
        `A uuid() that is added to a table would be the same for all its rows; add column "${column.name}" without a default.`,
        fields,
      )
    case 'identity':
      throw invalidDefinition(
        `The rows that are there would all need a number of their own: column "${column.name}" can be GENERATED AS IDENTITY only from the CREATE TABLE on.`,
        {
          ...fields,
          hint: 'Create another table with it, and write the rows over in the order that their numbers should have.',
        },
      )
    case undefined:
      if (!column.notNull) return null
      throw invalidDefinition(
        `Column "${column.name}" is NOT NULL and needs a default, for the rows that are there already.`,
        fields,
      )
  }
}

function requireUnused(table: TableDefinition, column: ColumnDefinition): void {
  requireNoRuleOn(table, column)
  requireNoCheckOn(table, column)
  const { id, name } = column
  const fields = { table: table.name, column: name }
  if (isKeyColumn(table, id)) {
    throw invalidDefinition(`Column "${name}" is in the primary key of "${table.name}".`, fields)
  }
  const index = table.indexes.find(
    ({ parts, storing }) => storing.includes(id) || parts.some(({ columnId }) => columnId === id),
  )
  if (index !== undefined) {
    const message = `Column "${name}" is in the index "${index.name}"; drop that first.`
    throw invalidDefinition(message, { ...fields, index: index.name })
  }
  const observer = table.observers.find(({ columns }) => columns.includes(id))
  if (observer === undefined) return
  const message = `Column "${name}" is observed by "${observer.name}"; drop that observer first.`
  throw invalidDefinition(message, { ...fields, observer: observer.name })
}
