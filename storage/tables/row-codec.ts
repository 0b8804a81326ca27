// SPDX-License-Identifier: Apache-2.0
import { StorageError } from '../errors.ts'
import { invariant } from '../invariant.ts'
import { STORAGE_LIMITS } from '../limits.ts'
import { decodePrimaryKey, encodePrimaryKey } from './key-encoding.ts'
import { RowValueReader, varuintBytes, writeVaruint } from './row-value-reader.ts'
import type { SqlValue } from './sql-type.ts'
import { requireValue } from './sql-value.ts'
import { bodyBytes, hasLength, isKindOf, kindOf, writeBody } from './stored-value.ts'
import { columnPosition, type SqlRow, type TableDefinition } from './table-definition.ts'

/**
 * A SQL row is one cell. Its key columns live in the row key only; the others in the cell's value:
 * a byte for the version of the format, then for each column, ascending by column id, its id and
 * kind in one number (id × 16 + kind), and what the kind needs.
 *
 *     account (id TEXT PRIMARY KEY, balance INTEGER, note TEXT), the row ('bob', 10, NULL):
 *       key    01 00 00 00 07  10 62 6F 62 00 00
 *       value  01  23 0A  30          version 1; column 2 as 8-bit integer: 10; column 3: NULL
 *
 * NULL is written out, because a column that is absent was added after the row was written and has
 * the default of that moment.
 */
const FORMAT = 1
const KINDS = 16

/** The qualifier of the cell that holds a SQL row. */
export const ROW_COLUMN = '0'

/** Key and value of a row. Errors: those of `encodePrimaryKey`; `limit_exceeded` above `rowBytesMax`. */
export function encodeRow(
  table: TableDefinition,
  row: SqlRow,
): { readonly key: Uint8Array; readonly value: Uint8Array } {
  invariant(row.length === table.columns.length, 'T2', { table: table.name, values: row.length })
  return { key: encodeRowKey(table, row), value: encodeRowValue(table, row) }
}

/** The row of these two, in the order of the table's columns. Violations: T1 (key), T2 (value). */
export function decodeRow(table: TableDefinition, key: Uint8Array, value: Uint8Array): SqlRow {
  const row: SqlValue[] = new Array(table.columns.length).fill(null)
  decodePrimaryKey(table, key).forEach((keyValue, index) => {
    row[keyPosition(table, index)] = keyValue
  })
  decodeRowValue(table, value, row)
  return row
}

function encodeRowKey(table: TableDefinition, row: SqlRow): Uint8Array {
  const keyValues = table.primaryKey.map((_, index) => row[keyPosition(table, index)] as SqlValue)
  return encodePrimaryKey(table, keyValues)
}

function encodeRowValue(table: TableDefinition, row: SqlRow): Uint8Array {
  const fields: Field[] = []
  let size = 1
  table.columns.forEach((column, position) => {
    if (isKeyColumn(table, column.id)) return
    const value = row[position] as SqlValue
    invariant(value !== null || !column.notNull, 'T2', { table: table.name, column: column.name })
    requireValue(column.type, value, column.name)
    const kind = kindOf(column.type, value)
    const length = bodyBytes(kind, value)
    const tag = column.id * KINDS + kind
    fields.push({ tag, kind, length, value })
    size += varuintBytes(tag) + (hasLength(kind) ? varuintBytes(length) : 0) + length
  })
  requireRowSize(table, size)
  const target = Buffer.allocUnsafe(size)
  let offset = target.writeUInt8(FORMAT, 0)
  for (const { tag, kind, length, value } of fields) {
    offset = writeVaruint(target, offset, tag)
    if (hasLength(kind)) offset = writeVaruint(target, offset, length)
    offset = writeBody(target, offset, kind, value)
  }
  return target
}

type Field = {
  readonly tag: number
  readonly kind: number
  readonly length: number
  readonly value: SqlValue
}

/** Fills in what the value holds; both the columns and the fields ascend by column id. */
function decodeRowValue(table: TableDefinition, value: Uint8Array, row: SqlValue[]): void {
  const { columns } = table
  const reader = new RowValueReader(value)
  const format = reader.readByte()
  if (format !== FORMAT) throw reader.damaged(`there is no format ${format}`)
  let position = 0
  let idBefore = 0
  while (!reader.atEnd) {
    const tag = reader.readVaruint()
    const kind = tag % KINDS
    const id = (tag - kind) / KINDS
    if (id <= idBefore) throw reader.damaged('column ids do not ascend')
    idBefore = id
    while (position < columns.length && (columns[position] as { id: number }).id < id) position += 1
    const body = reader.readBody(kind)
    const column = columns[position]
    if (column?.id !== id) throw reader.damaged(`the table has no column ${id}`)
    if (!isKindOf(column.type, kind) || isKeyColumn(table, id)) {
      throw reader.damaged(`column ${id} cannot be of kind ${kind}`)
    }
    row[position] = body
  }
}

function requireRowSize(table: TableDefinition, actual: number): void {
  const limit = STORAGE_LIMITS.rowBytesMax
  if (actual <= limit) return
  throw new StorageError(
    'limit_exceeded',
    `A row takes at most ${limit} bytes; this one of "${table.name}" takes ${actual}.`,
    { limit: 'rowBytesMax', limitValue: limit, actual, table: table.name },
  )
}

function keyPosition(table: TableDefinition, index: number): number {
  return columnPosition(table, (table.primaryKey[index] as { columnId: number }).columnId)
}

function isKeyColumn(table: TableDefinition, columnId: number): boolean {
  for (const part of table.primaryKey) if (part.columnId === columnId) return true
  return false
}
