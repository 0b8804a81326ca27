// SPDX-License-Identifier: Apache-2.0
import { Buffer } from 'node:buffer'
import { StorageError } from '../../errors.ts'
import { invariant } from '../../invariant.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import type { SqlType, SqlValue } from '../sql-type.ts'
import { requireValue } from '../sql-value.ts'
import { type ColumnDefinition, columnPosition, type TableDefinition } from '../table-definition.ts'
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

export { compareRowKeys, endOfPrefix } from '../../cell-store/row-key.ts'
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
  const key = encodeValues(table, keyValues)
  requireKeySize(table, key.length)
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
  return keyBound(encodeValues(table, keyValues))
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
  const { type, descending } = keyColumn(table, keyValues.length)
  invariant(type === 'TEXT', 'T1', { table: table.name, type })
  const leading = encodeValues(table, keyValues)
  return keyBound(Buffer.concat([leading, encodeTextPrefixComponent(text, descending)]))
}

/** The values of the primary key, in key order. Throws a violation of T1 for any other bytes. */
export function decodePrimaryKey(table: TableDefinition, key: Uint8Array): SqlValue[] {
  const bytes = Buffer.isBuffer(key) ? key : Buffer.from(key.buffer, key.byteOffset, key.byteLength)
  if (bytes.length < KEY_SPACE_BYTES || bytes[0] !== TABLE_SPACE) {
    throw damagedKey(key, 0, 'it is not the key of a table row')
  }
  if (bytes.readUInt32BE(1) !== table.id) throw damagedKey(key, 1, `it is not of table ${table.id}`)
  const values: SqlValue[] = []
  let offset = KEY_SPACE_BYTES
  for (let index = 0; index < table.primaryKey.length; index += 1) {
    const { value, end } = readKeyComponent(bytes, offset, keyColumn(table, index))
    if (value === null) throw damagedKey(key, offset, 'a primary key has no NULL')
    values.push(value)
    offset = end
  }
  if (offset !== bytes.length) throw damagedKey(key, offset, 'bytes follow the last value')
  return values
}

/** The definition of the primary key's column at this place of the key, and how it is ordered. */
function keyColumn(
  table: TableDefinition,
  index: number,
): { readonly column: ColumnDefinition; readonly type: SqlType; readonly descending: boolean } {
  const part = table.primaryKey[index]
  invariant(part !== undefined, 'T1', { table: table.name, index })
  const column = table.columns[columnPosition(table, part.columnId)] as ColumnDefinition
  return { column, type: column.type, descending: part.descending }
}

function encodeValues(table: TableDefinition, keyValues: readonly SqlValue[]): Uint8Array {
  invariant(keyValues.length <= table.primaryKey.length, 'T1', { table: table.name })
  const components: KeyComponent[] = []
  let size = KEY_SPACE_BYTES
  for (let index = 0; index < keyValues.length; index += 1) {
    const component = keyComponent(table, index, keyValues[index] as SqlValue)
    components.push(component)
    size += keyComponentBytes(component.type, component.value)
  }
  const key = Buffer.allocUnsafe(size)
  let offset = writeKeySpace(key, TABLE_SPACE, table.id)
  for (const component of components) offset = writeKeyComponent(key, offset, component)
  return key
}

function keyComponent(table: TableDefinition, index: number, value: SqlValue): KeyComponent {
  const { column, type, descending } = keyColumn(table, index)
  if (value === null) {
    throw new StorageError(
      'type_mismatch',
      `Column "${column.name}" is in the primary key of "${table.name}" and cannot be NULL.`,
      { table: table.name, column: column.name },
    )
  }
  requireValue(type, value, column.name)
  return { type, value, descending }
}

function requireKeySize(table: TableDefinition, actual: number): void {
  const limit = STORAGE_LIMITS.rowKeyBytesMax
  if (actual <= limit) return
  const columns = table.primaryKey.map((_, index) => keyColumn(table, index).column.name)
  const names = columns.map((name) => `"${name}"`).join(', ')
  throw new StorageError(
    'limit_exceeded',
    `A row key takes at most ${limit} bytes; this one of "${table.name}" (${names}) takes ${actual}.`,
    { limit: 'rowKeyBytesMax', limitValue: limit, actual, table: table.name, columns },
  )
}
