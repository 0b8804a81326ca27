// SPDX-License-Identifier: Apache-2.0

import { invalidDefinition } from '../definition-name.ts'
import { nearestNames } from '../nearest-names.ts'
import { type NewCheck, withCheck } from '../new-check.ts'
import type { CheckConstraint, TableDefinition } from '../table-definition.ts'
import { type Catalog, requireTable } from './catalog.ts'
import { type CatalogWrites, changeTable } from './catalog-writes.ts'

/**
 * Adds a check in the state `adding`: from this transaction's commit on, no transaction writes a row that fails it (the
 * schema fence of the table sees to that); then the rows of before have to be looked at, and `endAdding` called.
 * Returns whether it is new: what an earlier addition has left is taken as it is.
 *
 * Errors: `unknown_table`, those of `withCheck`.
 */
export async function addCheck(
  transaction: CatalogWrites,
  catalog: Catalog,
  tableName: string,
  check: NewCheck,
): Promise<boolean> {
  const before = requireTable(catalog, tableName)
  transaction.requireRoom()
  if (unfinishedCheck(before, check) !== undefined) return false
  await changeTable(transaction, withCheck(before, check, 'adding'))
  return true
}

/** The same check, whose addition has not ended. */
export function unfinishedCheck(
  { checks }: TableDefinition,
  { name, text }: Pick<NewCheck, 'name' | 'text'>,
): CheckConstraint | undefined {
  return checks.find(
    (check) =>
      check.state === 'adding' && check.text === text && (name ?? check.name) === check.name,
  )
}

/**
 * Ends the addition: every row meets the check, or it is taken back. One that `isNotNull` says that its column is never
 * NULL, and the column says so itself from then on. Who wrote by the definition before met it as well, so no
 * transaction has to fail for this. Errors: `unknown_table`; `invalid_definition` for one that is gone.
 */
export async function endAdding(
  transaction: CatalogWrites,
  catalog: Catalog,
  tableName: string,
  ended: { readonly name: string; readonly isMet: boolean; readonly isNotNull: boolean },
): Promise<void> {
  const { name, isMet, isNotNull } = ended
  if (!isMet) {
    await dropCheck(transaction, catalog, tableName, name)
    return
  }
  const before = requireTable(catalog, tableName)
  requireCheck(before, name)
  const after = isNotNull ? withNotNull(before, name) : withReady(before, name)
  await changeTable(transaction, after, { isFenced: false })
}

function withReady(table: TableDefinition, name: string): TableDefinition {
  const checks = table.checks.map((check) =>
    check.name === name ? { ...check, state: 'ready' as const } : check,
  )
  return { ...table, checks }
}

function withNotNull(table: TableDefinition, name: string): TableDefinition {
  const ended = table.checks.find((check) => check.name === name)
  const columns = table.columns.map((column) =>
    ended?.columns.includes(column.id) ? { ...column, notNull: true } : column,
  )
  return { ...table, columns, checks: table.checks.filter((check) => check !== ended) }
}

/** Drops a check, at once. Errors: `unknown_table`; `invalid_definition` for no such check. */
export async function dropCheck(
  transaction: CatalogWrites,
  catalog: Catalog,
  tableName: string,
  name: string,
): Promise<TableDefinition> {
  const before = requireTable(catalog, tableName)
  requireCheck(before, name)
  const checks = before.checks.filter((check) => check.name !== name)
  // Whoever wrote by the definition before has checked more than is asked.
  return await changeTable(transaction, { ...before, checks }, { isFenced: false })
}

function requireCheck({ name: table, checks }: TableDefinition, name: string): void {
  if (checks.some((check) => check.name === name)) return
  const nearest = nearestNames(
    name,
    checks.map((check) => check.name),
  )
  const message = `The table "${table}" has no constraint "${name}".`
  throw invalidDefinition(message, { table, constraint: name, nearest })
}
