// SPDX-License-Identifier: Apache-2.0
import { limitExceeded, type StorageError } from '../../errors.ts'
import { invariant } from '../../invariant.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import type { SqlValue } from '../../values/sql-type.ts'
import {
  type ColumnDefinition,
  type PrimaryKeyPart,
  primaryKeyParts,
  type SqlRow,
  type TableDefinition,
} from '../table-definition.ts'
import { decodePrimaryKey } from './key-encoding.ts'
import { RowValueReader } from './row-value-reader.ts'
import { fieldBytes, fieldOf, readFields, type StoredField, writeFields } from './stored-fields.ts'

/**
 * A SQL row is one cell for each family of its table, and most tables have one family. Key columns
 * live in the row key only; the others in the cell of their family: a byte for the version of the
 * format, then the columns as `stored-fields.ts` writes them.
 *
 *     account (id TEXT PRIMARY KEY, balance INTEGER, note TEXT), the row ('bob', 10, NULL):
 *       key       01 00 00 00 07  10 62 6F 62 00 00
 *       cell 0    01  23 0A  30          version 1; column 2 as 8-bit integer: 10; column 3: NULL
 *
 *     the same with FAMILY remarks (note):
 *       cell 0    01  23 0A              what no FAMILY names; it exists exactly when the row does
 *       cell 1    01  30
 *
 * NULL is written out, because a column that is absent was added after the row was written and has
 * the value that its ADD COLUMN gave to the rows of before.
 */
export const FORMAT = 1

/** The qualifier of the cell that holds family 0 of a SQL row, and of the one cell of other rows. */
export const ROW_COLUMN = '0'

/** The qualifier of the cell that holds a family. */
export function familyColumn(family: number): string {
  return family === 0 ? ROW_COLUMN : String(family)
}

/** All families of the table, 0 among them, ascending. */
export function familyIds(table: TableDefinition): readonly number[] {
  return table.families.length === 0 ? ONLY_FAMILY : [0, ...table.families.map(({ id }) => id)]
}

const ONLY_FAMILY: readonly number[] = [0]

/**
 * The row of these two, in the order of the table's columns; those of other families are NULL.
 * Violations: T1 (key), T2 (value).
 */
export function decodeRow(
  table: TableDefinition,
  key: Uint8Array,
  value: Uint8Array,
  family = 0,
): SqlRow {
  const row = emptyRow(table, decodePrimaryKey(table, key))
  decodeFamily(table, family, value, row)
  return row
}

/** A row that has only these values of the primary key, in key order. */
export function emptyRow(table: TableDefinition, keyValues: readonly SqlValue[]): SqlValue[] {
  const row: SqlValue[] = []
  for (let position = 0; position < table.columns.length; position += 1) row.push(null)
  const parts = primaryKeyParts(table)
  for (let index = 0; index < keyValues.length; index += 1) {
    row[(parts[index] as PrimaryKeyPart).position] = keyValues[index] as SqlValue
  }
  return row
}

/**
 * Fills the columns of a family into the row; of these only the positions in `wanted`, when it is
 * given. Violations of T2.
 */
export function decodeFamily(
  table: TableDefinition,
  family: number,
  value: Uint8Array,
  row: SqlValue[],
  wanted?: readonly number[],
): void {
  const { held, before } = familyLayout(table, family)
  for (const { position, value: valueBefore } of before) row[position] = valueBefore
  const reader = new RowValueReader(value, table.name, 1)
  if (value[0] !== FORMAT) throw reader.damaged(`there is no format ${value[0]}`)
  readFields(table, reader, row, held, wanted)
}

/** What a definition says of the cell of a family. */
type FamilyLayout = {
  /** Whether it holds the column at each position. */
  readonly held: readonly boolean[]
  /** What columns have in rows that were written before they were added. */
  readonly before: ReadonlyArray<{ readonly position: number; readonly value: SqlValue }>
}

/** Definitions are kept with the catalog and do not change, so each is looked through once. */
const LAYOUTS = new WeakMap<TableDefinition, Map<number, FamilyLayout>>()

function familyLayout(table: TableDefinition, family: number): FamilyLayout {
  const known = LAYOUTS.get(table)?.get(family)
  if (known !== undefined) return known
  const own = table.columns.map((column) => familyOf(column) === family)
  const layout = {
    held: table.columns.map(
      ({ id }, position) => own[position] === true && !isKeyColumn(table, id),
    ),
    before: table.columns.flatMap(({ valueBefore: value }, position) =>
      value !== undefined && own[position] === true ? [{ position, value }] : [],
    ),
  }
  LAYOUTS.set(table, (LAYOUTS.get(table) ?? new Map()).set(family, layout))
  return layout
}

/** The values of the primary key, in key order. */
export function keyOfRow(table: TableDefinition, row: SqlRow): SqlValue[] {
  const key: SqlValue[] = []
  for (const { position } of primaryKeyParts(table)) key.push(row[position] as SqlValue)
  return key
}

/** A column of the primary key is in none, and says 0 like those that no FAMILY names. */
export function familyOf(column: ColumnDefinition): number {
  return column.family ?? 0
}

export function isKeyColumn(table: TableDefinition, columnId: number): boolean {
  for (const part of table.primaryKey) if (part.columnId === columnId) return true
  return false
}

/** The value alone; `limit_exceeded` above `rowBytesMax`. */
export function encodeRowValue(table: TableDefinition, row: SqlRow, family: number): Uint8Array {
  invariant(row.length === table.columns.length, 'T2', { table: table.name, values: row.length })
  const { held } = familyLayout(table, family)
  const fields: StoredField[] = []
  let size = 1
  for (let position = 0; position < row.length; position += 1) {
    if (held[position] !== true) continue
    const column = table.columns[position] as ColumnDefinition
    const value = row[position] as SqlValue
    invariant(value !== null || !column.notNull, 'T2', { table: table.name, column: column.name })
    const field = fieldOf(column, value)
    fields.push(field)
    size += fieldBytes(field)
  }
  if (size > STORAGE_LIMITS.rowBytesMax) throw rowTooLarge(table, size)
  const target = Buffer.allocUnsafe(size)
  writeFields(target, target.writeUInt8(FORMAT, 0), fields)
  return target
}

function rowTooLarge(table: TableDefinition, actual: number): StorageError {
  const limit = STORAGE_LIMITS.rowBytesMax
  const message = `A row takes at most ${limit} bytes; this one of "${table.name}" takes ${actual}.`
  return limitExceeded('rowBytesMax', actual, message, { table: table.name })
}
