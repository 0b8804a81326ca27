// SPDX-License-Identifier: Apache-2.0

import type { RowOf, TableName } from '../../schema/schema.ts'
import type { Population } from '../population.ts'

/**
 * Where the rows of a table come from: so many parents, each with its rows, and any parent's rows can be
 * made alone. All parents in their order are the table.
 */
export type TableRows<Table extends TableName> = {
  parents(population: Population): number
  rowsOf(population: Population, parent: number): readonly RowOf<Table>[]
}
