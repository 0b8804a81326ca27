// SPDX-License-Identifier: Apache-2.0
import type { Value } from '../schema/table-shape.ts'

/** Each once, in the order of its first occurrence. */
export function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}

/** As the keys of a table whose primary key is one column. */
export function singleKeys(values: readonly Value[]): Array<readonly [Value]> {
  return values.map((value) => [value] as const)
}

/** The rows that `getMany` answered for keys of one column, by those. */
export function byKey<Key extends Value, Row>(
  keys: readonly Key[],
  rows: ReadonlyArray<Row | undefined>,
): ReadonlyMap<Key, Row> {
  const found = new Map<Key, Row>()
  keys.forEach((key, position) => {
    const row = rows[position]
    if (row !== undefined) found.set(key, row)
  })
  return found
}

/** A row that the workload's own rules say is there. Throws MissingRow. */
export function required<Row>(row: Row | undefined, what: string): Row {
  if (row === undefined) throw new MissingRow(what)
  return row
}

/** The data breaks a rule of the workload: a fault of the engine, or of this benchmark. */
class MissingRow extends Error {
  override readonly name = 'MissingRow'

  constructor(what: string) {
    super(`there is no ${what}`)
  }
}
