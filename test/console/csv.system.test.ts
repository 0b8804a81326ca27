// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { chromiumSkipReason } from '../browser/chromium.ts'
import { TokenServer } from '../server/token-server.ts'
import { ConsoleScene } from './console-scene.ts'
import { textsOf } from './page-texts.ts'

const TABLE = `CREATE TABLE account
  (id INTEGER PRIMARY KEY, owner TEXT NOT NULL, balance DECIMAL(18, 2), meta JSON, raw BYTES)`

async function chooseFile(page: Page, name: string, text: string): Promise<void> {
  const file = { name, mimeType: 'text/csv', buffer: Buffer.from(text) }
  await page.getByLabel('A CSV file').setInputFiles(file)
}

async function download(page: Page): Promise<string> {
  const waiting = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Export CSV' }).click()
  const got = await waiting
  assert.equal(got.suggestedFilename(), 'account.csv')
  return readFileSync(await got.path(), 'utf8')
}

describe('CSV in the console, in Chromium', { skip: chromiumSkipReason() }, () => {
  it('comes in with each line that is refused, and goes out as it is', async (t) => {
    const scene = await ConsoleScene.start(t)
    const { server } = scene
    await server.rows(TABLE)
    await server.rows("INSERT INTO account (id, owner) VALUES (700, 'there')")
    const look = await scene.look('#/tables/account', { viewport: { width: 360, height: 720 } })
    const { page } = look
    await page.getByRole('button', { name: 'Import CSV' }).press('Enter')
    const panel = page.getByRole('region', { name: 'Import a CSV' })
    const lines = Array.from({ length: 1_200 }, (_, at) => `${at + 1},"o'hara, ""x""",${at}.50,1`)
    lines[2] = '3,ann,much,1'
    lines[3] = '4,ann'
    lines[4] = '9007199254740993,,1,1'
    await chooseFile(page, 'a.csv', ['ID,who,balance,extra', ...lines].join('\n'))
    await panel.getByText('No field goes to owner, which every row needs.').waitFor()
    assert.ok(await panel.getByRole('button', { name: 'Import', exact: true }).isDisabled())
    await panel.getByLabel('Column for who').selectOption('owner')
    const preview = panel.getByRole('region', { name: 'The first rows' })
    assert.deepEqual((await textsOf(preview, ':scope > *')).slice(0, 3), [
      ['2', '1', 'o\'hara, "x"', '0.50'],
      ['3', '2', 'o\'hara, "x"', '1.50'],
      ['4', 'Column balance: A DECIMAL is a number such as 12.50.'],
    ])
    await look.requireClean()
    await panel.getByRole('button', { name: 'Import', exact: true }).press('Enter')
    await panel.getByText('Done: 1,196 rows written, 4 refused, of 1,200.').waitFor()
    const refused = panel.getByRole('region', { name: 'Lines that were refused' })
    const told = await textsOf(refused, ':scope > *')
    assert.deepEqual(
      told.map(([line]) => line),
      ['4', '5', '6', '701'],
    )
    assert.match(told[1]?.[1] ?? '', /The line has 2 fields, and the header 4/)
    assert.match(told[2]?.[1] ?? '', /owner/)
    assert.match(told[3]?.[1] ?? '', /has a row \[700\] already/)
    await look.requireCleanBut(/40[09]/)
    const [count] = await server.rows('SCAN COUNT(*) AS n FROM account USE PRIMARY KEY')
    assert.equal(count.n, 1_197)
    const exact = { integers: 'string' }
    const rows = await server.rows('SCAN * FROM account WHERE id IN (2, 700)', exact)
    assert.deepEqual(
      rows.map(({ owner, balance }) => [owner, balance]),
      [
        ['o\'hara, "x"', '1.50'],
        ['there', null],
      ],
    )
    await panel.getByRole('button', { name: 'Close' }).click()
    await page.getByLabel('WHERE').fill('id >= 1199')
    await page.keyboard.press('Enter')
    await page.getByText('2 rows', { exact: true }).waitFor()
    assert.deepEqual((await download(page)).trimEnd().split(/\r?\n/), [
      'id,owner,balance,meta,raw',
      '1199,"o\'hara, ""x""",1198.50,,',
      '1200,"o\'hara, ""x""",1199.50,,',
    ])
    await page.context().close()
  })

  it('makes a table of a file, which goes out as the same file', async (t) => {
    const scene = await ConsoleScene.start(t)
    const look = await scene.look('#/query')
    const { page } = look
    await page.getByRole('link', { name: 'Import a CSV' }).click()
    const text = 'name,id,price\nann,7,1.25\n"",8,2.00\n'
    await chooseFile(page, 'account.csv', text)
    const made = page.getByLabel('The table, guessed from the first rows')
    const sql =
      'CREATE TABLE account (\n  name TEXT PRIMARY KEY,\n  id INTEGER,\n  price DECIMAL(18, 2)\n)'
    assert.equal(await made.inputValue(), sql)
    await look.requireClean()
    await page.getByRole('button', { name: 'Create the table' }).click()
    await page.getByRole('button', { name: 'Import', exact: true }).click()
    await page.getByText('Done: 2 rows written, of 2.').waitFor()
    await page.getByRole('region', { name: 'Rows of account' }).getByText('ann').waitFor()
    await page.getByTitle('Sorts by this column').click()
    await page.getByTitle('Sorts by this column').click()
    await page.locator('th[aria-sort="descending"]').waitFor()
    const out = (await download(page)).replaceAll('\r\n', '\n')
    assert.equal(out, 'name,id,price\nann,7,1.25\n"",8,2.00\n')
    await look.requireClean()
    await page.context().close()
  })

  it('is taken from no role that may not write, and has what it may read', async (t) => {
    const tokens = await TokenServer.start(t)
    await tokens.query(TABLE)
    await tokens.query("INSERT INTO account (id, owner) VALUES (1, 'ann'), (2, 'bob')")
    await tokens.query('CREATE ROLE reader')
    await tokens.query("GRANT READ ON account TO reader WHERE owner = 'ann'")
    const scene = await ConsoleScene.of(t, tokens.server)
    const { page } = await scene.look('#/tables/account?import=csv')
    const token = await tokens.made('CREATE TOKEN someone ROLE reader EXPIRES IN 1 DAY')
    await page.getByLabel('Token').fill(token)
    await page.keyboard.press('Enter')
    await page.getByText('This role may not write here').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Import CSV' }).count(), 0)
    assert.equal(await page.getByLabel('A CSV file').count(), 0)
    const lines = (await download(page)).trimEnd().split(/\r?\n/)
    assert.deepEqual(lines, ['id,owner,balance,meta,raw', '1,ann,,,'])
    await page.context().close()
  })
})
