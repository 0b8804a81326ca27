// SPDX-License-Identifier: Apache-2.0
import type { StatementResult } from '../planner/planner.ts'
import type { SqlValue } from '../storage/storage.ts'
import { valueText } from './value-text.ts'

/** RFC 4180: the names of the columns as the first line. */
export function csvHeader({ columns }: Pick<StatementResult, 'columns'>): string {
  return `${columns.map(({ name }) => field(name)).join(',')}\r\n`
}

/**
 * A line for each row. NULL is an empty field, and an empty text one in quotes. In a row of one column
 * an empty field would be a blank line, which readers skip, so that NULL is the word NULL there, and the
 * text NULL stands in quotes.
 */
export function csvRows({ columns, rows }: Pick<StatementResult, 'columns' | 'rows'>): string {
  const isLone = columns.length === 1
  let text = ''
  for (const row of rows) {
    const fields = columns.map(({ type }, index) => {
      const value: SqlValue = row[index] ?? null
      if (value === null) return isLone ? 'NULL' : ''
      return isLone ? loneField(valueText(type, value)) : field(valueText(type, value))
    })
    text += `${fields.join(',')}\r\n`
  }
  return text
}

function loneField(text: string): string {
  return text === 'NULL' ? '"NULL"' : field(text)
}

/** In quotes where a reader would otherwise take it for something else; many drop blanks at either end. */
function field(text: string): string {
  return text === '' || NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const NEEDS_QUOTES = /[",\r\n]|^[ \t]|[ \t]$/
