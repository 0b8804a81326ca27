// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { chromiumSkipReason } from '../browser/chromium.ts'
import { TokenServer } from '../server/token-server.ts'
import { ConsoleScene, endOfGroup, until } from './console-scene.ts'
import { gridTexts, textsOf } from './page-texts.ts'

const DEFINITIONS = [
  'CREATE TABLE account (id TEXT PRIMARY KEY, owner TEXT NOT NULL, balance INTEGER, note TEXT)',
  'CREATE INDEX byOwner ON account (owner)',
]
const ROWS = `INSERT INTO account (id, owner, balance) VALUES
  ('ann', 'zoe', 1), ('bob', 'ann', 9007199254740993), ('joe', 'cat', 2)`

function gridOf(page: Page) {
  return page.locator('.grid').getByRole('region', { name: 'Rows of account' })
}

function cellOf(page: Page, row: number, column: string) {
  return gridOf(page).locator(`tbody tr:nth-child(${row}) td[data-column="${column}"]`)
}

async function firstColumn(page: Page): Promise<(string | undefined)[]> {
  return (await gridTexts(gridOf(page))).map(([id]) => id)
}

describe('rows that are changed where they stand, in Chromium', {
  skip: chromiumSkipReason(),
}, () => {
  const end = endOfGroup()
  let scene: ConsoleScene
  before(async () => {
    scene = await ConsoleScene.start(end)
    for (const sql of [...DEFINITIONS, ROWS]) await scene.server.rows(sql)
  })
  const row = async (id: string) =>
    (await scene.server.rows(`GET * FROM account WHERE id = '${id}'`, { integers: 'string' }))[0]

  it('by the keyboard alone, on a phone', async () => {
    const look = await scene.look('#/tables/account', { viewport: { width: 360, height: 720 } })
    const { page } = look
    await cellOf(page, 1, 'id').focus()
    for (const key of ['ArrowDown', 'End', 'ArrowLeft']) await page.keyboard.press(key)
    await page.keyboard.press('Enter')
    const input = page.getByLabel('balance INTEGER')
    await until(async () => (await input.inputValue()) === '9007199254740993')
    await look.requireClean()
    await page.keyboard.press('Control+a')
    await page.keyboard.type('9007199254740995')
    await page.keyboard.press('Enter')
    await cellOf(page, 2, 'balance').getByText('9007199254740995').waitFor()
    assert.equal((await row('bob')).balance, '9007199254740995')
    assert.equal(await cellOf(page, 2, 'balance').and(page.locator(':focus')).count(), 1)
    await page.keyboard.press('F2')
    await until(async () => (await input.inputValue()) === '9007199254740995')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await page.keyboard.press('Enter')
    await cellOf(page, 2, 'balance').getByText('NULL').waitFor()
    assert.equal((await row('bob')).balance, null)
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    await page.getByRole('form', { name: 'A row of account' }).waitFor()
    await page.context().close()
  })

  it('only if nobody else has changed them, else both are shown', async () => {
    const look = await scene.look('#/tables/account')
    const { page } = look
    await cellOf(page, 3, 'balance').dblclick()
    await page.getByLabel('balance INTEGER').fill('much')
    await page.keyboard.press('Enter')
    await page.getByText('An INTEGER is digits').waitFor()
    await page.getByLabel('balance INTEGER').fill('77')
    await scene.server.rows("SET balance = 50, owner = 'dan' ON account WHERE id = 'joe'")
    await page.keyboard.press('Enter')
    const told = page.getByRole('alert').filter({ hasText: 'Somebody else has changed' })
    await told.waitFor()
    assert.deepEqual(await textsOf(told, ':scope > *'), [
      ['owner', 'cat', 'dan', 'as it is now'],
      ['balance', '2', '50', '77'],
    ])
    await look.requireCleanBut(/412/)
    assert.equal((await row('joe')).balance, '50')
    await page.getByRole('button', { name: 'Save mine over it' }).click()
    await cellOf(page, 3, 'balance').getByText('77').waitFor()
    assert.deepEqual(await row('joe'), { id: 'joe', owner: 'dan', balance: '77', note: null })
    await cellOf(page, 1, 'note').dblclick()
    await page.getByLabel('note TEXT').fill('kept?')
    await page.keyboard.press('Escape')
    assert.equal((await row('ann')).note, null)
    await page.context().close()
  })
})

