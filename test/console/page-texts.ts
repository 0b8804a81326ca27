// SPDX-License-Identifier: Apache-2.0
import type { Locator } from 'playwright-core'

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
