// SPDX-License-Identifier: Apache-2.0
import { type TableName, typeOf } from '../schema/schema.ts'
import type { Value } from '../schema/table-shape.ts'
import type { AnyRow } from './buffered-transaction.ts'

// The programs reckon in whole cents, and a store that has exact decimals keeps amounts as these.

/** What stands for a value of this column as a parameter. */
export type ParameterOf = (table: TableName, column: string, value: Value) => Value

export const asItIs: ParameterOf = (_table, _column, value) => value

/** `12.34` for 1,234 cents. */
export const withDecimals: ParameterOf = (table, column, value) =>
  isAmount(table, column) && value !== null ? decimalText(Number(value)) : value

/** Of a `12.34`. */
export function centsOf(text: string): number {
  return Math.round(Number(text) * 100)
}

/** Puts cents into rows that came with these columns. */
export function putCents(
  table: TableName,
  columns: readonly string[],
  rows: readonly AnyRow[],
): readonly AnyRow[] {
  const amounts = columns.filter((column) => isAmount(table, column))
  if (amounts.length === 0) return rows
  for (const row of rows as Array<Record<string, Value>>) {
    for (const column of amounts) {
      const value = row[column]
      if (value !== null && value !== undefined) row[column] = centsOf(String(value))
    }
  }
  return rows
}

function decimalText(cents: number): string {
  const digits = String(Math.abs(cents)).padStart(3, '0')
  return `${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`
}

function isAmount(table: TableName, column: string): boolean {
  return typeOf(table, column) === 'cents'
}
