// SPDX-License-Identifier: Apache-2.0
import type { StatementResult } from '../../planner/planner.ts'
import type { SqlValue } from '../../storage/storage.ts'
import { hasLongValue } from './result-form.ts'
import { piecesOf } from './text-pieces.ts'
import { valueText } from './value-text.ts'

/** RFC 4180: the names of the columns as the first line. */
export function csvHeader({ columns }: Pick<StatementResult, 'columns'>): string {
  return `${columns.map(({ name }) => field(name)).join(',')}\r\n`
}

/**
 * A line for each row; a line with long values comes in pieces. NULL is an empty field, and an empty text one
 * in quotes. In a row of one column an empty field would be a blank line, which readers skip, so that NULL is the
 * word NULL there, and the text NULL stands in quotes.
 */
export function* csvRows({
  columns,
  rows,
}: Pick<StatementResult, 'columns' | 'rows'>): Generator<string, void, undefined> {
  const none = columns.length === 1 ? 'NULL' : ''
  for (const row of rows) {
    const texts = columns.map(({ type }, index) => {
      const value: SqlValue = row[index] ?? null
      return value === null ? null : valueText(type, value)
    })
    if (hasLongValue(row)) yield* longLine(texts, none)
    else yield `${texts.map((text) => (text === null ? none : field(text, none))).join(',')}\r\n`
  }
}

function* longLine(
  texts: ReadonlyArray<string | null>,
  none: string,
): Generator<string, void, undefined> {
  let separator = ''
  for (const text of texts) {
    yield separator
    separator = ','
    if (text === null) {
      yield none
    } else if (needsQuotes(text, none)) {
      yield '"'
      for (const piece of piecesOf(text)) yield piece.replaceAll('"', '""')
      yield '"'
    } else {
      yield* piecesOf(text)
    }
  }
  yield '\r\n'
}

function field(text: string, none = ''): string {
  return needsQuotes(text, none) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Where a reader would otherwise take it for something else; many drop blanks at either end. */
function needsQuotes(text: string, none: string): boolean {
  return text === '' || text === none || NEEDS_QUOTES.test(text)
}

const NEEDS_QUOTES = /[",\r\n]|^[ \t]|[ \t]$/
