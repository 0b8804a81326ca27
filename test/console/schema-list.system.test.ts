// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chromiumSkipReason } from '../browser/chromium.ts'
import { TokenServer } from '../server/token-server.ts'
import { ConsoleScene, until } from './console-scene.ts'

const DEFINITIONS = [
  'CREATE TABLE account (id TEXT PRIMARY KEY, owner TEXT NOT NULL, "the balance" INTEGER)',
  'CREATE UNIQUE INDEX byOwner ON account (owner)',
  'CREATE TABLE event (day DATE, id INTEGER, PRIMARY KEY (day, id))',
]
const PHONE = { width: 360, height: 720 }

describe('tables and columns beside the editor, in Chromium', {
  skip: chromiumSkipReason(),
}, () => {
  it('put names in at the cursor, by a click or by Enter', async (t) => {
    const scene = await ConsoleScene.start(t)
    for (const sql of DEFINITIONS) await scene.server.rows(sql)
    const look = await scene.look('#/query')
    const { page } = look
    const list = page.getByRole('navigation', { name: 'Tables and columns' })
    await page.locator('.cm-content').click()
    await page.keyboard.insertText('SCAN  FROM ')
    await list.getByRole('button', { name: 'account', exact: true }).click()
    await list.getByRole('button', { name: 'Columns of account' }).press('Enter')
    const parts = list.getByRole('list', { name: 'Columns and indexes of account' })
    assert.deepEqual(await parts.getByRole('listitem').allTextContents(), [
      'idTEXT, key',
      'ownerTEXT, not null',
      'the balanceINTEGER',
      'unique indexbyOwner(owner)',
    ])
    await look.requireClean()
    await page.locator('.cm-content').focus()
    await page.keyboard.press('Home')
    for (let at = 0; at < 'SCAN '.length; at += 1) await page.keyboard.press('ArrowRight')
    await parts.getByRole('button', { name: 'the balance' }).press('Enter')
    assert.equal(await page.locator('.cm-content').innerText(), 'SCAN "the balance" FROM account')
    await page.keyboard.insertText(' AS b')
    const text = 'SCAN "the balance" AS b FROM account'
    assert.equal(await page.locator('.cm-content').innerText(), text, 'one can type on')
    await list.getByLabel('Filter tables and columns by name').fill('day')
    await list.getByRole('button', { name: 'account', exact: true }).waitFor({ state: 'detached' })
    await list.getByRole('button', { name: 'event', exact: true }).waitFor()
  })

  it('know a table as soon as a statement has made it, and are folded on a phone', async (t) => {
    const scene = await ConsoleScene.start(t)
    for (const sql of DEFINITIONS) await scene.server.rows(sql)
    const look = await scene.look('#/query', { viewport: PHONE })
    const { page } = look
    const list = page.getByRole('navigation', { name: 'Tables and columns' })
    await page.locator('summary', { hasText: 'Tables and columns' }).waitFor()
    assert.equal(await list.count(), 0)
    await page.locator('summary', { hasText: 'Tables and columns' }).press('Enter')
    await list.waitFor()
    await look.requireClean()
    const startedMs = performance.now()
    await page.locator('.cm-content').click()
    await page.keyboard.insertText('CREATE TABLE newest (id INTEGER PRIMARY KEY)')
    await page.keyboard.press('Control+Enter')
    await list.getByRole('button', { name: 'newest', exact: true }).waitFor()
    assert.ok(performance.now() - startedMs < 9_000, 'sooner than it is asked for anyway')
  })

  it('are not asked for while the first token is shown, which closes the server', async (t) => {
    const scene = await ConsoleScene.start(t)
    const { page } = await scene.look('#/query')
    await page.locator('.cm-content').click()
    await page.keyboard.insertText('CREATE TOKEN root ROLE admin EXPIRES IN 1 DAY')
    // What may stand there has been asked for, and answered, before there is a token.
    await page.waitForTimeout(1_000)
    await page.keyboard.press('Control+Enter')

    await page.getByRole('cell', { name: /^pct_/ }).waitFor()
    await page.waitForTimeout(11_000)
    assert.equal(await page.getByRole('cell', { name: /^pct_/ }).count(), 1)
  })

  it('are those of the role', async (t) => {
    const tokens = await TokenServer.start(t)
    for (const sql of DEFINITIONS) await tokens.query(sql)
    await tokens.query('CREATE ROLE reader')
    await tokens.query('GRANT READ ON event TO reader')
    const scene = await ConsoleScene.of(t, tokens.server)
    const look = await scene.look('#/query')
    const { page } = look
    const token = await tokens.made('CREATE TOKEN someone ROLE reader EXPIRES IN 1 DAY')
    await page.getByLabel('Token').fill(token)
    await page.keyboard.press('Enter')
    const list = page.getByRole('navigation', { name: 'Tables and columns' })
    const names = list.locator('.schema-table .link')
    await until(async () => (await names.count()) > 0)
    assert.deepEqual(await names.allTextContents(), ['event'])
    await look.requireCleanBut(/401/)
  })
})
