// SPDX-License-Identifier: Apache-2.0
import { invalidDefinition, requireName } from './definition-name.ts'
import { requireOneIdentity } from './identity-column.ts'
import { type NewCheck, withCheck } from './new-check.ts'
import { defineColumn, type NewColumn, requireDistinctColumns } from './new-column.ts'
import { defineKey, type NewKeyPart, requireColumn } from './new-key.ts'
import { requireCount } from './table-counts.ts'
import type {
  ColumnDefinition,
  FamilyDefinition,
  KeyPart,
  TableDefinition,
} from './table-definition.ts'

export type { NewColumn } from './new-column.ts'

/** A table as CREATE TABLE describes it, before it has ids. */
export type NewTable = {
  readonly name: string
  readonly columns: readonly NewColumn[]
  readonly primaryKey: readonly NewKeyPart[]
  /** What is in none of them is in family 0. */
  readonly families?: readonly NewFamily[]
  /** In the order of the statement, as are the checks. */
  readonly uniques?: readonly NewUnique[]
  readonly checks?: readonly NewCheck[]
}
/** Columns that are unique besides the key; without a name the index is called by its table and its columns. */
export type NewUnique = { readonly name?: string; readonly parts: readonly NewKeyPart[] }
export type NewFamily = { readonly name: string; readonly columns: readonly string[] }

/**
 * The definition with this id, its columns and families numbered from 1.
 *
 * Errors: `invalid_definition` with the fields `table` and mostly `column`; `limit_exceeded` for the
 * length of names and the number of columns; `out_of_range` for a default that does not fit.
 */
export function defineTable(table: NewTable, id: number): TableDefinition {
  const { name, families = [] } = table
  requireTableName(name)
  requireCount(name, 'columns', table.columns.length)
  requireDistinctColumns(name, table.columns)
  const keyColumns = new Set(table.primaryKey.map((part) => part.column))
  const columns = table.columns.map((column, index) =>
    defineColumn(name, column, { id: index + 1, inKey: keyColumns.has(column.name) }),
  )
  const defined: TableDefinition = {
    id,
    name,
    columns: withFamilies(table, columns),
    nextColumnId: columns.length + 1,
    primaryKey: definePrimaryKey(table, columns),
    families: families.map(
      (family, index): FamilyDefinition => ({ id: index + 1, name: family.name }),
    ),
    indexes: [],
    observers: [],
    grants: [],
    checks: [],
    schedules: [],
  }
  requireOneIdentity(defined)
  return (table.checks ?? []).reduce((before, check) => withCheck(before, check, 'ready'), defined)
}

/** In a path, `.` and `..` are ways to another path: clients resolve them before they ask. */
export function requireTableName(name: string): void {
  requireName(name, { table: name })
  if (name !== '.' && name !== '..') return
  throw invalidDefinition(`A table cannot be named "${name}", which no path can hold.`, {
    table: name,
    hint: 'Choose a name with a letter in it.',
  })
}

function definePrimaryKey(table: NewTable, columns: readonly ColumnDefinition[]): KeyPart[] {
  if (table.primaryKey.length === 0) {
    const message = `Table "${table.name}" needs a primary key.`
    throw invalidDefinition(message, { table: table.name })
  }
  return defineKey('The primary key', table.primaryKey, columns, { table: table.name })
}

/** The columns with the family that each is in; a column is in one family, and those of the key in none. */
function withFamilies(
  { name: table, families = [], primaryKey }: NewTable,
  columns: readonly ColumnDefinition[],
): readonly ColumnDefinition[] {
  const familyOf = new Map<string, number>()
  families.forEach((family, position) => {
    requireFamilyName(table, families, position)
    for (const name of family.columns) {
      requireColumn(`Family "${family.name}"`, name, columns, { table })
      const fields = { table, column: name, family: family.name }
      if (familyOf.has(name)) {
        throw invalidDefinition(`Column "${name}" is in a family twice.`, fields)
      }
      if (primaryKey.some((part) => part.column === name)) {
        const message = `Column "${name}" is in the primary key, which is stored in no family.`
        throw invalidDefinition(message, fields)
      }
      familyOf.set(name, position + 1)
    }
  })
  return columns.map((column) => {
    const family = familyOf.get(column.name)
    return family === undefined ? column : { ...column, family }
  })
}

function requireFamilyName(table: string, families: readonly NewFamily[], position: number): void {
  const { name, columns } = families[position] as NewFamily
  const fields = { table, family: name }
  requireName(name, fields)
  const folded = name.toLowerCase()
  if (families.slice(0, position).some((earlier) => earlier.name.toLowerCase() === folded)) {
    throw invalidDefinition(`There are two families "${name}".`, fields)
  }
  if (columns.length === 0) throw invalidDefinition(`Family "${name}" has no columns.`, fields)
}
