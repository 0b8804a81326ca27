// SPDX-License-Identifier: Apache-2.0
import type { Value } from '../../schema/table-shape.ts'
import type { AnyRow } from '../buffered-transaction.ts'

// Engines that answer many keys by one statement answer the rows that there are, each once. They are
// brought to their keys by the columns of the key, which are therefore asked for as well.

/** What is asked for, and the columns that tell which row it is. */
export function columnsAndKey(
  columns: readonly string[],
  key: readonly string[],
): readonly string[] {
  return [...columns, ...key.filter((column) => !columns.includes(column))]
}

/** For each key its row, or undefined. */
export function rowsOfKeys(
  keys: ReadonlyArray<readonly Value[]>,
  keyColumns: readonly string[],
  rows: readonly AnyRow[],
): Array<AnyRow | undefined> {
  const byKey = new Map<Value, AnyRow>()
  for (const row of rows) byKey.set(keyText(keyColumns.map((column) => row[column] as Value)), row)
  return keys.map((key) => byKey.get(keyText(key)))
}

/** For each value of the first column its rows, in the order in which they came. */
export function rowsOfFirsts(
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
