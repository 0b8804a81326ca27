// SPDX-License-Identifier: Apache-2.0
import type { SqlType, SqlValue } from '../../storage/values/values.ts'
import type { StatementResult } from './rows/execution-context.ts'

/** Rows that a statement makes up itself, with columns written as in a CREATE TABLE: `name TEXT, unique BOOLEAN`. */
export function shownTable(columns: string, rows: SqlValue[][]): StatementResult {
  const named = columns.split(', ').map((column) => {
    const [name, type] = column.split(' ') as [string, SqlType]
    return { name, type }
  })
  return { columns: named, rows, rowsAffected: 0 }
}
