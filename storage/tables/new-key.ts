// SPDX-License-Identifier: Apache-2.0
import type { ErrorFields } from '../errors.ts'
import { type JsonStep, pathText } from '../values/json/json-path.ts'
import { invalidDefinition, requireName } from './definition-name.ts'
import { nearestNames } from './nearest-names.ts'
import { type ColumnDefinition, EACH_WORDS, type KeyPart } from './table-definition.ts'

export type NewKeyPart = Pick<KeyPart, 'descending' | 'path' | 'each'> & { readonly column: string }

/**
 * The columns of a key by their ids, and paths into those that are JSON. `keyName` begins the sentences of the errors,
 * such as `The primary key`. Errors: `invalid_definition` with the given fields and mostly `column`.
 */
export function defineKey(
  keyName: string,
  parts: readonly NewKeyPart[],
  columns: readonly ColumnDefinition[],
  given: { readonly table: string; readonly index?: string },
): KeyPart[] {
  const used = new Set<string>()
  return parts.map(({ column: name, descending, path, each }) => {
    const fields = { ...given, column: name }
    const column = requireColumn(keyName, name, columns, given)
    const begin = each === undefined ? '' : `${EACH_WORDS[each]} `
    const shown = `${begin}"${name}"${pathText(path ?? [], each === 'members' ? '>' : '>>')}`
    if (path !== undefined || each === 'members') requireJson(column, path ?? [], fields)
    else if (each === 'words') requireText(column, fields)
    else requireOrder(column, fields)
    if (used.has(shown)) throw invalidDefinition(`${keyName} names ${shown} twice.`, fields)
    used.add(shown)
    return { columnId: column.id, descending, ...(path && { path }), ...(each && { each }) }
  })
}

function requireOrder({ name, type }: ColumnDefinition, fields: ErrorFields): void {
  if (type !== 'JSON') return
  const message = `Column "${name}" is JSON, which has no order and cannot be a key; an index can have a path into it, such as "${name}"->>'name', or EACH "${name}" for its members.`
  throw invalidDefinition(message, fields)
}

function requireText({ name, type }: ColumnDefinition, fields: ErrorFields): void {
  if (type === 'TEXT') return
  const message = `Column "${name}" is ${type}, and only TEXT has WORDS.`
  throw invalidDefinition(message, fields)
}

function requireJson(
  { name, type }: ColumnDefinition,
  path: readonly JsonStep[],
  fields: ErrorFields,
): void {
  if (type !== 'JSON') {
    throw invalidDefinition(
      `Column "${name}" is ${type}, and only JSON has a path, or members for EACH.`,
      fields,
    )
  }
  // It stands in the catalog as names do, and is shown as they are.
  if (path.length > 0) requireName(pathText(path), fields, 'A path')
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
