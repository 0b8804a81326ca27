// SPDX-License-Identifier: Apache-2.0

import { changeRows } from '../../storage/tables/rows/row-changes.ts'
import type { SqlRow, TableDefinition } from '../../storage/tables/tables.ts'

type RowWrites = Parameters<typeof changeRows>[0]

/** Writes one whole row; `before` is the row that the transaction reads there, null when none. */
export async function putRow(
  transaction: RowWrites,
  table: TableDefinition,
  row: SqlRow,
  before: SqlRow | null,
): Promise<void> {
  await changeRows(transaction, table, [{ before, after: row }])
}

/** Deletes a row as the transaction reads it, with at least the columns of `columnsForDelete`. */
export async function deleteRow(
  transaction: RowWrites,
  table: TableDefinition,
  before: SqlRow,
): Promise<void> {
  await changeRows(transaction, table, [{ before, after: null }])
}
