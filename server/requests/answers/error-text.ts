// SPDX-License-Identifier: Apache-2.0
import { DisplayWidths, terminalText } from './terminal-text.ts'

/** The members of a problem that are shown. */
type ShownProblem = {
  readonly code: string
  readonly detail: string
  readonly [field: string]: unknown
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
export function errorText(problem: ShownProblem, sql: string | undefined): string {
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
