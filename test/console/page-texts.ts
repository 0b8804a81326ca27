// SPDX-License-Identifier: Apache-2.0
import type { Locator, Page } from 'playwright-core'
import type { AnswerBody } from '../server/test-server.ts'

const FAMILIES = ['data', 'lock', 'write', 'rollback', 'guard', 'notify']

/** What is used of an element in the page. */
type PageElement = {
  readonly textContent: string
  readonly querySelectorAll: (selector: string) => ArrayLike<PageElement>
}

/** The texts of what `cells` selects in each row of a table, row by row. */
export function textsOf(table: Locator, cells: string): Promise<string[][]> {
  return table.locator('tbody tr').evaluateAll((rows, selector) => {
    const texts = (row: PageElement) =>
      Array.from(row.querySelectorAll(selector), ({ textContent }) => textContent)
    return (rows as unknown as PageElement[]).map(texts)
  }, cells)
}

/** The values of each row of a grid, without the numbers of rows and the actions. */
export function gridTexts(grid: Locator): Promise<string[][]> {
  return textsOf(grid, ':scope > :not(.row-number):not(.actions)')
}

/** The values of each row that Live shows, without the word for its last change. */
export function liveTexts(page: Page): Promise<string[][]> {
  return textsOf(page.locator('.live .grid'), ':scope > :not(.row-op)')
}

/** The values of rows of an answer, with INTEGER as texts, as a grid shows them. */
export function shownValues(rows: readonly AnswerBody[]): string[][] {
  return rows.map((row) => Object.values(row).map(shownValue))
}

/** The rest of a long text is shown where its cell is opened. */
const CELL_LENGTH_MAX = 200

function shownValue(value: unknown): string {
  if (value === null) return 'NULL'
  if (value === '') return 'empty'
  const text = typeof value === 'object' ? JSON.stringify(value) : `${value}`
  return text.length > CELL_LENGTH_MAX ? `${text.slice(0, CELL_LENGTH_MAX)}…` : text
}

/** Each cell of an answer as row, family and the end of its stamp. */
export function cellsOf(rows: readonly AnswerBody[]): string[] {
  return rows
    .flatMap((row) =>
      FAMILIES.flatMap((family) =>
        row[family].map(
          ({ timestamp }: AnswerBody) =>
            `${row.index ?? row.table} ${row.key.join(', ')} ${family} ${`${timestamp}`.slice(-3)}`,
        ),
      ),
    )
    .toSorted()
}

/** The same of the table on the page. */
export async function shownCells(page: Page): Promise<string[]> {
  const rows = await textsOf(page.locator('.cell-table'), ':scope > td')
  return rows
    .filter(([, , , cell]) => cell?.includes('not there') !== true)
    .map(([stamp = '', , row, cell]) => `${row} ${cell} ${stamp.slice(-3)}`)
    .toSorted()
}
