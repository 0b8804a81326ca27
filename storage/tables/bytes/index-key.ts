// SPDX-License-Identifier: Apache-2.0
import { StorageError } from '../../errors.ts'
import { invariant } from '../../invariant.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import type { SqlType, SqlValue } from '../sql-type.ts'
import { requireValue } from '../sql-value.ts'
import {
  columnOf,
  type IndexDefinition,
  type KeyPart,
  type TableDefinition,
} from '../table-definition.ts'
import {
  damagedKey,
  encodeTextPrefixComponent,
  type KeyComponent,
  keyBound,
  keyComponentBytes,
  readKeyComponent,
  writeKeyComponent,
} from './key-component.ts'
import { idInKeySpace, KEY_SPACE_BYTES, keySpace, writeKeySpace } from './key-space.ts'

/**
 * The row key of an index entry: one byte for the space of indexes, the index's id, then the values of
 * its columns, and behind them the primary key, which makes equal values different entries. In a
 * unique index the values alone are the key, unless one of them is NULL.
 *
 *     INDEX byCustomer ON trade (customer), index 8, the row (id 1, customer 'bob'):
 *       02  00 00 00 08  10 62 6F 62 00 00  10 80 00 00 00 00 00 00 01
 */
const INDEX_SPACE = 0x02

/** The bytes that the keys of all entries of an index start with, and no other key. */
export function indexSpace(indexId: number): Uint8Array {
  return keySpace(INDEX_SPACE, indexId)
}

/** The id of the index that a row key belongs to; undefined for keys of other spaces. */
export function indexIdOf(rowKey: Uint8Array): number | undefined {
  return idInKeySpace(rowKey, INDEX_SPACE)
}

/**
 * What the keys of all entries with these leading values start with. Together with `endOfPrefix` it
 * makes the bounds of a range, as `encodePrimaryKeyBound` does; here NULL is a value like any other.
 * The values are of the `orderParts`, in a unique index of its own columns only: all of those are the
 * whole key of an entry there, when none is NULL.
 *
 *     a = 1              [P(1), end of P(1))
 *     a < 5, ascending   [end of P(NULL), P(5))          a NULL is not less than 5, and sorts first
 *     a < 5, descending  [end of P(5), P(NULL))
 *
 * Errors: `type_mismatch` and `out_of_range` (see `requireValue`).
 */
export function encodeIndexKey(
  table: TableDefinition,
  index: IndexDefinition,
  values: readonly SqlValue[],
): Uint8Array {
  const isBehind = values.length > index.parts.length
  return keyBound(encodeComponents(index, leadingComponents(table, index, { values, isBehind })))
}

/** What the entries are ordered by: the index's columns, then the others of the primary key. */
export function orderParts(table: TableDefinition, index: IndexDefinition): readonly KeyPart[] {
  const own = new Set(index.parts.map(({ columnId }) => columnId))
  return [...index.parts, ...table.primaryKey.filter(({ columnId }) => !own.has(columnId))]
}

/**
 * The prefix of the keys with these leading values whose next column, a TEXT, starts with `text`: the
 * bounds of a LIKE 'text%' are these and their `endOfPrefix`.
 */
export function encodeIndexTextPrefix(
  table: TableDefinition,
  index: IndexDefinition,
  values: readonly SqlValue[],
  text: string,
): Uint8Array {
  const part = orderParts(table, index)[values.length]
  invariant(part !== undefined, 'T1', { index: index.name, values: values.length })
  const { type } = columnOf(table, part.columnId).column
  invariant(type === 'TEXT', 'T1', { index: index.name, type })
  const isBehind = values.length >= index.parts.length
  const components = leadingComponents(table, index, { values, isBehind })
  const last = encodeTextPrefixComponent(text, part.descending)
  return keyBound(Buffer.concat([encodeComponents(index, components), last]))
}

/**
 * The key of the entry of a row with these values, and whether the primary key is part of it. Errors:
 * `type_mismatch` and `out_of_range` (see `requireValue`), `limit_exceeded` above `rowKeyBytesMax`.
 */
export function encodeEntryKey(
  table: TableDefinition,
  index: IndexDefinition,
  row: { readonly values: readonly SqlValue[]; readonly primaryKey: readonly SqlValue[] },
): { readonly key: Uint8Array; readonly isUnique: boolean } {
  const isUnique = index.unique && !row.values.includes(null)
  const components = componentsOf(table, index.parts, row.values)
  if (!isUnique) components.push(...componentsOf(table, table.primaryKey, row.primaryKey))
  const key = encodeComponents(index, components)
  requireKeySize(table, index, key.length)
  return { key, isUnique }
}

