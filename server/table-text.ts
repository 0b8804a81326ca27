// SPDX-License-Identifier: Apache-2.0
import type { StatementResult } from '../planner/planner.ts'
import type { SqlType } from '../storage/storage.ts'
import { DisplayWidths, terminalText } from './answers/terminal-text.ts'
import type { Problem } from './error-response.ts'
import type { QueryOutcome } from './query-answer.ts'
import { valueText } from './value-text.ts'

/**
 * Answers for people at a terminal, laid out as psql does. A result without columns is one line.
 *
 *      id  | balance
 *     -----+---------
 *      bob |       3
 *     (1 row)
 */
export function tableText({ results, cursor }: QueryOutcome): string {
  const widths = new DisplayWidths()
  const parts = results.map((result) => {
    if (result.text !== undefined) return `${result.text.trimEnd()}\n`
    return result.columns.length === 0 ? doneText(result) : rowsText(result, widths)
  })
  const more = cursor === undefined ? '' : `There is more; the cursor behind it is ${cursor}\n`
  return parts.join('\n') + more
}

function doneText({ rowsAffected, unmet }: StatementResult): string {
  if (unmet !== undefined) return `Nothing written: ${unmet}\n`
  return rowsAffected === 0 ? 'OK\n' : `OK, ${counted(rowsAffected)}\n`
}

function counted(rows: number): string {
  return `${rows} ${rows === 1 ? 'row' : 'rows'}`
}

/** A text as it is shown, with the columns that it takes. */
type Cell = { readonly text: string; readonly width: number }

function rowsText(result: StatementResult, displayWidths: DisplayWidths): string {
  const { columns, rows, unmet } = result
  const cellOf = (text: string): Cell => {
    const shown = terminalText(text)
    return { text: shown, width: displayWidths.of(shown) }
  }
  const names = columns.map(({ name }) => cellOf(name))
  const cells = rows.map((row) =>
    columns.map(({ type }, index) => {
      const value = row[index] ?? null
      return value === null ? EMPTY : cellOf(valueText(type, value))
    }),
  )
  const widths = names.map((name, index) =>
    cells.reduce((width, row) => Math.max(width, row[index]?.width ?? 0), name.width),
  )
  const lines = [
    lineOf(names.map((name, index) => centred(name, widths[index] ?? 0))),
    widths.map((width) => '-'.repeat(width + 2)).join('+'),
    ...cells.map((row) =>
      lineOf(row.map((cell, index) => aligned(columns[index]?.type, cell, widths[index] ?? 0))),
    ),
    unmet === undefined ? `(${counted(rows.length)})` : `(nothing written: ${unmet})`,
  ]
  return lines.map((line) => `${line}\n`).join('')
}

const EMPTY: Cell = { text: '', width: 0 }

function lineOf(cells: readonly string[]): string {
  return ` ${cells.join(' | ')} `.trimEnd()
}

function aligned(type: SqlType | undefined, { text, width }: Cell, columns: number): string {
  const space = ' '.repeat(columns - width)
  return type === 'INTEGER' || type === 'REAL' ? space + text : text + space
}

function centred({ text, width }: Cell, columns: number): string {
  const left = Math.floor((columns - width) / 2)
  return ' '.repeat(left) + text + ' '.repeat(columns - width - left)
}

/** Characters of a line that are shown around the place of a mistake. */
const LINE_CHARACTERS_MAX = 100

/**
 * An error in psql's words, with a caret under its place in the text.
 *
 *     ERROR:  syntax_error: expected a statement, found 'UPDATE'
 *     LINE 1: UPDATE account SET balance = 5
 *             ^
 */
export function errorText(problem: Problem, sql: string | undefined): string {
  const { code, detail, hint, line, column } = problem
  const lines = [`ERROR:  ${code}: ${terminalText(detail)}`]
  const text = typeof line === 'number' ? sql?.split(/\r\n?|\n/)[line - 1] : undefined
  if (text !== undefined && typeof column === 'number') {
    const from = Math.max(0, column - 1 - LINE_CHARACTERS_MAX / 2)
    const label = `LINE ${line}: ${from === 0 ? '' : '...'}`
    const part = terminalText(text.slice(from, from + LINE_CHARACTERS_MAX).toWellFormed())
    const before = terminalText(text.slice(from, column - 1).toWellFormed())
    const width = label.length + new DisplayWidths().of(before)
    lines.push(label + part, `${' '.repeat(width)}^`)
  }
  if (typeof hint === 'string') lines.push(`HINT:  ${terminalText(hint)}`)
  return lines.map((one) => `${one}\n`).join('')
}
