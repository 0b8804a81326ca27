// SPDX-License-Identifier: Apache-2.0
import { invalidDefinition } from './definition-name.ts'
import { nearestNames } from './nearest-names.ts'
import type { ColumnDefinition, KeyPart } from './table-definition.ts'

export type NewKeyPart = { readonly column: string; readonly descending: boolean }

/**
 * The columns of a key by their ids. `keyName` begins the sentences of the errors, such as `The primary
 * key`. Errors: `invalid_definition` with the given fields and mostly `column`.
 */
export function defineKey(
  keyName: string,
  parts: readonly NewKeyPart[],
  columns: readonly ColumnDefinition[],
  given: { readonly table: string; readonly index?: string },
): KeyPart[] {
  const used = new Set<string>()
  return parts.map(({ column: name, descending }) => {
    const fields = { ...given, column: name }
    const column = requireColumn(keyName, name, columns, given)
    if (column.type === 'JSON') {
      const message = `Column "${name}" is JSON, which has no order and cannot be a key.`
      throw invalidDefinition(message, fields)
    }
    if (used.has(name)) throw invalidDefinition(`${keyName} names "${name}" twice.`, fields)
    used.add(name)
    return { columnId: column.id, descending }
  })
}

/** The column of this name, or `invalid_definition` with the names that come near it. */
export function requireColumn(
  namedBy: string,
  name: string,
  columns: readonly ColumnDefinition[],
  fields: { readonly table: string },
): ColumnDefinition {
  const column = columns.find((candidate) => candidate.name === name)
  if (column !== undefined) return column
  const known = columns.map((candidate) => candidate.name)
  const nearest = nearestNames(name, known)
  const message = `${namedBy} names "${name}", which is no column.`
  throw invalidDefinition(message, { ...fields, column: name, nearest })
}
