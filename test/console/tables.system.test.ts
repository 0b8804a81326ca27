// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { chromiumSkipReason } from '../browser/chromium.ts'
import { TokenServer } from '../server/token-server.ts'
import { ConsoleScene, endOfGroup } from './console-scene.ts'
import { gridTexts, textsOf } from './page-texts.ts'

const DEFINITIONS = [
  `CREATE TABLE account (id TEXT PRIMARY KEY, owner TEXT NOT NULL, balance INTEGER DEFAULT 0,
     meta JSON, raw BYTES, CHECK (balance >= 0), FAMILY extra (meta, raw))`,
  'CREATE INDEX byOwner ON account (owner)',
  'CREATE TABLE event (id INTEGER PRIMARY KEY, text TEXT)',
]
const BOB = `INSERT INTO account (id, owner, balance, meta) VALUES
  ('bob', 'ann', 9007199254740993, '{"n":12345678901234567890}'), ('joe', 'cat', 2, NULL)`

function gridOf(page: Page, table: string): Locator {
  return page.locator('.grid').getByRole('region', { name: `Rows of ${table}` })
}

describe('the tables of the console, in Chromium', { skip: chromiumSkipReason() }, () => {
  const end = endOfGroup()
  let scene: ConsoleScene
  before(async () => {
    scene = await ConsoleScene.start(end)
    for (const sql of [...DEFINITIONS, BOB]) await scene.server.rows(sql)
  })

  it('say what the API says of a table, and its rows with every digit', async () => {
    const look = await scene.look('#/tables')
    const { page } = look
    await page.getByLabel('Filter the tables by name').fill('acc')
    assert.equal(
      await page.getByRole('navigation', { name: 'Tables' }).getByRole('link').count(),
      1,
    )
    await page.getByRole('link', { name: 'account' }).click()
    const grid = gridOf(page, 'account')
    await grid.waitFor()
    assert.deepEqual(await gridTexts(grid), [
      ['bob', 'ann', '9007199254740993', '{"n":12345678901234567890}', 'NULL'],
      ['joe', 'cat', '2', 'NULL', 'NULL'],
    ])
    const statements = await scene.server.rows('SHOW CREATE TABLE account')
    const text = statements.map(({ statement }) => `${statement};`).join('\n')
    await page.locator('pre').getByText('CREATE TABLE').waitFor()
    assert.equal(await page.locator('pre').textContent(), text)
    for (const fact of ['byOwner', 'extra', 'account_balance_check', 'balance >= 0']) {
      await page.locator('.listed').getByText(fact, { exact: true }).first().waitFor()
    }
    await look.requireClean()
    await page.context().close()
  })

  it('show no number cut in two, below the links of a row or beside them', async () => {
    const names = Array.from({ length: 9 }, (_, at) => `a_column_of_numbers_${at}`)
    const columns = names.map((name) => `${name} INTEGER DEFAULT 12345678901234567`)
    await scene.server.rows(`CREATE TABLE wide (id INTEGER PRIMARY KEY, ${columns.join(', ')})`)
    await scene.server.rows('INSERT INTO wide (id) VALUES (1)')
    for (const width of [1280, 360]) {
      const look = await scene.look('#/tables/wide', { viewport: { width, height: 800 } })
      const grid = gridOf(look.page, 'wide')
      await grid.locator('td.actions').waitFor()
      const shown = (await look.page.evaluate(`(() => {
        const actions = document.querySelector('.grid td.actions')
        const region = actions.closest('.scroll')
        region.scrollLeft = region.scrollWidth
        const range = document.createRange()
        range.selectNodeContents(actions.previousElementSibling)
        return {
          links: actions.getBoundingClientRect().left,
          text: range.getBoundingClientRect().right,
          fade: Number.parseFloat(getComputedStyle(actions, '::before').width),
          position: getComputedStyle(actions).position,
        }
      })()`)) as { links: number; fade: number; text: number; position: string }
      assert.ok(shown.fade > 20 && shown.text <= shown.links - shown.fade, JSON.stringify(shown))
      assert.equal(shown.position, width === 360 ? 'relative' : 'sticky')
      await look.requireClean()
      await look.page.context().close()
    }
  })

  it('are read by a condition and an index, and a mistake in it is told', async () => {
    const look = await scene.look('#/tables/account')
    const { page } = look
    await page.getByLabel('WHERE').fill("owner = 'cat'")
    await page.getByLabel('read by').selectOption('byOwner')
    await page.getByText('1 row', { exact: true }).waitFor()
    assert.equal((await gridTexts(gridOf(page, 'account')))[0]?.[0], 'joe')
    assert.match(page.url(), /index=byOwner/)
    await page.getByLabel('WHERE').fill("owner = 'cat'; DELETE FROM account")
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    const rows = await scene.server.rows('SCAN id FROM account')
    assert.equal(rows.length, 2)
    await page.context().close()
  })

  it('come 200 rows at a time', async () => {
    for (let from = 0; from < 450; from += 150) {
      const values = Array.from({ length: 150 }, (_, at) => `(${from + at}, 'x')`).join(', ')
      await scene.server.rows(`INSERT INTO event (id, text) VALUES ${values}`)
    }
    const { page } = await scene.look('#/tables/event')
    for (const count of ['the first 200 rows', 'the first 400 rows', '450 rows']) {
      await page.getByText(count, { exact: true }).waitFor()
      if (count !== '450 rows') await page.getByRole('button', { name: 'More rows' }).click()
    }
    const rows = await gridTexts(gridOf(page, 'event'))
    assert.deepEqual(
      rows.map(([id]) => id),
      Array.from({ length: 450 }, (_, at) => String(at)),
    )
    await page.context().close()
  })

  it('have links from a row to its cells, those of its entries, and its changes', async () => {
    const { page } = await scene.look('#/tables/account')
    await page.getByRole('button', { name: 'open' }).first().click()
    const form = page.getByRole('form', { name: 'A row of account' })
    const links = await form.getByRole('link').all()
    const hrefs = await Promise.all(links.map((link) => link.getAttribute('href')))
    assert.deepEqual(hrefs.slice(0, 2), [
      '#/cells/account/bob',
      '#/cells/account/ann%2Cbob?index=byOwner',
    ])
    assert.match(hrefs[2] ?? '', /^#\/live\?sql=GET/)
    await page.context().close()
  })
})

describe('a row of the console as a form, in Chromium', { skip: chromiumSkipReason() }, () => {
  const end = endOfGroup()
  let scene: ConsoleScene
  before(async () => {
    scene = await ConsoleScene.start(end)
    for (const sql of [...DEFINITIONS, BOB]) await scene.server.rows(sql)
  })

  it('changes what was changed in it, and nothing else', async () => {
    const look = await scene.look('#/tables/account')
    const { page } = look
    await page.getByRole('button', { name: 'open' }).first().click()
    await page.getByLabel('balance INTEGER').fill('9007199254740995')
    await look.requireClean()
    await page.getByRole('button', { name: 'Save' }).click()
    await gridOf(page, 'account').getByText('9007199254740995').waitFor()
    const query = { integers: 'string' }
    const [bob] = await scene.server.rows("GET * FROM account WHERE id = 'bob'", query)
    assert.equal(bob.balance, '9007199254740995')
    await page.context().close()
  })

  it('is refused when somebody else was faster, and shows both', async () => {
    const look = await scene.look('#/tables/account')
    const { page } = look
    await page.getByRole('button', { name: 'open' }).nth(1).click()
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
    const read = () => scene.server.rows("GET owner, balance FROM account WHERE id = 'joe'")
    assert.deepEqual(await read(), [{ owner: 'dan', balance: 50 }])
    await page.getByRole('button', { name: 'Save mine over it' }).click()
    await gridOf(page, 'account').getByText('77').waitFor()
    assert.deepEqual(await read(), [{ owner: 'dan', balance: 77 }])
    await page.context().close()
  })

  it('takes BYTES from a file, says how large they are, and gives them back', async () => {
    const look = await scene.look('#/tables/account')
    const { page } = look
    const picture = Buffer.alloc(300_000, 'picture')
    await page.getByRole('button', { name: 'open' }).nth(0).click()
    await page.getByLabel('A file for raw').setInputFiles({
      name: 'a.png',
      mimeType: 'image/png',
      buffer: picture,
    })
    await page.getByRole('button', { name: 'Save' }).click()
    await gridOf(page, 'account').getByText('300 kB').waitFor()
    await page.getByRole('button', { name: 'open' }).nth(0).click()
    const waiting = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    const download = await waiting
    assert.equal(download.suggestedFilename(), 'raw')
    assert.deepEqual(readFileSync(await download.path()), picture)
    await look.requireClean()
    await scene.server.rows("SET raw = NULL ON account WHERE id = 'bob'")
    await page.context().close()
  })

  it('says what a field wants, and what the server refuses', async () => {
    const { page } = await scene.look('#/tables/account')
    await page.getByRole('button', { name: 'Insert a row' }).click()
    await page.getByLabel('id TEXT, key').fill('eve')
    await page.getByLabel('owner TEXT').fill('eve')
    await page.getByLabel('balance INTEGER').fill('much')
    await page.keyboard.press('Enter')
    await page.getByText('An INTEGER is digits, with a sign perhaps.').waitFor()
    await page.getByLabel('balance INTEGER').fill('-1')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('check_failed').waitFor()
    await page.context().close()
  })

  it('inserts a row, and deletes it when that is said twice', async () => {
    const { page } = await scene.look('#/tables/account')
    const ids = async () => (await scene.server.rows('SCAN id FROM account')).map(({ id }) => id)
    await page.getByRole('button', { name: 'Insert a row' }).click()
    await page.getByLabel('id TEXT, key').fill('abe')
    await page.getByLabel('owner TEXT').fill('abe')
    await page.keyboard.press('Enter')
    await page.getByText('3 rows', { exact: true }).waitFor()
    assert.deepEqual(await ids(), ['abe', 'bob', 'joe'])
    await page.getByRole('button', { name: 'open' }).first().click()
    await page.getByRole('button', { name: 'Delete …' }).click()
    assert.deepEqual(await ids(), ['abe', 'bob', 'joe'])
    await page.getByRole('button', { name: 'Delete it' }).click()
    await page.getByText('2 rows', { exact: true }).waitFor()
    assert.deepEqual(await ids(), ['bob', 'joe'])
    await page.context().close()
  })
})

describe('the tables of the console to a role that reads some rows', {
  skip: chromiumSkipReason(),
}, () => {
  const end = endOfGroup()
  let tokens: TokenServer
  let scene: ConsoleScene
  before(async () => {
    tokens = await TokenServer.start(end)
    for (const sql of [...DEFINITIONS, BOB]) await tokens.query(sql)
    await tokens.query('CREATE ROLE reader')
    await tokens.query("GRANT READ ON account TO reader WHERE owner = 'ann'")
    scene = await ConsoleScene.of(end, tokens.server)
  })

  it('are those that it may read, without what it may not do', async () => {
    const token = await tokens.made('CREATE TOKEN someone ROLE reader EXPIRES IN 1 DAY')
    const look = await scene.look('#/tables/account')
    const { page } = look
    await page.getByLabel('Token').fill(token)
    await page.keyboard.press('Enter')
    await page.getByText('1 row', { exact: true }).waitFor()
    const links = page.getByRole('navigation', { name: 'Tables' }).getByRole('link')
    assert.deepEqual(await links.allTextContents(), ['account'])
    await page.getByText('This role may not write here').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Insert a row' }).count(), 0)
    assert.equal(await page.getByRole('link', { name: 'cells' }).count(), 0)
    await page.getByRole('button', { name: 'open' }).click()
    await page.getByLabel('owner TEXT').waitFor()
    assert.ok(await page.getByLabel('owner TEXT').isDisabled())
    assert.equal(await page.getByRole('button', { name: 'Save' }).count(), 0)
    assert.equal(await page.getByRole('alert').count(), 0)
    await look.requireCleanBut(/401/)
    await page.context().close()
  })
})
