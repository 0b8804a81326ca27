// SPDX-License-Identifier: Apache-2.0
import type { Scan } from '../engine.ts'
import { SCHEMA, type TableName } from '../schema/schema.ts'
import type { TableShape, Value } from '../schema/table-shape.ts'

/** The columns of an index, or of the primary key where none is named. Throws when there is none. */
export function keyColumns(table: TableName, index: string | undefined): readonly string[] {
  const shape: TableShape = SCHEMA[table]
  if (index === undefined) return shape.primaryKey
  const found = shape.indexes.find(({ name }) => name === index)
  if (found === undefined) throw new Error(`there is no index ${index} on ${table}`)
  return found.columns
}

/** What a scan compares: equalities, then at most two bounds of the next column. */
export type Condition = {
  readonly column: string
  readonly operator: '=' | '>=' | '<='
  readonly value: Value
}

export function conditionsOf(scan: Scan): Condition[] {
  const columns = keyColumns(scan.table, scan.index)
  const conditions: Condition[] = scan.prefix.map((value, position) => {
    return { column: columns[position] as string, operator: '=', value }
  })
  const column = columns[scan.prefix.length] as string
  const { atLeast, atMost } = scan
  if (atLeast !== undefined) conditions.push({ column, operator: '>=', value: atLeast })
  if (atMost !== undefined) conditions.push({ column, operator: '<=', value: atMost })
  return conditions
}

/** The columns that the rows of a scan are still ordered by, those of the prefix being all alike. */
export function orderOf(scan: Scan): readonly string[] {
  return keyColumns(scan.table, scan.index).slice(scan.prefix.length)
}
