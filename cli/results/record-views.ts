// SPDX-License-Identifier: Apache-2.0
import type { ResultColumn, StatementResult } from '../../client-sdk/client.ts'
import { DisplayWidths, terminalText } from '../../server/requests/answers/terminal-text.ts'
import { footer, planText, shownValue, styled } from './shown-value.ts'
import type { ResultView, ViewOptions } from './view.ts'

/**
 * A line for each value, for rows that are wider than the terminal.
 *
 *     -[ RECORD 1 ]
 *     id      | bob
 *     balance | 3
 *     (1 row)
 */
export class ExpandedView implements ResultView {
  readonly #options: ViewOptions
  #rows = 0
  #last: StatementResult | undefined

  constructor(options: ViewOptions) {
    this.#options = options
  }

  page(result: StatementResult): string {
    this.#last = result
    const plan = planText(result)
    const { columns, rows } = result
    const names = padded(columns)
    const before = this.#rows
    this.#rows += rows.length
    if (plan !== undefined) return plan
    return rows
      .map((row, index) => {
        const lines = columns.map((column, at) => {
          const text = styled(shownValue(column, row), row[column.name], this.#options.hasColor)
          return `${names[at]} | ${text}\n`
        })
        return `-[ RECORD ${before + index + 1} ]\n${lines.join('')}`
      })
      .join('')
  }

  end(note?: string): string {
    if (this.#last === undefined || this.#options.isQuiet) return ''
    return footer(this.#last, this.#rows, note)
  }
}

/** `name = value`, and a blank line between rows. */
export class LineView implements ResultView {
  #hasRows = false

  page({ columns, rows }: StatementResult): string {
    const names = padded(columns)
    return rows
      .map((row) => {
        const blank = this.#hasRows ? '\n' : ''
        this.#hasRows = true
        const lines = columns.map((column, at) => `${names[at]} = ${shownValue(column, row)}\n`)
        return blank + lines.join('')
      })
      .join('')
  }

  end(): string {
    return ''
  }
}

function padded(columns: readonly ResultColumn[]): string[] {
  const display = new DisplayWidths()
  const names = columns.map(({ name }) => terminalText(name))
  const widths = names.map((name) => display.of(name))
  const widest = Math.max(0, ...widths)
  return names.map((name, at) => name + ' '.repeat(widest - (widths[at] ?? 0)))
}
