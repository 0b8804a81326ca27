// SPDX-License-Identifier: Apache-2.0
import type { StatementResult } from '../planner/planner.ts'
import type { SqlValue } from '../storage/storage.ts'
import { valueText } from './value-text.ts'

/** RFC 4180: the names of the columns as the first line. */
export function csvHeader({ columns }: Pick<StatementResult, 'columns'>): string {
  return `${columns.map(({ name }) => field(name)).join(',')}\r\n`
}

/** A line for each row. NULL is an empty field, and an empty text one in quotes. */
export function csvRows({ columns, rows }: Pick<StatementResult, 'columns' | 'rows'>): string {
  let text = ''
  for (const row of rows) {
    const fields = columns.map(({ type }, index) => {
      const value: SqlValue = row[index] ?? null
      return value === null ? '' : field(valueText(type, value))
    })
    text += `${fields.join(',')}\r\n`
  }
  return text
}

/** In quotes where a reader would otherwise take it for something else. */
function field(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
