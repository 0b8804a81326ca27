// SPDX-License-Identifier: Apache-2.0
import type { StatementResult } from '../../../planner/planner.ts'
import type { AnswerBudget, QueryOutcome } from './query-answer.ts'
import { DisplayWidths, terminalText } from './terminal-text.ts'
import { piecesOf } from './text-pieces.ts'
import { valueText } from './value-text.ts'

/**
 * Answers for people at a terminal, laid out as psql does, in pieces. A result without columns is one line. Throws
 * where the table, with its blanks, is more than `budget` has left.
 *
 *      id  | balance
 *     -----+---------
 *      bob |       3
 *     (1 row)
 */
export function* tableText(
  { results, cursor }: QueryOutcome,
  budget: Pick<AnswerBudget, 'takeText'>,
): Generator<string, void, undefined> {
  const displayWidths = new DisplayWidths()
  let separator = ''
  for (const result of results) {
    yield separator
    separator = '\n'
    if (result.text !== undefined) {
      budget.takeText(Buffer.byteLength(result.text))
      yield `${result.text.trimEnd()}\n`
    } else if (result.columns.length === 0) yield doneText(result)
    else yield* rowsText(result, displayWidths, budget)
  }
  if (cursor !== undefined) yield `There is more; the cursor behind it is ${cursor}\n`
}

function doneText({ rowsAffected, unmet }: StatementResult): string {
  if (unmet !== undefined) return `Nothing written: ${unmet}\n`
  return rowsAffected === 0 ? 'OK\n' : `OK, ${counted(rowsAffected)}\n`
}

export function counted(rows: number): string {
  return `${rows} ${rows === 1 ? 'row' : 'rows'}`
}

/** A text as it is shown, in pieces, with the columns that it takes. */
type Cell = { readonly texts: readonly string[]; readonly width: number }

type MeasuredCell = Cell & { readonly bytes: number }

const EMPTY: MeasuredCell = { texts: [], bytes: 0, width: 0 }

function* rowsText(
  result: StatementResult,
  displayWidths: DisplayWidths,
  budget: Pick<AnswerBudget, 'takeText'>,
): Generator<string, void, undefined> {
  const { columns, rows, unmet } = result
  const names: MeasuredCell[] = []
  for (const { name } of columns) names.push(yield* cellOf(name, displayWidths))
  const widths = names.map(({ width }) => width)
  const lines: MeasuredCell[][] = []
  for (const row of rows) {
    const cells: MeasuredCell[] = []
    for (const [index, { type }] of columns.entries()) {
      const value = row[index] ?? null
      const cell = value === null ? EMPTY : yield* cellOf(valueText(type, value), displayWidths)
      widths[index] = Math.max(widths[index] ?? 0, cell.width)
      cells.push(cell)
    }
    lines.push(cells)
  }
  const padded = paddedWidths(widths, rows.length, LAID_OUT_CHARACTERS_MAX)
  const head = [names, names.map(() => EMPTY)]
  // Nothing stands after the last text of a row.
  const inRows = isOnRight(columns.at(-1)?.type) ? padded : padded.with(-1, 0)
  budget.takeText(bytesOfLines(head, padded) + bytesOfLines(lines, inRows))
  yield* headOf(names, padded)
  for (const cells of lines) yield* rowOf(columns, cells, inRows)
  yield unmet === undefined ? `(${counted(rows.length)})\n` : `(nothing written: ${unmet})\n`
}

/** Yields after each piece that it has looked at, so that the caller can give up its turn. */
function* cellOf(
  text: string,
  displayWidths: DisplayWidths,
): Generator<string, MeasuredCell, undefined> {
  const texts: string[] = []
  let bytes = 0
  let width = 0
  for (const piece of piecesOf(text)) {
    const shown = terminalText(piece)
    texts.push(shown)
    bytes += Buffer.byteLength(shown)
    width += displayWidths.of(shown)
    yield ''
  }
  return { texts, bytes, width }
}

/** Before a cell, and at the end of a line, about. */
const SEPARATOR_BYTES = 3

/** Bytes of the lines when they are laid out in columns of these widths. */
function bytesOfLines(
  lines: ReadonlyArray<readonly MeasuredCell[]>,
  widths: readonly number[],
): number {
  let sum = 0
  for (const cells of lines) {
    for (const [index, { bytes, width }] of cells.entries()) {
      sum += bytes + Math.max(0, (widths[index] ?? 0) - width) + SEPARATOR_BYTES
    }
  }
  return sum
}

const HEAD_LINES = 2

/** Characters that a result may take when each of its columns is as wide as its longest text. */
export const LAID_OUT_CHARACTERS_MAX = 16 * 1024 * 1024

/**
 * A long text among many short ones would cost its length in blanks for each of them. Where that is too much no
 * column is wider than its share, and longer texts stick out.
 */
export function paddedWidths(
  widths: readonly number[],
  rows: number,
  charactersMax: number,
): readonly number[] {
  const all = widths.reduce((sum, width) => sum + width, 0)
  const lines = rows + HEAD_LINES
  if (all * lines <= charactersMax) return widths
  const share = Math.floor(charactersMax / (lines * widths.length))
  return widths.map((width) => Math.min(width, share))
}

/** The names of columns over their widths, and the rule below them. */
export function headOf(names: readonly Cell[], widths: readonly number[]): string[] {
  const line = lineOf(names.map((name, index) => centred(name, widths[index] ?? 0)))
  return [...line, `${widths.map((width) => '-'.repeat(width + 2)).join('+')}\n`]
}

/** A line of the table: numbers stand on the right. */
export function rowOf(
  columns: ReadonlyArray<{ readonly type: string }>,
  cells: readonly Cell[],
  widths: readonly number[],
): string[] {
  return lineOf(cells.map((cell, index) => aligned(columns[index]?.type, cell, widths[index] ?? 0)))
}

/** Nothing blank stands at its end. */
function lineOf(cells: ReadonlyArray<readonly string[]>): string[] {
  const texts = cells.flatMap((cell, index) => [index === 0 ? ' ' : ' | ', ...cell])
  for (let last = texts.pop(); last !== undefined; last = texts.pop()) {
    const kept = last.trimEnd()
    if (kept === '') continue
    texts.push(kept)
    break
  }
  texts.push('\n')
  return texts
}

function aligned(type: string | undefined, { texts, width }: Cell, columns: number): string[] {
  const space = ' '.repeat(Math.max(0, columns - width))
  return isOnRight(type) ? [space, ...texts] : [...texts, space]
}

export function isOnRight(type: string | undefined): boolean {
  return type === 'INTEGER' || type === 'DECIMAL' || type === 'REAL'
}

function centred({ texts, width }: Cell, columns: number): string[] {
  const space = Math.max(0, columns - width)
  const left = Math.floor(space / 2)
  return [' '.repeat(left), ...texts, ' '.repeat(space - left)]
}
