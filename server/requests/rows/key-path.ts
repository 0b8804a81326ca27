// SPDX-License-Identifier: Apache-2.0
import { PlanError, valueFromJson, valueToJson } from '../../../planner/planner.ts'
import {
  type IndexDefinition,
  type KeyPart,
  keyColumns,
  partName,
  partType,
  type TableDefinition,
} from '../../../storage/tables/tables.ts'
import type { SqlType, SqlValue } from '../../../storage/values/values.ts'
import { ServerError } from '../../errors/server-error.ts'

/**
 * A primary key as it stands in a path: components joined by `,`; inside one, `~1` is a comma and
 * `~0` a tilde. `~2` is a dot, for a key that is `.` or `..`, which would lead to another path, and
 * `~3` nothing at all, for an empty one. TIMESTAMP is ISO, BYTES base64url. The path itself has been
 * percent-decoded before.
 *
 *     (customer TEXT, at TIMESTAMP)      o'hara~1 ltd,2026-01-31T12:00:00Z
 */
export function readKeyPath(table: TableDefinition, path: string): SqlValue[] {
  const components = path.split(',')
  const count = table.primaryKey.length
  if (components.length !== count) throw wrongLength(table.name, `${count}`, components.length)
  return table.primaryKey.map((part, at) => partValue(table, part, components[at] ?? ''))
}

/**
 * The key of an index entry, written alike: the values of the index's columns, `~4` for NULL, and then those of the
 * primary key, which the key has not where the index is unique and no value is NULL.
 *
 *     INDEX byCustomer ON trade (customer), primary key (id)     bob,7
 *     UNIQUE INDEX byEmail ON user (email)                       b@x      and with NULL   ~4,7
 */
export function readEntryKeyPath(
  table: TableDefinition,
  index: IndexDefinition,
  path: string,
): SqlValue[] {
  const components = path.split(',')
  const values = index.parts.map((part, at) =>
    components[at] === NULL ? null : partValue(table, part, components[at] ?? ''),
  )
  const parts = entryKeyParts(table, index, values)
  if (components.length !== parts.length) {
    const names = parts.map((part) => partName(table, part))
    throw wrongLength(index.name, `${parts.length} (${names.join(', ')})`, components.length)
  }
  const behind = parts.slice(index.parts.length)
  const from = index.parts.length
  const primaryKey = behind.map((part, at) => partValue(table, part, components[from + at] ?? ''))
  return [...values, ...primaryKey]
}

/** The columns of an entry's key, of which the first have these values. */
export function entryKeyParts(
  { primaryKey }: TableDefinition,
  { unique, parts }: IndexDefinition,
  values: readonly SqlValue[],
): readonly KeyPart[] {
  return unique && !values.includes(null) ? parts : [...parts, ...primaryKey]
}

const NULL = '~4'

function wrongLength(name: string, wanted: string, given: number): ServerError {
  return new ServerError(
    'invalid_request',
    `The key of "${name}" has ${wanted} components, and ${given} are given.`,
    { hint: 'write a comma inside a component as ~1, and a tilde as ~0' },
  )
}

function partValue(table: TableDefinition, part: KeyPart, component: string): SqlValue {
  return componentValue(partType(table, part), unescapeComponent(component))
}

/** The same in the other direction, ready to stand in a URL. */
export function writeKeyPath(table: TableDefinition, key: readonly SqlValue[]): string {
  return keyComponents(table, key).map(encodeURIComponent).join(',')
}

/** What `readKeyPath` reads, without the percent-encoding of a URL. */
export function writeKeyText(table: TableDefinition, key: readonly SqlValue[]): string {
  return keyComponents(table, key).join(',')
}

function keyComponents(table: TableDefinition, key: readonly SqlValue[]): readonly string[] {
  return keyColumns(table).map(({ type }, index) =>
    escapeComponent(textOf(type, key[index] ?? null)),
  )
}

function textOf(type: SqlType, value: SqlValue): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64url')
  return String(valueToJson(type, value, { integers: 'string' }))
}

function escapeComponent(text: string): string {
  if (text === '') return '~3'
  const escaped = text.replaceAll('~', '~0').replaceAll(',', '~1')
  return /^\.+$/.test(escaped) ? escaped.replaceAll('.', '~2') : escaped
}

const ESCAPES: Readonly<Record<string, string>> = { 0: '~', 1: ',', 2: '.', 3: '' }

/** Throws `invalid_request`. */
export function unescapeComponent(component: string): string {
  return component.replaceAll(/~(.?)/gs, (sequence, character: string) => {
    const meant = Object.hasOwn(ESCAPES, character) ? ESCAPES[character] : undefined
    if (meant !== undefined) return meant
    throw new ServerError(
      'invalid_request',
      `In a key, "${sequence}" is none of ~0, ~1, ~2 and ~3.`,
    )
  })
}

function componentValue(type: SqlType, text: string): SqlValue {
  const value = valueFromJson(type, jsonOf(type, text))
  if (value === null) throw new PlanError('type_mismatch', `"${text}" is not ${type}.`)
  return value
}

/** The JSON that stands for the same value. */
function jsonOf(type: SqlType, text: string): unknown {
  switch (type) {
    case 'REAL':
      return /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(text) ? Number(text) : text
    case 'BOOLEAN':
      return text === 'true' || text === 'false' ? text === 'true' : text
    case 'BYTES':
      return text.replaceAll('-', '+').replaceAll('_', '/')
    default:
      return text
  }
}
