// SPDX-License-Identifier: Apache-2.0
import { invalidDefinition } from './definition-name.ts'
import type { ColumnDefinition, IdentityDefault, TableDefinition } from './table-definition.ts'

/** The column whose numbers the store hands out, and where it stands in a row; undefined where there is none. */
export function identityOf({ columns }: TableDefinition): IdentityColumn | undefined {
  for (const [position, column] of columns.entries()) {
    if (column.default?.kind === 'identity') return { position, column, identity: column.default }
  }
  return undefined
}

export type IdentityColumn = {
  readonly position: number
  readonly column: ColumnDefinition
  readonly identity: IdentityDefault
}

/** There is one counter for a table. Throws `invalid_definition`. */
export function requireOneIdentity({ name: table, columns }: TableDefinition): void {
  const [, second] = columns.filter((column) => column.default?.kind === 'identity')
  if (second === undefined) return
  const message = `A table has at most one column that is GENERATED AS IDENTITY, and "${second.name}" is the second one.`
  throw invalidDefinition(message, { table, column: second.name })
}

/** Of a definition, with the counter of the first series. Throws `invalid_definition` for another type. */
export function requireIdentityType(table: string, { name, type }: ColumnDefinition): void {
  if (type === 'INTEGER') return
  const message = `Column "${name}" is ${type}, and only an INTEGER can be GENERATED AS IDENTITY.`
  throw invalidDefinition(message, { table, column: name })
}

/** Throws `invalid_definition`: neither its default nor its NOT NULL can be taken from it. */
export function requireNoIdentity(table: string, column: ColumnDefinition): void {
  if (column.default?.kind !== 'identity') return
  const message = `Column "${column.name}" is GENERATED AS IDENTITY, which stays as it is: RESTART WITH says which number is next.`
  throw invalidDefinition(message, { table, column: column.name })
}
