// SPDX-License-Identifier: Apache-2.0
import type { SqlRow, SqlValue, TableDefinition } from '../../../../storage/storage.ts'
import type { Value } from '../../schema/table-shape.ts'
import type { AnyRow } from '../buffered-transaction.ts'

// In the storage layer an INTEGER is a bigint; all numbers of the workload are below 2^53.

export function storedValue(value: Value): SqlValue {
  return typeof value === 'number' ? BigInt(value) : value
}

export function workloadValue(value: SqlValue): Value {
  return typeof value === 'bigint' ? Number(value) : (value as Value)
}

/** The places of these columns in a row of the table. Throws when there is no such column. */
export function placesOf(table: TableDefinition, columns: readonly string[]): readonly number[] {
  return columns.map((column) => {
    const place = table.columns.findIndex(({ name }) => name === column)
    if (place < 0) throw new Error(`there is no column ${column} in ${table.name}`)
    return place
  })
}

/** These columns of a stored row by their names. */
export function namedRow(
  columns: readonly string[],
  places: readonly number[],
  row: SqlRow,
): AnyRow {
  const named: Record<string, Value> = {}
  columns.forEach((column, at) => {
    named[column] = workloadValue(row[places[at] as number] as SqlValue)
  })
  return named
}
