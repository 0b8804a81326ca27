// SPDX-License-Identifier: Apache-2.0
import type { ResultColumn, StatementResult } from '../../client-sdk/client.ts'
import { headOf, isOnRight, paddedWidths, rowOf } from '../../server/requests/answers/table-text.ts'
import { DisplayWidths, terminalText } from '../../server/requests/answers/terminal-text.ts'
import { footer, planText, shownValue, styled } from './shown-value.ts'
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
    const { columns } = result
    const hasHead = this.#widths !== undefined
    const { names, lines, widths } = layOut(result, this.#widths, this.#options.hasColor)
    this.#widths = widths
    const head = hasHead ? [] : headOf(names, widths)
    return [...head, ...lines.flatMap((cells) => rowOf(columns, cells, widths))].join('')
  }

  end(note?: string): string {
    const { isQuiet } = this.#options
    if (this.#last === undefined || isQuiet) return ''
    if (this.#isPlan) return note === undefined ? '' : `(${note})\n`
    return footer(this.#last, this.#rows, note)
  }
}

/** Columns that the table of a page takes on a terminal. */
export function tableWidth(result: StatementResult): number {
  const { widths } = layOut(result, undefined, false)
  return widths.reduce((sum, width) => sum + width + 3, -1)
}

/** The cells of a page, in columns at least as wide as `before`. */
function layOut(
  { columns, rows }: StatementResult,
  before: readonly number[] | undefined,
  hasColor: boolean,
) {
  const display = new DisplayWidths()
  const cellOf = (text: string, shown = text) => ({ texts: [shown], width: display.of(text) })
  const names = columns.map(({ name }) => cellOf(terminalText(name)))
  const lines = rows.map((row) =>
    columns.map((column) => {
      const text = shownValue(column, row)
      return cellOf(text, styled(text, row[column.name], hasColor))
    }),
  )
  const widths = names.map(({ width }, at) =>
    lines.reduce((widest, cells) => Math.max(widest, cells[at]?.width ?? 0), before?.[at] ?? width),
  )
  return { names, lines, widths: paddedWidths(widths, rows.length, LAID_OUT_CHARACTERS_MAX) }
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
