// SPDX-License-Identifier: Apache-2.0
import type { Result, Row } from './statements.ts'

/** Characters of JSON that the rows of an answer have together: what an agent may still read. */
export const ANSWER_CHARACTERS_MAX = 100_000

/** How many of these, from the first on, are within so many characters. */
export function countWithin(values: readonly unknown[], charactersMax: number): number {
  let left = charactersMax
  for (const [index, value] of values.entries()) {
    left -= JSON.stringify(value).length + 1
    if (left < 0) return index
  }
  return values.length
}

export type CutResult = Pick<Result, 'columns' | 'rows'> & {
  readonly rowsAffected?: number
  /** How many rows there are beside those that are shown. */
  readonly rowsLeftOut?: number
}

/** The first rows of results, so many of each and within the characters of an answer. */
export function cutResults(results: readonly Result[], rowsMax: number): readonly CutResult[] {
  let left = ANSWER_CHARACTERS_MAX
  return results.map(({ columns, rows, rowsAffected }) => {
    const some = rows.slice(0, rowsMax)
    const shown = some.slice(0, countWithin(some, left))
    left -= charactersOf(shown)
    const rowsLeftOut = rows.length - shown.length
    return {
      columns,
      rows: shown,
      ...(rowsAffected > 0 && { rowsAffected }),
      ...(rowsLeftOut > 0 && { rowsLeftOut }),
    }
  })
}

function charactersOf(rows: readonly Row[]): number {
  return rows.reduce((sum, row) => sum + JSON.stringify(row).length + 1, 0)
}
