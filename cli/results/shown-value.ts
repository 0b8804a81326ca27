// SPDX-License-Identifier: Apache-2.0
import { styleText } from 'node:util'
import type { ResultColumn, StatementResult } from '../../client-sdk/client.ts'
import { counted } from '../../server/requests/answers/table-text.ts'
import { terminalText } from '../../server/requests/answers/terminal-text.ts'
import { valueText } from './value-text.ts'

/** A value as people see it: control characters are shown and not obeyed. */
export function shownValue(column: ResultColumn, row: Readonly<Record<string, unknown>>): string {
  const value = row[column.name] ?? null
  return value === null ? 'NULL' : terminalText(valueText(column.type, value))
}

/** NULL is dim, so that it is told from the text NULL where there are colours. */
export function styled(text: string, value: unknown, hasColor: boolean): string {
  const isDim = hasColor && (value ?? null) === null
  return isDim ? styleText('dim', text, { validateStream: false }) : text
}

/** The line under a result: `(1 row, 1.9 ms)`. */
export function footer(
  {
    rowsAffected,
    unmet,
    columns,
    hint,
  }: Pick<StatementResult, 'rowsAffected' | 'unmet' | 'columns' | 'hint'>,
  rows: number,
  note: string | undefined,
): string {
  const time = note === undefined ? '' : `, ${note}`
  if (unmet !== undefined) return `(nothing written: ${unmet}${time})\n`
  if (columns.length > 0) return `(${counted(rows)}${time})\n`
  const better = hint === undefined ? '' : `HINT:  ${terminalText(hint)}\n`
  return `OK${rowsAffected === 0 ? '' : `, ${counted(rowsAffected)}`}${time}\n${better}`
}

/** The text of EXPLAIN, which says the same as its other column; undefined for any other result. */
export function planText({ kind, rows }: StatementResult): string | undefined {
  const text = rows[0]?.text
  if (kind !== 'explain' || typeof text !== 'string') return undefined
  return text
    .split('\n')
    .map((line) => `${terminalText(line)}\n`)
    .join('')
}
