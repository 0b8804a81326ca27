// SPDX-License-Identifier: Apache-2.0
import { freeName, invalidDefinition, requireFreeName, requireName } from './definition-name.ts'
import { requireColumn } from './new-key.ts'
import { requireCount } from './table-counts.ts'
import type { CheckConstraint, ColumnDefinition, TableDefinition } from './table-definition.ts'

/** A check as CREATE TABLE and ALTER TABLE describe it. */
export type NewCheck = {
  /** Without one it is called by its table, and by its column where it names one only. */
  readonly name?: string
  readonly text: string
  /** The names of its columns. */
  readonly columns: readonly string[]
}

/**
 * The table with this check after the others.
 *
 * Errors: `invalid_definition` for a check without columns, and for one over several families;
 * `already_exists` for its name; `limit_exceeded` for the length of that, and for the number of checks.
 */
export function withCheck(
  table: TableDefinition,
  { name: given, text, columns: names }: NewCheck,
  state: CheckConstraint['state'],
): TableDefinition {
  requireCount(table.name, 'checks', table.checks.length + 1)
  const name = given ?? freeName(nameOf(table, names), table.checks)
  const fields = { table: table.name, constraint: name }
  requireName(name, fields)
  requireFreeName('a constraint', name, table.checks, fields)
  const columns = names.map((column) => requireColumn('CHECK', column, table.columns, fields))
  if (columns.length === 0) {
    throw invalidDefinition('A CHECK of a table names at least one of its columns.', fields)
  }
  requireOneFamily(table, columns, fields)
  const ids = columns.map(({ id }) => id).sort((a, b) => a - b)
  return { ...table, checks: [...table.checks, { name, text, columns: ids, state }] }
}

/** Two transactions may write two families of a row at a time, and neither would see what the other one makes of it. */
function requireOneFamily(
  table: TableDefinition,
  columns: readonly ColumnDefinition[],
  fields: { readonly table: string; readonly constraint: string },
): void {
  const ofKey = new Set(table.primaryKey.map(({ columnId }) => columnId))
  const [first, ...others] = columns.filter(({ id }) => !ofKey.has(id))
  const apart = others.find(({ family }) => family !== first?.family)
  if (first === undefined || apart === undefined) return
  const message = `Columns "${first.name}" and "${apart.name}" are in different families, which transactions change apart from each other, so no CHECK of the table can compare them.`
  throw invalidDefinition(message, {
    ...fields,
    column: apart.name,
    hint: 'Put them into one family, or write a CHECK statement into the transactions that change them.',
  })
}

/** `account_balance_check`, or `account_check` for several columns. */
function nameOf({ name }: TableDefinition, columns: readonly string[]): string {
  return columns.length === 1 ? `${name}_${columns[0]}_check` : `${name}_check`
}
