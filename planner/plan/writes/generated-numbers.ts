// SPDX-License-Identifier: Apache-2.0
import type { Name } from '../../../parser/ast.ts'
import { identityOf, type TableDefinition } from '../../../storage/tables/tables.ts'
import { PlanError } from '../../plan-error.ts'

/** The identity column, where it is one of these, which are given no value. */
export function numberedAmong(
  table: TableDefinition,
  missing: readonly number[],
): { readonly numbered?: number } {
  const position = identityOf(table)?.position
  return position !== undefined && missing.includes(position) ? { numbered: position } : {}
}

/** Whether nobody else than the store says what the keys of new rows are. */
export function isKeyGenerated(table: TableDefinition): boolean {
  const found = identityOf(table)
  if (found?.identity.isAlways !== true) return false
  return table.primaryKey.some(({ columnId }) => columnId === found.column.id)
}

/** Throws PlanError for a value of a column that is GENERATED ALWAYS. */
export function requireNoneGenerated(table: TableDefinition, named: readonly Name[]): void {
  const found = identityOf(table)
  if (found?.identity.isAlways !== true) return
  const name = named.find(({ text }) => text === found.column.name)
  if (name === undefined) return
  const message = `The column ${name.text} of ${table.name} is GENERATED ALWAYS, and is given no value.`
  throw new PlanError('invalid_request', message, {
    position: name.position,
    hint: 'Leave it out: a new row has the next number. An INSERT … (…) OVERRIDING SYSTEM VALUE VALUES … gives one all the same.',
    fields: { table: table.name, column: name.text },
  })
}
