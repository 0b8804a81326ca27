// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { itemId } from '../../../bench/load/data.ts'

/** Pages of rows that fill what a grid keeps, and some more. */
const PAGES = 12
/** What a user is likely to do at a time. */
const PAUSE_MS = 400
/** A table of that size, read over a socket beside all else. */
const SNAPSHOT_MS_MAX = 60_000

/** A view of the console, and the most that can be done there while the server is busy. */
export type BusyView = {
  readonly title: string
  readonly hash: string
  readonly work: (page: Page) => Promise<unknown>
}

export const BUSY_VIEWS: readonly BusyView[] = [
  {
    title: 'Query',
    hash: '#/query?sql=SCAN * FROM item',
    async work(page) {
      await page.locator('.cm-content').getByText('SCAN').waitFor()
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await moreRows(page)
    },
  },
  { title: 'Tables', hash: '#/tables/item', work: moreRows },
  {
    title: 'Cells',
    hash: `#/cells/item/${itemId(7)}/${itemId(8)}/${itemId(9)}`,
    async work(page) {
      await page.getByRole('button', { name: 'Follow live' }).click()
    },
  },
  {
    title: 'Live',
    hash: '#/live?sql=SCAN * FROM item',
    async work(page) {
      await page.getByText('live', { exact: true }).waitFor({ timeout: SNAPSHOT_MS_MAX })
    },
  },
  ...['Transactions', 'Observers', 'Status'].map((title) => ({
    title,
    hash: `#/${title.toLowerCase()}`,
    work: (page: Page) => page.getByRole('heading', { level: 2 }).first().waitFor(),
  })),
]

/** Until the grid keeps as many rows as it may. */
async function moreRows(page: Page): Promise<void> {
  // By no role, for which Playwright would compute the names of all buttons of the page, in the page.
  const more = page.locator('.grid-foot button')
  for (let at = 1; at < PAGES; at += 1) {
    await more.click()
    await delay(PAUSE_MS)
  }
}
