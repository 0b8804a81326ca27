// SPDX-License-Identifier: Apache-2.0
import { bufferOf } from '../../cells/row-key.ts'
import { invariant } from '../../invariant.ts'
import type { SqlValue } from '../../values/sql-type.ts'
import {
  type IndexDefinition,
  isWhole,
  type KeyPart,
  type TableDefinition,
} from '../table-definition.ts'
import { damagedKey, keyBound } from './key-component.ts'
import { idInKeySpace, KEY_SPACE_BYTES, keySpace } from './key-space.ts'
import {
  componentsOf,
  encodeComponents,
  readComponents,
  requireKeySize,
  textPrefixBound,
} from './key-values.ts'

/**
 * The row key of an index entry: one byte for the space of indexes, the index's id, then the values of its columns,
 * then the primary key, which makes equal values different entries. In a unique index the values alone are the key,
 * unless one of them is NULL.
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
  return keyBound(encodeLeading(table, index, { values, isBehind }))
}

/** What the entries are ordered by: the index's columns, then the others of the primary key. */
export function orderParts(table: TableDefinition, index: IndexDefinition): readonly KeyPart[] {
  const own = new Set(index.parts.filter(isWhole).map(({ columnId }) => columnId))
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
  const isBehind = values.length >= index.parts.length
  const leading = encodeLeading(table, index, { values, isBehind })
  return textPrefixBound(table, leading, orderParts(table, index)[values.length], text)
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
  const key = encodeComponents(INDEX_SPACE, index.id, components)
  requireKeySize(key.length, table, index)
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
  const bytes = bufferOf(key)
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

/**
 * The bytes of a key up to these values. The primary key stands whole behind the index's columns,
 * so with `isBehind` those of its columns that the index has as well stand there a second time.
 */
function encodeLeading(
  table: TableDefinition,
  index: IndexDefinition,
  { values, isBehind }: { readonly values: readonly SqlValue[]; readonly isBehind: boolean },
): Uint8Array {
  const own = values.slice(0, index.parts.length)
  const components = componentsOf(table, index.parts, own)
  if (!isBehind) return encodeComponents(INDEX_SPACE, index.id, components)
  invariant(!index.unique, 'T1', { index: index.name, values: values.length })
  const behind = values.slice(index.parts.length)
  const primaryKey: SqlValue[] = []
  for (const { columnId } of table.primaryKey) {
    const position = index.parts.findIndex((part) => isWhole(part) && part.columnId === columnId)
    const value = position < 0 ? behind.shift() : own[position]
    if (value === undefined) break
    primaryKey.push(value)
  }
  invariant(behind.length === 0, 'T1', { index: index.name, values: values.length })
  components.push(...componentsOf(table, table.primaryKey, primaryKey))
  return encodeComponents(INDEX_SPACE, index.id, components)
}
