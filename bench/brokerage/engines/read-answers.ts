// SPDX-License-Identifier: Apache-2.0
import type { ScanEach } from '../engine.ts'
import type { Value } from '../schema/table-shape.ts'
import type { AnyRead, AnyRow } from './buffered-transaction.ts'
import { keyColumns } from './key-order.ts'
import { primaryKeyOf } from './sql-statements.ts'

// Engines that answer many keys by one statement answer the rows that there are, each once. They are
// brought to their keys by the columns of the key, which are therefore asked for as well.

/** What is asked for, and the columns that tell which row it is. */
export function columnsAndKey(
  columns: readonly string[],
  key: readonly string[],
): readonly string[] {
  return [...columns, ...key.filter((column) => !columns.includes(column))]
}

/** The rows of those statements in the form in which the read is answered. */
export function readAnswer(read: AnyRead, rows: readonly AnyRow[]): unknown {
  switch (read.kind) {
    case 'get':
      return rows[0]
    case 'getMany':
      return rowsOfKeys(read.keys, primaryKeyOf(read.table), rows)
    case 'scan':
      return rows
    case 'scanEach':
      return rowsOfFirsts(read.firsts, firstColumn(read), rows)
  }
}

/** By which the scans of a step differ. */
export function firstColumn({ table, index }: ScanEach): string {
  return keyColumns(table, index)[0] as string
}

/** For each key its row, or undefined. */
function rowsOfKeys(
  keys: ReadonlyArray<readonly Value[]>,
  keyColumns: readonly string[],
  rows: readonly AnyRow[],
): Array<AnyRow | undefined> {
  const byKey = new Map<Value, AnyRow>()
  for (const row of rows) byKey.set(keyText(keyColumns.map((column) => row[column] as Value)), row)
  return keys.map((key) => byKey.get(keyText(key)))
}

/** For each value of the first column its rows, in the order in which they came. */
function rowsOfFirsts(
  firsts: readonly Value[],
  column: string,
  rows: readonly AnyRow[],
): Array<readonly AnyRow[]> {
  const byFirst = new Map<Value, AnyRow[]>()
  for (const row of rows) {
    const first = row[column] as Value
    const group = byFirst.get(first)
    if (group === undefined) byFirst.set(first, [row])
    else group.push(row)
  }
  return firsts.map((first) => byFirst.get(first) ?? [])
}

function keyText(key: readonly Value[]): Value {
  return key.length === 1 ? (key[0] as Value) : key.join('\u0000')
}
