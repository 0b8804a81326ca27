// SPDX-License-Identifier: Apache-2.0
import { invariant } from '../invariant.ts'
import type { SqlType, SqlValue } from './sql-type.ts'

/** A SQL table as the catalog keeps it. Ids of tables and of a table's columns are never reused. */
export type TableDefinition = {
  readonly id: number
  readonly name: string
  /** In the order of CREATE TABLE; a row in memory is an array of values in this same order. */
  readonly columns: readonly ColumnDefinition[]
  /** At least one column, in key order; columns are named by their id. */
  readonly primaryKey: readonly KeyPart[]
}

export type ColumnDefinition = {
  readonly id: number
  readonly name: string
  readonly type: SqlType
  /** True for every column of the primary key. */
  readonly notNull: boolean
  readonly default?: ColumnDefault
}

export type ColumnDefault =
  | { readonly kind: 'literal'; readonly value: SqlValue }
  | { readonly kind: 'now' }
  | { readonly kind: 'uuid' }

export type KeyPart = { readonly columnId: number; readonly descending: boolean }

/** A row in memory: one value for each of `TableDefinition.columns`, in their order. */
export type SqlRow = readonly SqlValue[]

/** Where the column with this id stands in `columns`, and in a row; it must be there. */
export function columnPosition(table: TableDefinition, columnId: number): number {
  // Ids start at 1 and have no gaps until a column is dropped, so this hits nearly always.
  if (table.columns[columnId - 1]?.id === columnId) return columnId - 1
  const position = table.columns.findIndex((column) => column.id === columnId)
  invariant(position !== -1, 'T3', { table: table.name, columnId })
  return position
}
