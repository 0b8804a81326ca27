// SPDX-License-Identifier: Apache-2.0
import { BROKER_TABLES } from './broker-tables.ts'
import { CUSTOMER_TABLES } from './customer-tables.ts'
import { DIMENSION_TABLES } from './dimension-tables.ts'
import { MARKET_TABLES } from './market-tables.ts'
import type { RowOfShape, TableShape, Value } from './table-shape.ts'

/**
 * The 33 tables of the TPC-E-style workload, the same in every engine: the same
 * columns, keys and 14 secondary indexes, no foreign keys. Columns that no transaction reads are one
 * fixed text, `*_pad`, of the same length.
 */
export const SCHEMA = {
  ...CUSTOMER_TABLES,
  ...BROKER_TABLES,
  ...MARKET_TABLES,
  ...DIMENSION_TABLES,
} as const satisfies Readonly<Record<string, TableShape>>

export type TableName = keyof typeof SCHEMA

/** A whole row of a table, by its column names. */
export type RowOf<Table extends TableName> = RowOfShape<(typeof SCHEMA)[Table]>

export type ColumnOf<Table extends TableName> = keyof (typeof SCHEMA)[Table]['columns'] & string

export type IndexOf<Table extends TableName> = (typeof SCHEMA)[Table]['indexes'][number]['name']

export const TABLE_NAMES = Object.keys(SCHEMA) as readonly TableName[]

/** The columns of a table in the order in which every engine has them. */
export function columnsOf<Table extends TableName>(table: Table): readonly ColumnOf<Table>[] {
  return Object.keys(SCHEMA[table].columns) as ColumnOf<Table>[]
}

/** The values of the primary key of a row, in its order. */
export function keyOf<Table extends TableName>(table: Table, row: RowOf<Table>): readonly Value[] {
  const values = row as Readonly<Record<string, Value>>
  return SCHEMA[table].primaryKey.map((column) => values[column] as Value)
}
