// SPDX-License-Identifier: Apache-2.0
import { bufferOf } from '../../cells/row-key.ts'
import { StorageError } from '../../errors.ts'
import { invariant } from '../../invariant.ts'
import type { SqlValue } from '../../values/sql-type.ts'
import { requireValue } from '../../values/sql-value.ts'
import { type PrimaryKeyPart, primaryKeyParts, type TableDefinition } from '../table-definition.ts'
import {
  damagedKey,
  keyBound,
  keyComponentBytes,
  readKeyComponent,
  writeKeyComponent,
} from './key-component.ts'
import { idInKeySpace, KEY_SPACE_BYTES, keySpace, writeKeySpace } from './key-space.ts'
import { requireKeySize, textPrefixBound } from './key-values.ts'

export { compareRowKeys, endOfPrefix } from '../../cells/row-key.ts'
export { encodeKeyComponent } from './key-component.ts'

/**
 * The row key of a SQL row: one byte for the space of tables, the table's id, then the values of
 * the primary key.
 *
 *     account (id TEXT PRIMARY KEY), table 7, row 'bob':   01  00 00 00 07  10 62 6F 62 00 00
 */
const TABLE_SPACE = 0x01

/** The bytes that the keys of all rows of a table start with, and no other key. */
export function tableSpace(tableId: number): Uint8Array {
  return keySpace(TABLE_SPACE, tableId)
}

/** The id of the table that a row key belongs to; undefined for keys of other spaces. */
export function tableIdOf(rowKey: Uint8Array): number | undefined {
  return idInKeySpace(rowKey, TABLE_SPACE)
}

/**
 * The row key of these values of the primary key's columns, in key order. Errors: `type_mismatch` and
 * `out_of_range` (see `requireValue`; NULL is no key value), `limit_exceeded` above `rowKeyBytesMax`.
 */
export function encodePrimaryKey(
  table: TableDefinition,
  keyValues: readonly SqlValue[],
): Uint8Array {
  const key = encodeValues(table, keyValues, { isBound: false })
  requireKeySize(key.length, table)
  return key
}

/**
 * The same for reading, where a key that no row can have is simply not found (see `keyBound`). Fewer
 * values than columns give the prefix that all keys with these leading values share; together with
 * `endOfPrefix` and `keyAfter` it makes the bounds of a range:
 *
 *     a = 1            start P(1)                end endOfPrefix(P(1))
 *     a = 1, b > 5     start endOfPrefix(P(1,5)) end endOfPrefix(P(1))     (b ascending)
 *
 * Errors: those of `encodePrimaryKey`, without the limit.
 */
export function encodePrimaryKeyBound(
  table: TableDefinition,
  keyValues: readonly SqlValue[],
): Uint8Array {
  return keyBound(encodeValues(table, keyValues, { isBound: true }))
}

/**
 * The prefix of all keys with these leading values whose next column, a TEXT, starts with `text`:
 * the lower bound of a LIKE 'text%', and by `endOfPrefix` the upper one, ascending or descending.
 */
export function encodeTextPrefix(
  table: TableDefinition,
  keyValues: readonly SqlValue[],
  text: string,
): Uint8Array {
  const part = table.primaryKey[keyValues.length]
  const leading = encodeValues(table, keyValues, { isBound: true })
  return textPrefixBound(table, leading, part, text)
}

/** The values of the primary key, in key order. Throws a violation of T1 for any other bytes. */
export function decodePrimaryKey(table: TableDefinition, key: Uint8Array): SqlValue[] {
  const bytes = bufferOf(key)
  if (tableIdOf(bytes) !== table.id) throw damagedKey(key, 0, `it is not of table ${table.id}`)
  const values: SqlValue[] = []
  let end = KEY_SPACE_BYTES
  for (const part of primaryKeyParts(table)) {
    const read = readKeyComponent(bytes, end, part)
    if (read.value === null) throw damagedKey(key, KEY_SPACE_BYTES, 'a primary key has no NULL')
    values.push(read.value)
    end = read.end
  }
  if (end !== bytes.length) throw damagedKey(key, end, 'bytes follow the last value')
  return values
}

/** A bound may be between two values of its column. */
function encodeValues(
  table: TableDefinition,
  keyValues: readonly SqlValue[],
  { isBound }: { readonly isBound: boolean },
): Uint8Array {
  const parts = primaryKeyParts(table)
  invariant(keyValues.length <= parts.length, 'T1', { table: table.name, values: keyValues.length })
  let bytes = KEY_SPACE_BYTES
  for (let at = 0; at < keyValues.length; at += 1) {
    const value = keyValues[at] as SqlValue
    if (value === null) throw nullInKey(table, at)
    const part = parts[at] as PrimaryKeyPart
    requireValue(part.type, value, part.name, isBound ? undefined : part.size)
    bytes += keyComponentBytes(part, value)
  }
  const key = Buffer.allocUnsafe(bytes)
  let end = writeKeySpace(key, TABLE_SPACE, table.id)
  for (let at = 0; at < keyValues.length; at += 1) {
    const { type, descending, size } = parts[at] as PrimaryKeyPart
    end = writeKeyComponent(key, end, { type, value: keyValues[at] as SqlValue, descending, size })
  }
  return key
}

function nullInKey(table: TableDefinition, position: number): StorageError {
  const { name } = primaryKeyParts(table)[position] as PrimaryKeyPart
  const message = `Column "${name}" is in the primary key of "${table.name}" and cannot be NULL.`
  return new StorageError('type_mismatch', message, { table: table.name, column: name })
}