/**
 * What an entry's key says; `primaryKey` is absent where the entry's value has it. Throws a violation
 * of T1 for a key that is none of this index.
 */
export function decodeEntryKey(
  table: TableDefinition,
  index: IndexDefinition,
  key: Uint8Array,
): { readonly values: readonly SqlValue[]; readonly primaryKey?: readonly SqlValue[] } {
  const bytes = Buffer.isBuffer(key) ? key : Buffer.from(key.buffer, key.byteOffset, key.byteLength)
  if (indexIdOf(bytes) !== index.id) throw damagedKey(key, 0, `it is not of index ${index.id}`)
  const { values, end } = readComponents(table, index.parts, bytes, KEY_SPACE_BYTES)
  const isUnique = index.unique && !values.includes(null)
  if (isUnique) {
    if (end !== bytes.length) throw damagedKey(key, end, 'bytes follow the last value')
    return { values }
  }
  const rest = readComponents(table, table.primaryKey, bytes, end)
  if (rest.values.includes(null)) throw damagedKey(key, end, 'a primary key has no NULL')
  if (rest.end !== bytes.length) throw damagedKey(key, rest.end, 'bytes follow the key')
  return { values, primaryKey: rest.values }
}

/** The values of these columns one behind the other, as they stand in a key. */
export function componentsOf(
  table: TableDefinition,
  parts: readonly KeyPart[],
  values: readonly SqlValue[],
): KeyComponent[] {
  invariant(values.length <= parts.length, 'T1', { table: table.name, values: values.length })
  return values.map((value, place) => {
    const { columnId, descending } = parts[place] as KeyPart
    const { name, type } = columnOf(table, columnId).column
    requireValue(type, value, name)
    return { type, value, descending }
  })
}

export function componentBytes(components: readonly KeyComponent[]): number {
  return components.reduce((sum, { type, value }) => sum + keyComponentBytes(type, value), 0)
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

/** The values of these columns from `offset` on, and the offset behind them. Violations of T1. */
export function readComponents(
  table: TableDefinition,
  parts: readonly KeyPart[],
  bytes: Buffer,
  offset: number,
): { readonly values: readonly SqlValue[]; readonly end: number } {
  const values: SqlValue[] = []
  let end = offset
  for (const { columnId, descending } of parts) {
    const type: SqlType = columnOf(table, columnId).column.type
    const read = readKeyComponent(bytes, end, { type, descending })
    values.push(read.value)
    end = read.end
  }
  return { values, end }
}

/**
 * The components of a key up to these values. The primary key stands whole behind the index's columns,
 * so with `isBehind` those of its columns that the index has as well stand there a second time.
 */
function leadingComponents(
  table: TableDefinition,
  index: IndexDefinition,
  { values, isBehind }: { readonly values: readonly SqlValue[]; readonly isBehind: boolean },
): readonly KeyComponent[] {
  const own = values.slice(0, index.parts.length)
  const components = componentsOf(table, index.parts, own)
  if (!isBehind) return components
  invariant(!index.unique, 'T1', { index: index.name, values: values.length })
  const behind = values.slice(index.parts.length)
  const primaryKey: SqlValue[] = []
  for (const { columnId } of table.primaryKey) {
    const place = index.parts.findIndex((part) => part.columnId === columnId)
    const value = place < 0 ? behind.shift() : own[place]
    if (value === undefined) break
    primaryKey.push(value)
  }
  invariant(behind.length === 0, 'T1', { index: index.name, values: values.length })
  return [...components, ...componentsOf(table, table.primaryKey, primaryKey)]
}

function encodeComponents(index: IndexDefinition, components: readonly KeyComponent[]): Uint8Array {
  const key = Buffer.allocUnsafe(KEY_SPACE_BYTES + componentBytes(components))
  writeComponents(key, writeKeySpace(key, INDEX_SPACE, index.id), components)
  return key
}

function requireKeySize(table: TableDefinition, index: IndexDefinition, actual: number): void {
  const limit = STORAGE_LIMITS.rowKeyBytesMax
  if (actual <= limit) return
  const columns = index.parts.map(({ columnId }) => columnOf(table, columnId).column.name)
  const names = columns.map((name) => `"${name}"`).join(', ')
  throw new StorageError(
    'limit_exceeded',
    `The key of an entry takes at most ${limit} bytes; this one of the index "${index.name}" (${names}) takes ${actual}.`,
    {
      limit: 'rowKeyBytesMax',
      limitValue: limit,
      actual,
      table: table.name,
      index: index.name,
      columns,
    },
  )
}
