// SPDX-License-Identifier: Apache-2.0
import type { StatementResult } from '../../../planner/planner.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import { csvLine, csvField as field, needsQuotes, nullOf } from './csv-field.ts'
import { hasLongValue } from './result-form.ts'
import { piecesOf } from './text-pieces.ts'
import { valueText } from './value-text.ts'

/** RFC 4180: the names of the columns as the first line. */
export function csvHeader({ columns }: Pick<StatementResult, 'columns'>): string {
  return `${columns.map(({ name }) => field(name)).join(',')}\r\n`
}

/** A line for each row, as `csvLine` has it; a line with long values comes in pieces. */
export function* csvRows({
  columns,
  rows,
}: Pick<StatementResult, 'columns' | 'rows'>): Generator<string, void, undefined> {
  const none = nullOf(columns.length)
  for (const row of rows) {
    const texts = columns.map(({ type }, index) => {
      const value: SqlValue = row[index] ?? null
      return value === null ? null : valueText(type, value)
    })
    if (hasLongValue(row)) yield* longLine(texts, none)
    else yield csvLine(texts)
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
