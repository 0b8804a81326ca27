// SPDX-License-Identifier: Apache-2.0
import type { StatementResult } from '../../client-sdk/client.ts'
import { csvField, csvLine } from '../../server/requests/answers/csv-field.ts'
import { ExpandedView, LineView } from './record-views.ts'
import { MarkdownView, TableView } from './table-views.ts'
import { rowJson, valueText } from './value-text.ts'
import type { Mode, ResultView, ViewOptions } from './view.ts'

export function viewOf(mode: Mode, options: ViewOptions): ResultView {
  switch (mode) {
    case 'table':
      return new TableView(options)
    case 'markdown':
      return new MarkdownView()
    case 'expanded':
      return new ExpandedView(options)
    case 'line':
      return new LineView()
    case 'csv':
      return new CsvView()
    case 'json':
      return new JsonView()
    case 'ndjson':
      return {
        page: ({ columns, rows }) => rows.map((row) => `${rowJson(columns, row)}\n`).join(''),
        end: () => '',
      }
  }
}

/** Lines end as those of other commands do, for pipes. Statements without rows leave nothing. */
class CsvView implements ResultView {
  #hasHeader = false

  page({ columns, rows }: StatementResult): string {
    if (columns.length === 0) return ''
    const header = this.#hasHeader ? '' : `${columns.map(({ name }) => csvField(name)).join(',')}\n`
    this.#hasHeader = true
    const lines = rows.map((row) =>
      csvLine(
        columns.map(({ name, type }) => {
          const value = row[name] ?? null
          return value === null ? null : valueText(type, value)
        }),
      ).replace(/\r\n$/, '\n'),
    )
    return header + lines.join('')
  }

  end(): string {
    return ''
  }
}

/** One array for each statement that has rows, a row on each line. */
class JsonView implements ResultView {
  #separator = '['
  #hasColumns = false

  page({ columns, rows }: StatementResult): string {
    this.#hasColumns ||= columns.length > 0
    let text = ''
    for (const row of rows) {
      text += `${this.#separator}\n${rowJson(columns, row)}`
      this.#separator = ','
    }
    return text
  }

  end(): string {
    if (!this.#hasColumns) return ''
    return this.#separator === '[' ? '[]\n' : '\n]\n'
  }
}
