// SPDX-License-Identifier: Apache-2.0

import type { SqlValue } from '../../values/sql-type.ts'
import { requireValue } from '../../values/sql-value.ts'
import type { ColumnDefinition, TableDefinition } from '../table-definition.ts'
import type { RowValueReader } from './row-value-reader.ts'
import { varuintBytes, writeVaruint } from './row-value-reader.ts'
import { bodyBytes, hasLength, isKindOf, kindOf, writeBody } from './stored-value.ts'

/**
 * Columns inside a value of the store, that of a row or of an index entry: for each one, ascending by
 * column id, its id and kind in one number (id × 16 + kind), and what the kind needs.
 */
export const KINDS = 16

export type StoredField = {
  readonly tag: number
  readonly kind: number
  readonly length: number
  readonly value: SqlValue
}

/** Errors: those of `requireValue`. */
export function fieldOf(column: ColumnDefinition, value: SqlValue): StoredField {
  requireValue(column.type, value, column.name, column.size)
  const kind = kindOf(column.type, value)
  return { tag: column.id * KINDS + kind, kind, length: bodyBytes(kind, value), value }
}

export function fieldBytes({ tag, kind, length }: StoredField): number {
  return varuintBytes(tag) + (hasLength(kind) ? varuintBytes(length) : 0) + length
}

/** Writes the fields from `offset` on, if there is space; returns the offset after them. */
export function writeFields(
  target: Buffer,
  offset: number,
  fields: readonly StoredField[],
): number {
  let end = offset
  for (const { tag, kind, length, value } of fields) {
    end = writeVaruint(target, end, tag)
    if (hasLength(kind)) end = writeVaruint(target, end, length)
    end = writeBody(target, end, kind, value)
  }
  return end
}

/**
 * Fills what the rest of the value holds into a row. A column that the table has no more is stepped
 * over; `held` says of each position whether its column belongs here. Of these only the positions in `wanted` are
 * filled in, all when it is absent. Violations of T2.
 */
export function readFields(
  table: TableDefinition,
  reader: RowValueReader,
  row: SqlValue[],
  held: readonly boolean[],
  wanted?: readonly number[],
): void {
  const { columns } = table
  let position = 0
  let idBefore = 0
  while (!reader.atEnd) {
    const tag = reader.readVaruint()
    const kind = tag % KINDS
    const id = (tag - kind) / KINDS
    if (id <= idBefore) throw reader.damaged('column ids do not ascend')
    idBefore = id
    while (position < columns.length && (columns[position] as { id: number }).id < id) position += 1
    const column = columns[position]
    if (column?.id !== id) {
      if (id >= table.nextColumnId) throw reader.damaged(`the table has no column ${id}`)
      reader.skipBody(kind) // It was dropped after the value was written.
      continue
    }
    if (!isKindOf(column.type, kind) || held[position] !== true) {
      throw reader.damaged(`column ${id} cannot be of kind ${kind}`)
    }
    if (wanted === undefined || wanted.includes(position))
      row[position] = reader.readBody(kind, column.size)
    else reader.skipBody(kind)
  }
}
