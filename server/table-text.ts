// SPDX-License-Identifier: Apache-2.0
import type { StatementResult } from '../planner/planner.ts'
import type { SqlType } from '../storage/storage.ts'
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
  const parts = results.map((result) => {
    if (result.text !== undefined) return `${result.text.trimEnd()}\n`
    return result.columns.length === 0 ? doneText(result) : rowsText(result)
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

function rowsText(result: StatementResult): string {
  const { columns, rows, unmet } = result
  const cells = rows.map((row) =>
    columns.map(({ type }, index) => {
      const value = row[index] ?? null
      return value === null ? '' : shown(valueText(type, value))
    }),
  )
  const names = columns.map(({ name }) => shown(name))
  const widths = names.map((name, index) =>
    cells.reduce((width, row) => Math.max(width, lengthOf(row[index] ?? '')), lengthOf(name)),
  )
  const lines = [
    lineOf(names.map((name, index) => centred(name, widths[index] ?? 0))),
    widths.map((width) => '-'.repeat(width + 2)).join('+'),
    ...cells.map((row) =>
      lineOf(row.map((text, index) => aligned(columns[index]?.type, text, widths[index] ?? 0))),
    ),
    unmet === undefined ? `(${counted(rows.length)})` : `(nothing written: ${unmet})`,
  ]
  return lines.map((line) => `${line}\n`).join('')
}

function lineOf(cells: readonly string[]): string {
  return ` ${cells.join(' | ')} `.trimEnd()
}

function aligned(type: SqlType | undefined, text: string, width: number): string {
  const space = ' '.repeat(width - lengthOf(text))
  return type === 'INTEGER' || type === 'REAL' ? space + text : text + space
}

function centred(text: string, width: number): string {
  const left = Math.floor((width - lengthOf(text)) / 2)
  return ' '.repeat(left) + text + ' '.repeat(width - lengthOf(text) - left)
}

function lengthOf(text: string): number {
  let length = 0
  for (const _ of text) length += 1
  return length
}

/** A line break inside a value, or a control sequence of the terminal, would spoil the table. */
function shown(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  return text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, (character) => {
    const code = character.charCodeAt(0).toString(16).padStart(4, '0')
    return SHORT[character] ?? `\\u${code}`
  })
}

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

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
  const lines = [`ERROR:  ${code}: ${detail}`]
  const text = typeof line === 'number' ? sql?.split(/\r\n?|\n/)[line - 1] : undefined
  if (text !== undefined && typeof column === 'number') {
    const from = Math.max(0, column - 1 - LINE_CHARACTERS_MAX / 2)
    const label = `LINE ${line}: ${from === 0 ? '' : '...'}`
    const part = shown(text.slice(from, from + LINE_CHARACTERS_MAX).toWellFormed())
    const before = shown(text.slice(from, column - 1).toWellFormed())
    lines.push(label + part, `${' '.repeat(label.length + lengthOf(before))}^`)
  }
  if (typeof hint === 'string') lines.push(`HINT:  ${hint}`)
  return lines.map((one) => `${one}\n`).join('')
}
