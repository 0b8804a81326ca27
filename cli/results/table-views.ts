// SPDX-License-Identifier: Apache-2.0
import type { ResultColumn, StatementResult } from '../../client-sdk/client.ts'
import { DisplayWidths, terminalText } from '../../server/requests/answers/terminal-text.ts'
import { footer, planText, shownValue, styled } from './shown-value.ts'
import { isOnRight } from './value-text.ts'
import type { ResultView, ViewOptions } from './view.ts'

/** Characters that a page may take when each of its columns is as wide as its longest text. */
const LAID_OUT_CHARACTERS_MAX = 4 * 1024 * 1024

/**
 * The layout of psql. The columns of the first page are kept for those that follow, and become wider where they need
 * to.
 *
 *      id  | balance
 *     -----+---------
 *      bob |       3
 *     (1 row)
 */
export class TableView implements ResultView {
  readonly #options: ViewOptions
  #widths: readonly number[] | undefined
  #rows = 0
  #last: StatementResult | undefined
  #isPlan = false

  constructor(options: ViewOptions) {
    this.#options = options
  }

  page(result: StatementResult): string {
    this.#last = result
    this.#rows += result.rows.length
    const plan = planText(result)
    this.#isPlan = plan !== undefined
    if (plan !== undefined) return plan
    if (result.columns.length === 0) return ''
    const { columns, rows } = result
    const laidOut = layOut(columns, rows, this.#widths)
    const head = this.#widths === undefined ? headOf(columns, laidOut.widths) : ''
    this.#widths = laidOut.widths
    return head + rows.map((row, index) => this.#line(columns, row, laidOut, index)).join('')
  }

  end(note?: string): string {
    const { isQuiet } = this.#options
    if (this.#last === undefined || isQuiet) return ''
    if (this.#isPlan) return note === undefined ? '' : `(${note})\n`
    return footer(this.#last, this.#rows, note)
  }

  #line(
    columns: readonly ResultColumn[],
    row: Readonly<Record<string, unknown>>,
    { texts, textWidths, widths }: LaidOut,
    index: number,
  ): string {
    const cells = columns.map(({ name, type }, at) => {
      const text = texts[index]?.[at] ?? ''
      const space = ' '.repeat(Math.max(0, (widths[at] ?? 0) - (textWidths[index]?.[at] ?? 0)))
      const shown = styled(text, row[name], this.#options.hasColor)
      return isOnRight(type) ? space + shown : shown + space
    })
    return `${` ${cells.join(' | ')}`.trimEnd()}\n`
  }
}

/** Columns that the table of a page takes on a terminal. */
export function tableWidth({ columns, rows }: StatementResult): number {
  const { widths } = layOut(columns, rows, undefined)
  return widths.reduce((sum, width) => sum + width + 3, -1)
}

type LaidOut = {
  readonly widths: readonly number[]
  readonly texts: ReadonlyArray<readonly string[]>
  readonly textWidths: ReadonlyArray<readonly number[]>
}

/** At least as wide as `before`. */
function layOut(
  columns: readonly ResultColumn[],
  rows: StatementResult['rows'],
  before: readonly number[] | undefined,
): LaidOut {
  const display = new DisplayWidths()
  const texts = rows.map((row) => columns.map((column) => shownValue(column, row)))
  const textWidths = texts.map((cells) => cells.map((text) => display.of(text)))
  const widths = columns.map(({ name }, at) =>
    textWidths.reduce(
      (widest, line) => Math.max(widest, line[at] ?? 0),
      before?.[at] ?? display.of(terminalText(name)),
    ),
  )
  return { texts, textWidths, widths: bounded(widths, rows.length + 2) }
}

/** A long text among many short ones would cost its length in blanks for each of them: then it sticks out. */
function bounded(widths: readonly number[], lines: number): readonly number[] {
  const all = widths.reduce((sum, width) => sum + width, 0)
  if (all * lines <= LAID_OUT_CHARACTERS_MAX) return widths
  const share = Math.floor(LAID_OUT_CHARACTERS_MAX / (lines * widths.length))
  return widths.map((width) => Math.min(width, share))
}

function headOf(columns: readonly ResultColumn[], widths: readonly number[]): string {
  const display = new DisplayWidths()
  const names = columns.map(({ name }, at) => {
    const text = terminalText(name)
    const space = Math.max(0, (widths[at] ?? 0) - display.of(text))
    const left = Math.floor(space / 2)
    return ' '.repeat(left) + text + ' '.repeat(space - left)
  })
  const rule = widths.map((width) => '-'.repeat(width + 2)).join('+')
  return `${` ${names.join(' | ')}`.trimEnd()}\n${rule}\n`
}

/** For documents; there is no line of how many rows they are. */
export class MarkdownView implements ResultView {
  #hasHead = false

  page({ columns, rows }: StatementResult): string {
    if (columns.length === 0) return ''
    const head = this.#hasHead ? '' : markdownHead(columns)
    this.#hasHead = true
    return (
      head +
      rows.map((row) => markdownLine(columns.map((column) => shownValue(column, row)))).join('')
    )
  }

  end(): string {
    return ''
  }
}

function markdownHead(columns: readonly ResultColumn[]): string {
  const rule = columns.map(({ type }) => (isOnRight(type) ? '---:' : '---'))
  return `${markdownLine(columns.map(({ name }) => terminalText(name)))}|${rule.join('|')}|\n`
}

function markdownLine(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`
}
