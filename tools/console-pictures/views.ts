// SPDX-License-Identifier: Apache-2.0
import type { Page } from 'playwright-core'

export type PicturedServer = 'brokerage' | 'transfers' | 'empty' | 'members'

/** One view of the console, as it is on its pictures. */
export type PicturedView = {
  /** Of the files. */
  readonly name: string
  /** The server: that of the brokerage, if it is not said. */
  readonly of?: PicturedServer
  /** Its address in the console. */
  readonly hash: string
  /** What is done before the picture is taken. */
  readonly prepare: (page: Page, token: string) => Promise<unknown>
}

const STATEMENT = `-- What did they buy, and for how much?
SCAN t.id, t.at, t.symbol, s.name, t.quantity, t.price
FROM trade AS t LOOKUP security AS s BY s.symbol = t.symbol
WHERE t.customer = :who AND t.quantity > 0
LIMIT 12`

async function write(page: Page, text: string): Promise<void> {
  await page.locator('.cm-content').click()
  await page.keyboard.insertText(text)
  await page.getByLabel('Parameters, as JSON').fill('{ "who": 3 }')
}

/** Some transactions that are in each other's way, and one that is left open. */
async function conflict(page: Page): Promise<void> {
  const url = new URL('/v1/transactions', page.url()).href
  const begin = async () => {
    const answer = await page.request.post(url, { data: {} })
    return ((await answer.json()) as { readonly transaction: string }).transaction
  }
  const run = (id: string, sql: string) =>
    page.request.post(`${url}/${id}/query`, { data: { sql } })
  for (const who of [3, 3, 3, 3, 5, 5, 8]) {
    const sql = `SET cash = cash + 1 ON customer WHERE id = ${who}`
    const [first, second] = [await begin(), await begin()]
    for (const id of [first, second]) await run(id, sql)
    for (const id of [first, second]) await run(id, 'COMMIT')
  }
  const left = await begin()
  await run(left, 'GET cash FROM customer WHERE id = 4')
  await run(left, 'SET cash = 7 ON customer WHERE id = 4')
}

export const VIEWS: readonly PicturedView[] = [
  {
    name: 'query',
    hash: '#/query',
    async prepare(page) {
      await write(page, STATEMENT)
      await page.keyboard.press('Control+Home')
      await page.getByRole('button', { name: 'Run', exact: true }).click()
      await page.getByText('12 rows').waitFor()
    },
  },
  {
    name: 'plan',
    hash: '#/query',
    async prepare(page) {
      await write(page, STATEMENT)
      await page.getByRole('button', { name: 'Explain analyze' }).click()
      await page.getByText('Keys that were not taken').waitFor()
    },
  },
  {
    name: 'tables',
    hash: '#/tables/trade?index=trade_by_customer&where=customer+%3D+3+AND+quantity+%3E+8',
    async prepare(page) {
      await page.getByRole('button', { name: 'open' }).nth(2).click()
      await page.getByRole('button', { name: 'Save' }).waitFor()
      await page.locator('pre').waitFor()
    },
  },
  {
    name: 'cells',
    of: 'transfers',
    hash: '#/cells/account/bob/joe',
    async prepare(page) {
      await page
        .getByRole('img', { name: /^bob, write/ })
        .nth(1)
        .focus()
      await page.getByText('Stamp 6 of 6').waitFor()
    },
  },
  {
    name: 'live',
    hash: '#/live?sql=SCAN+*+FROM+security',
    async prepare(page) {
      await page.getByText('live', { exact: true }).waitFor()
      await page.waitForTimeout(700)
      await page.getByRole('button', { name: 'Drop the connection' }).click()
      await page.getByText('goes on after').waitFor()
      await page.waitForTimeout(700)
    },
  },
  {
    name: 'transactions',
    hash: '#/transactions',
    async prepare(page) {
      await conflict(page)
      await page.locator('.pairs').nth(2).waitFor()
      await page.getByText('customer 1').first().waitFor()
    },
  },
  {
    name: 'observers',
    hash: '#/observers/mail_customer',
    async prepare(page) {
      await page.locator('.chart canvas').first().waitFor()
      await page.waitForTimeout(9_000)
      await page.getByRole('button', { name: 'Pause …' }).click()
    },
  },
  {
    name: 'first-steps',
    of: 'empty',
    hash: '#/query',
    prepare: (page) => page.getByRole('region', { name: 'First steps' }).waitFor(),
  },
  {
    name: 'access',
    of: 'members',
    hash: '#/access',
    async prepare(page, token) {
      await page.getByLabel('Token').fill(token)
      await page.keyboard.press('Enter')
      await page.getByText('owner = token.sub').first().waitFor()
    },
  },
  {
    name: 'status',
    hash: '#/status',
    async prepare(page) {
      await page.locator('.chart canvas').first().waitFor()
      // Some looks, so that there are lines.
      await page.waitForTimeout(9_000)
    },
  },
]