describe('rows that are sorted, filtered and counted, in Chromium', {
  skip: chromiumSkipReason(),
}, () => {
  const end = endOfGroup()
  let tokens: TokenServer
  let scene: ConsoleScene
  before(async () => {
    tokens = await TokenServer.start(end)
    for (const sql of [...DEFINITIONS, ROWS, 'CREATE ROLE reader']) await tokens.query(sql)
    await tokens.query("GRANT READ ON account TO reader WHERE owner <> 'zoe'")
    scene = await ConsoleScene.of(end, tokens.server)
  })

  async function look(token: string) {
    const made = await scene.look('#/tables/account')
    await made.page.getByLabel('Token').fill(token)
    await made.page.keyboard.press('Enter')
    await gridOf(made.page).waitFor()
    return made
  }

  it('by what keys give, and by nothing else', async () => {
    const { page } = await look(tokens.token)
    const sorts = page.getByTitle('Sorts by this column')
    assert.deepEqual(await sorts.allTextContents(), ['id', 'owner'])
    await sorts.nth(1).press('Enter')
    await until(async () => (await firstColumn(page)).join() === 'bob,joe,ann')
    await sorts.nth(1).press('Enter')
    await until(async () => (await firstColumn(page)).join() === 'ann,joe,bob')
    assert.equal(await page.locator('th[aria-sort="descending"]').count(), 1)
    assert.match(page.url(), /index=byOwner&order=owner\+desc/)
    await sorts.nth(0).click()
    await sorts.nth(0).click()
    await until(async () => (await firstColumn(page)).join() === 'joe,bob,ann')
    await page.context().close()
  })

  it('by a column that a key bounds; else an index is suggested', async () => {
    const made = await look(tokens.token)
    const { page } = made
    const filter = page.getByRole('form', { name: 'Filter by a column' })
    await filter.getByLabel('Column').selectOption('owner')
    await filter.getByLabel('Comparison').selectOption('begins with')
    await filter.getByLabel('Value').fill('ca')
    await page.keyboard.press('Enter')
    await until(async () => (await firstColumn(page)).join() === 'joe')
    await page.getByRole('button', { name: 'Count' }).click()
    await page.getByRole('status').getByText('1 row in all').waitFor()
    await made.requireCleanBut(/401/)
    await page.getByLabel('WHERE').fill('')
    await page.keyboard.press('Enter')
    await filter.getByLabel('Column').selectOption('balance')
    await filter.getByLabel('Comparison').selectOption('>=')
    await filter.getByLabel('Value').fill('x')
    await page.keyboard.press('Enter')
    await filter.getByRole('alert').getByText('An INTEGER is digits').waitFor()
    await filter.getByLabel('Value').fill('2')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('unbounded_scan').waitFor()
    await made.requireCleanBut(/40[01]/)
    await page.getByRole('button', { name: 'Insert the suggested statement' }).click()
    await page.locator('.cm-content').getByText('accountByBalance').waitFor()
    await page.context().close()
  })

  it('are counted only where a key bounds them', async () => {
    const { page } = await look(tokens.token)
    assert.equal(await page.getByRole('button', { name: 'Count' }).count(), 0)
    await page.getByLabel('WHERE').fill('balance = 2')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Count' }).click()
    await page.getByRole('alert').getByText('unbounded_scan').waitFor()
    await page.context().close()
  })

  it('are those that a role may see, and it changes none', async () => {
    const reader = await tokens.made('CREATE TOKEN someone ROLE reader EXPIRES IN 1 DAY')
    const { page } = await look(reader)
    await page.getByTitle('Sorts by this column').nth(1).click()
    await until(async () => (await firstColumn(page)).join() === 'bob,joe')
    await page.getByText('This role may not write here').waitFor()
    assert.equal(await page.locator('td[data-column]').count(), 0)
    await page.getByLabel('WHERE').fill("owner >= 'a'")
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Count' }).click()
    await page.getByRole('status').getByText('2 rows in all').waitFor()
    await page.getByLabel('WHERE').fill('balance = 2')
    await page.getByLabel('read by').selectOption({ label: 'the key that the condition bounds' })
    await page.getByRole('alert').getByText('unbounded_scan').waitFor()
    const insert = page.getByRole('button', { name: 'Insert the suggested statement' })
    assert.equal(await insert.count(), 0, 'it may not define an index')
    await page.context().close()
  })
})
