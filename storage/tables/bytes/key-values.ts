// SPDX-License-Identifier: Apache-2.0
import { limitExceeded } from '../../errors.ts'
import { invariant } from '../../invariant.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import type { SqlValue } from '../../values/sql-type.ts'
import { requireValue } from '../../values/sql-value.ts'
import {
  columnOf,
  type IndexDefinition,
  type KeyPart,
  partName,
  partType,
  type TableDefinition,
} from '../table-definition.ts'
import {
  encodeKeyComponent,
  type KeyComponent,
  keyBound,
  keyComponentBytes,
  readKeyComponent,
  writeKeyComponent,
} from './key-component.ts'
import { KEY_SPACE_BYTES, writeKeySpace } from './key-space.ts'

/** The values of these columns one after the other, as in a key. */
export function componentsOf(
  table: TableDefinition,
  parts: readonly KeyPart[],
  values: readonly SqlValue[],
): KeyComponent[] {
  invariant(values.length <= parts.length, 'T1', { table: table.name, values: values.length })
  return values.map((value, position) => {
    const part = parts[position] as KeyPart
    const type = partType(table, part)
    const { name, size } = columnOf(table, part.columnId).column
    requireValue(type, value, name)
    return { type, value, descending: part.descending, size }
  })
}

export function componentBytes(components: readonly KeyComponent[]): number {
  let bytes = 0
  for (const component of components) bytes += keyComponentBytes(component, component.value)
  return bytes
}

export function writeComponents(
  target: Buffer,
  offset: number,
  components: readonly KeyComponent[],
): number {
  let end = offset
  for (const component of components) end = writeKeyComponent(target, end, component)
  return end
}

/** The key in this space of the table or index with this id. */
export function encodeComponents(
  space: number,
  id: number,
  components: readonly KeyComponent[],
): Uint8Array {
  const key = Buffer.allocUnsafe(KEY_SPACE_BYTES + componentBytes(components))
  writeComponents(key, writeKeySpace(key, space, id), components)
  return key
}

/** The values of these columns from `offset` on, and the offset after them. Throws on violations of T1. */
export function readComponents(
  table: TableDefinition,
  parts: readonly KeyPart[],
  bytes: Buffer,
  offset: number,
): { readonly values: SqlValue[]; readonly end: number } {
  const values: SqlValue[] = []
  let end = offset
  for (const part of parts) {
    const { descending } = part
    const { size } = columnOf(table, part.columnId).column
    const read = readKeyComponent(bytes, end, { type: partType(table, part), descending, size })
    values.push(read.value)
    end = read.end
  }
  return { values, end }
}

/**
 * The bytes that the keys start with which have these `leading` ones and then, in a TEXT column, a value that
 * starts with `text`: the bounds of a LIKE 'text%' are these and their `endOfPrefix`, ascending or descending.
 */
export function textPrefixBound(
  table: TableDefinition,
  leading: Uint8Array,
  part: KeyPart | undefined,
  text: string,
): Uint8Array {
  invariant(part !== undefined, 'T1', { table: table.name })
  const type = partType(table, part)
  invariant(type === 'TEXT', 'T1', { table: table.name, type })
  const component = encodeKeyComponent('TEXT', text, part.descending)
  // Without the two bytes that end a text, which a longer one has elsewhere.
  return keyBound(Buffer.concat([leading, component.subarray(0, -2)]))
}

/** Throws `limit_exceeded` for a key of the table, or of an entry of its index, above `rowKeyBytesMax`. */
export function requireKeySize(
  actual: number,
  table: TableDefinition,
  index?: IndexDefinition,
): void {
  const limit = STORAGE_LIMITS.rowKeyBytesMax
  if (actual <= limit) return
  const parts = index?.parts ?? table.primaryKey
  const columns = parts.map((part) => partName(table, part))
  const names = columns.map((name) => `"${name}"`).join(', ')
  const key = index === undefined ? 'A row key' : 'The key of an entry'
  const owner = index === undefined ? `"${table.name}"` : `the index "${index.name}"`
  const message = `${key} takes at most ${limit} bytes; this one of ${owner} (${names}) takes ${actual}.`
  const fields = { table: table.name, ...(index !== undefined && { index: index.name }), columns }
  throw limitExceeded('rowKeyBytesMax', actual, message, fields)
}
