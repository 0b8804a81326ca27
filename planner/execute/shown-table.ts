// SPDX-License-Identifier: Apache-2.0
import type { SqlType, SqlValue } from '../../storage/storage.ts'
import type { StatementResult } from './rows/execution-context.ts'

/** Rows that a statement makes up itself, under these names of columns in their order. */
export function shownTable(
  rows: SqlValue[][],
  types: Readonly<Record<string, SqlType>>,
): StatementResult {
  const columns = Object.entries(types).map(([name, type]) => ({ name, type }))
  return { columns, rows, rowsAffected: 0 }
}
