// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Brokerage } from '../../cli/demo/brokerage.ts'
import { connect } from '../../client-sdk/client.ts'
import { chromiumSkipReason } from '../browser/chromium.ts'
import { startTestServer, type TestServer } from '../server/test-server.ts'
import { TokenServer } from '../server/token-server.ts'
import { ConsoleScene, until } from './console-scene.ts'

const PHONE = { width: 360, height: 720 }

async function tableNames(server: TestServer): Promise<string[]> {
  return (await server.get('/v1/tables')).body.tables.map(({ name }: { name: string }) => name)
}

async function definitions(server: TestServer): Promise<unknown[]> {
  const names = await tableNames(server)
  return await Promise.all(names.map((name) => server.rows(`SHOW CREATE TABLE ${name}`)))
}

describe('the console of an empty database, in Chromium', { skip: chromiumSkipReason() }, () => {
  it('loads the demo data, whose tables are those of percolite demo', async (t) => {
    const scene = await ConsoleScene.start(t)
    const look = await scene.look('#/query', { viewport: PHONE })
    const { page } = look
    const steps = page.getByRole('region', { name: 'First steps' })
    await page.locator('.cm-content').waitFor()
    await steps.waitFor()
    await look.requireClean()
    await steps.getByRole('button', { name: 'Load the demo data' }).press('Enter')
    await steps.waitFor({ state: 'detached' })
    await page.getByRole('cell', { name: 'Ada' }).waitFor()
    // Of the text as one transaction, which definitions make a script.
    await look.requireCleanBut(/400/)
    const demo = await startTestServer(t)
    const db = connect({ url: (await demo.listen()).url })
    t.after(() => db.close())
    await Brokerage.create(db, Math.random)
    assert.deepEqual(await definitions(scene.server), await definitions(demo))
  })

  it('takes a schema that is pasted over the example, or comes from a file', async (t) => {
    const scene = await ConsoleScene.start(t)
    const look = await scene.look('#/query')
    const { page } = look
    const steps = page.getByRole('region', { name: 'First steps' })
    await page.locator('.cm-content').waitFor()
    await steps.getByRole('button', { name: 'Paste a schema' }).click()
    await page.locator('.cm-content').getByText('task_by_due').waitFor()
    await page.keyboard.insertText('CREATE TABLE pasted (id INTEGER PRIMARY KEY)')
    const text = await page.locator('.cm-content').innerText()
    assert.equal(text, 'CREATE TABLE pasted (id INTEGER PRIMARY KEY)')
    const sql = 'CREATE TABLE one (id TEXT PRIMARY KEY); CREATE TABLE two (id TEXT PRIMARY KEY);'
    const file = { name: 'schema.sql', mimeType: 'text/plain', buffer: Buffer.from(sql) }
    await steps.getByLabel('A file with a schema').setInputFiles(file)
    await until(async () => (await page.locator('.cm-content').innerText()) === sql)
    await page.keyboard.press('Control+Shift+Enter')
    await steps.waitFor({ state: 'detached' })
    assert.deepEqual(await tableNames(scene.server), ['one', 'two'])
  })

  it('offers nothing that the role may not do', async (t) => {
    const tokens = await TokenServer.start(t)
    await tokens.query('CREATE ROLE reader')
    await tokens.query('CREATE TABLE secret (id INTEGER PRIMARY KEY)')
    const scene = await ConsoleScene.of(t, tokens.server)
    const look = await scene.look('#/query')
    const { page } = look
    await page
      .getByLabel('Token')
      .fill(await tokens.made('CREATE TOKEN r ROLE reader EXPIRES IN 1 DAY'))
    await page.keyboard.press('Enter')
    await page.getByText('There is no table that the role reader sees').waitFor()
    assert.equal(await page.getByRole('region', { name: 'First steps' }).count(), 0)
    await look.requireCleanBut(/401/)
  })
})
