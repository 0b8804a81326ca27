// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { isDeepStrictEqual } from 'node:util'
import type { Page } from 'playwright-core'
import type { AnswerBody, TestServer } from '../server/test-server.ts'
import { type ConsoleLook, until } from './console-scene.ts'
import type { DataSet } from './data-sets.ts'
import { cellsOf, gridTexts, liveTexts, shownCells, shownValues, textsOf } from './page-texts.ts'

/** Rows that the page reads at once, and that Live shows. */
const PAGE_ROWS = 200

type Visit = {
  readonly look: ConsoleLook
  readonly page: Page
  readonly server: TestServer
  readonly data: DataSet
}

/** By the titles of the views: shows what there is, and compares it with the API. */
const VISITS: Readonly<Record<string, (visit: Visit) => Promise<void>>> = {
  Query: visitQuery,
  Tables: visitTable,
  Cells: visitCells,
  Live: visitLive,
  Transactions: visitTransactions,
  Observers: visitObservers,
  Access: visitAccess,
  Status: visitStatus,
}

/** Every view by its tab, and then with its data: nothing may be wrong with any of them. */
export async function walkViews(
  look: ConsoleLook,
  server: TestServer,
  data: DataSet,
): Promise<void> {
  const { page } = look
  const tabs = page.getByRole('tab')
  await tabs.first().waitFor()
  const titles = await tabs.allTextContents()
  assert.deepEqual(titles, Object.keys(VISITS))
  for (const [at, title] of titles.entries()) {
    await tabs.nth(at).click()
    await until(async () => (await page.title()).startsWith(title))
    await page.getByRole('heading', { level: 2 }).first().waitFor()
    await page.waitForLoadState('networkidle')
    await VISITS[title]?.({ look, page, server, data })
    await look.requireClean()
  }
}

/** Leaves a view as it is before anything was chosen, with which nothing may be wrong either. */
async function goTo({ look, page }: Visit, hash: string): Promise<void> {
  await look.requireClean()
  await page.evaluate(`location.hash = ${JSON.stringify(hash)}`)
}

/** What the page shows becomes this. */
async function shows(read: () => Promise<unknown>, expected: unknown): Promise<void> {
  const isSo = async () => isDeepStrictEqual(await read(), expected)
  await until(isSo).catch(() => undefined)
  assert.deepEqual(await read(), expected)
}

function rowsOf(server: TestServer, sql: string): Promise<AnswerBody[]> {
  return server.rows(sql, { integers: 'string' })
}

async function visitQuery(visit: Visit): Promise<void> {
  const { page, server, data } = visit
  const { sql } = data
  await goTo(visit, `#/query?sql=${encodeURIComponent(sql.query)}`)
  await page.locator('.cm-content').getByText('SCAN').waitFor()
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  const grid = page.getByRole('region', { name: 'Rows', exact: true })
  await grid.waitFor()
  await shows(() => gridTexts(grid), shownValues(await rowsOf(server, sql.query)))
}

async function visitTable(visit: Visit): Promise<void> {
  const { page, server, data } = visit
  const { table } = data
  await goTo(visit, `#/tables/${table}`)
  const grid = page.getByRole('region', { name: `Rows of ${table}` })
  await grid.waitFor()
  const rows = await rowsOf(server, `SCAN * FROM ${table} LIMIT ${PAGE_ROWS}`)
  await shows(() => gridTexts(grid), shownValues(rows))
}

async function visitCells(visit: Visit): Promise<void> {
  const { page, server, data } = visit
  const { cells } = data
  await goTo(visit, `#/cells/${cells.table}/${cells.key}`)
  await page.locator('.cell-table').waitFor()
  const { body } = await server.get(`/v1/tables/${cells.table}/cells?key=${cells.key}`)
  await shows(() => shownCells(page), cellsOf(body.rows))
}

async function visitLive(visit: Visit): Promise<void> {
  const { page, server, data } = visit
  const { sql } = data
  await goTo(visit, `#/live?sql=${encodeURIComponent(sql.live)}`)
  await page.getByText('live', { exact: true }).waitFor()
  const rows = await rowsOf(server, sql.live)
  await shows(() => liveTexts(page), shownValues(rows.slice(0, PAGE_ROWS)))
}

async function visitTransactions({ page, server }: Visit): Promise<void> {
  const { body: open } = await server.get('/v1/transactions')
  const { body: conflicts } = await server.get('/v1/conflicts')
  const region = page.getByRole('region', { name: 'Open transactions' })
  await shows(
    async () => (await textsOf(region, ':scope > td.mono')).flat(),
    open.transactions.map(({ last = 'none' }: AnswerBody) => last),
  )
  await shows(
    () => page.locator('.conflict-head strong').allTextContents(),
    conflicts.hot.map(({ table, key, system }: AnswerBody) =>
      system === undefined ? `${table} ${JSON.stringify(key)}` : system,
    ),
  )
}

async function visitObservers(visit: Visit): Promise<void> {
  const { page, server, data } = visit
  const { observer } = data
  const { body } = await server.get('/v1/observers')
  if (observer === undefined) {
    assert.deepEqual(body.observers, [])
    return
  }
  await goTo(visit, `#/observers/${observer}`)
  await page.getByRole('region', { name: observer, exact: true }).waitFor()
  const table = page.getByRole('region', { name: 'Observers' })
  const shown = () => textsOf(table, ':scope > td')
  await shows(
    async () => (await shown()).map(([name, of, , pending]) => [name, of, pending]),
    body.observers.map(({ observer: name, table: of, weak, pending }: AnswerBody) => [
      weak ? `${name} weak` : name,
      of,
      `${pending}`,
    ]),
  )
}

async function visitAccess({ page, server }: Visit): Promise<void> {
  const roles = await rowsOf(server, 'SHOW ROLES')
  const table = page.getByRole('region', { name: 'Roles' })
  await shows(
    async () => (await textsOf(table, ':scope > th')).flat(),
    roles.map(({ role }: AnswerBody) => role),
  )
}

async function visitStatus({ page, server }: Visit): Promise<void> {
  const { body } = await server.get('/v1/status')
  const fact = (name: string) =>
    page.locator('.facts > div', { has: page.getByText(name, { exact: true }) }).locator('dd')
  await shows(() => fact('engine').textContent(), `${body.engine}, ${body.commit}`)
  await shows(() => fact('conflicts').textContent(), String(body.conflicts))
  await shows(() => fact('open transactions').textContent(), String(body.openTransactions))
  await page.locator('.chart canvas').first().waitFor()
}
