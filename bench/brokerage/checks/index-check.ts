// SPDX-License-Identifier: Apache-2.0
import {
  type ColumnOf,
  type IndexOf,
  SCHEMA,
  TABLE_NAMES,
  type TableName,
} from '../schema/schema.ts'
import type { IndexShape, Value } from '../schema/table-shape.ts'
import { type CheckResult, resultOf } from './check.ts'
import type { Walker } from './store-image.ts'

type Row = Readonly<Record<string, Value>>

/**
 * Check 14: every entry of a secondary index is of a row with those values, and every row has its entry.
 * Reads only columns that the entries themselves carry, so that an engine answers from the index alone.
 */
export async function checkIndexes(store: Walker): Promise<CheckResult> {
  const problems: string[] = []
  for (const table of TABLE_NAMES) {
    for (const index of SCHEMA[table].indexes)
      problems.push(...(await differences(store, table, index)))
  }
  return resultOf(
    { number: 14, title: 'the secondary indexes and their rows are the same' },
    problems,
  )
}

async function differences(
  store: Walker,
  table: TableName,
  { name, columns, unique }: IndexShape,
): Promise<string[]> {
  const asked = [...new Set([...columns, ...SCHEMA[table].primaryKey])] as ColumnOf<TableName>[]
  const textOf = (row: Row) => asked.map((column) => row[column]).join(' | ')
  const unmatched = new Set<string>()
  for await (const rows of store.walk(table, asked)) {
    for (const row of rows) unmatched.add(textOf(row))
  }
  const problems: string[] = []
  let previous: Row | undefined
  const index = name as IndexOf<TableName>
  for await (const entries of store.walk(table, asked, { index })) {
    for (const entry of entries as readonly Row[]) {
      const text = textOf(entry)
      if (!unmatched.delete(text)) problems.push(`${name}: an entry without its row: ${text}`)
      const order = previous === undefined ? -1 : compareBy(columns, previous, entry)
      if (order > 0) problems.push(`${name}: an entry out of its order: ${text}`)
      if (order === 0 && unique) problems.push(`${name}: an entry twice: ${text}`)
      previous = entry
    }
  }
  for (const text of unmatched) problems.push(`${name}: a row without its entry: ${text}`)
  return problems
}

/** By code units, which is how all three engines order texts of ASCII. */
export function compareBy(columns: readonly string[], one: Row, other: Row): number {
  for (const column of columns) {
    const [left, right] = [one[column] as string | number, other[column] as string | number]
    if (left !== right) return left < right ? -1 : 1
  }
  return 0
}
