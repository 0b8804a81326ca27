// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { chromiumSkipReason } from '../browser/chromium.ts'
import { TokenServer } from '../server/token-server.ts'
import { type ConsoleLook, ConsoleScene, endOfGroup } from './console-scene.ts'

describe('Transactions, in Chromium', { skip: chromiumSkipReason() }, () => {
  const end = endOfGroup()
  let scene: ConsoleScene
  let look: ConsoleLook
  let page: Page
  before(async () => {
    scene = await ConsoleScene.start(end)
    const { server } = scene
    await server.rows('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)')
    await server.rows("INSERT INTO account (id, balance) VALUES ('bob', 10), ('joe', 2)")
    await server.rows('CREATE TABLE wide (id INTEGER PRIMARY KEY, text TEXT)')
    const text = 'x'.repeat(20_000)
    for (let from = 0; from < 1_000; from += 50) {
      const rows = Array.from({ length: 50 }, (_, at) => `(${from + at}, '${text}')`)
      await server.rows(`INSERT INTO wide (id, text) VALUES ${rows.join(', ')}`)
    }
    look = await scene.look('#/transactions')
    page = look.page
  })
  const open = () => page.getByRole('region', { name: 'Open transactions' })
  const inside = (id: string, sql: string) =>
    scene.server.post(`/v1/transactions/${id}/query`, { sql })

  it('lists the open ones as the API does, and what they have written', async () => {
    await page.getByText('None is open.').waitFor()
    const id = await scene.server.begin()
    await inside(id, "SET balance = 3 ON account WHERE id = 'bob'")
    await open().getByText('account 1').waitFor()
    const { body } = await scene.server.get('/v1/transactions')
    const [one] = body.transactions
    const cells = await open().locator('tbody td').allTextContents()
    assert.match(String(cells[0]), /^\d{4}-/)
    assert.match(String(cells[2]), /^idle for /)
    assert.deepEqual([cells[4], cells[5], cells[6]], [String(one.statements), one.last, one.client])
    await look.requireClean()
  })

  it('rolls one back when that is confirmed, and shows no secret of its id', async () => {
    const [{ transaction }] = (await scene.server.get('/v1/transactions')).body.transactions
    const secret = transaction.split('.')[1]
    await page.getByRole('button', { name: /^Roll back/ }).click()
    const dialog = page.getByRole('alertdialog')
    await dialog.getByText('What it has written is dropped: 1 row.').waitFor()
    assert.equal(await page.getByText(secret).count(), 0)
    await look.requireClean()
    await page.keyboard.press('Enter')
    await dialog.waitFor({ state: 'detached' })
    assert.equal((await scene.server.get('/v1/transactions')).body.total, 1)
    await page.getByRole('button', { name: /^Roll back/ }).click()
    await page.getByRole('button', { name: 'Roll it back' }).click()
    await page.getByText('None is open.').waitFor()
    const { body } = await scene.server.get(`/v1/transactions/${transaction}`)
    assert.equal(body.status, 'rolledBack')
  })

  it('draws the rows with conflicts, and who lost to whom', async () => {
    for (const key of ['bob', 'bob', 'joe']) {
      const [one, other] = [await scene.server.begin(), await scene.server.begin()]
      for (const id of [one, other]) {
        await inside(id, `SET balance = 1 ON account WHERE id = '${key}'`)
      }
      assert.equal((await inside(one, 'COMMIT')).status, 200)
      assert.equal((await inside(other, 'COMMIT')).body.code, 'write_conflict')
    }
    const { body } = await scene.server.get('/v1/conflicts')
    const bars = page.locator('.conflicts > li')
    await bars.filter({ hasText: 'account ["joe"]' }).waitFor()
    const shown = await bars.locator('.conflict-head').allTextContents()
    assert.deepEqual(
      shown.map((text) => /^\D*?\["(\w+)"\](\d+),/.exec(text)?.slice(1)),
      body.hot.map(({ key, conflicts }: { key: string[]; conflicts: number }) => [
        ...[key[0], String(conflicts)],
      ]),
    )
    const [{ loser, winner }] = body.recent
    const times = bars.filter({ hasText: 'joe' }).locator('.pairs time')
    const titles = await Promise.all((await times.all()).map((one) => one.getAttribute('title')))
    assert.match(String(titles[0]), new RegExp(`^lost: .* · ${loser}$`))
    assert.match(String(titles[1]), new RegExp(`^won: .* · ${winner}$`))
    await page.getByText('met a newer version').first().waitFor()
    await look.requireClean()
  })

  it('lists what runs, and stops it', async () => {
    const statements = Array.from({ length: 1_000 }, () => ({
      sql: "SCAN count(*) FROM wide USE PRIMARY KEY WHERE text LIKE '%x%y%secret'",
    }))
    const answered = scene.server.post('/v1/query', { statements })
    await page.getByText('text LIKE ?').first().waitFor()
    assert.equal(await page.getByText('secret').count(), 0)
    await page.getByRole('button', { name: /^Stop / }).click()
    await page.getByText('Nothing runs.').waitFor()
    assert.equal((await answered).body.code, 'statement_cancelled')
  })

  it('looks for locks when it is told to', async () => {
    const asked = () => look.urls.filter((url) => url.includes('/v1/locks')).length
    assert.equal(asked(), 0)
    await page.getByRole('button', { name: 'Look for locks' }).click()
    await page.getByText('None.').waitFor()
    assert.equal(asked(), 1)
  })
})

describe('Transactions for two principals, in Chromium', { skip: chromiumSkipReason() }, () => {
  const end = endOfGroup()
  let tokens: TokenServer
  let scene: ConsoleScene
  const made = new Map<string, string>()
  before(async () => {
    tokens = await TokenServer.start(end)
    await tokens.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)')
    for (const [role, grant] of [
      ['operator', 'INSPECT'],
      ['reader', 'READ ON account'],
    ] as const) {
      await tokens.query(`CREATE ROLE ${role}`)
      await tokens.query(`GRANT ${grant} TO ${role}`)
      const token = await tokens.made(`CREATE TOKEN ${role} ROLE ${role} EXPIRES IN 1 DAY`)
      made.set(role, token)
      await tokens.as(token).send({ method: 'POST', path: '/v1/transactions' })
    }
    scene = await ConsoleScene.of(end, tokens.server)
  })
  const lookAs = async (role: string): Promise<ConsoleLook> => {
    const look = await scene.look('#/transactions')
    await look.page.getByLabel('Token').fill(made.get(role) ?? '')
    await look.page.keyboard.press('Enter')
    await look.page.getByRole('button', { name: /^Roll back/ }).waitFor()
    return look
  }

  it('shows an operator all of them, and lets them roll back their own', async () => {
    const { page } = await lookAs('operator')
    assert.equal(await page.locator('tbody tr').count(), 2)
    assert.equal(await page.getByRole('button', { name: /^Roll back/ }).count(), 1)
    assert.equal(await page.getByText('of another token').count(), 1)
    await page.context().close()
  })

  it('shows a reader their own transactions, and asks for nothing else', async () => {
    const { page, urls } = await lookAs('reader')
    await page.getByText('locks need the right inspect, which the role reader lacks.').waitFor()
    assert.equal(await page.locator('tbody tr').count(), 1)
    assert.equal(await page.getByRole('alert').count(), 0)
    assert.equal(urls.filter((url) => /conflicts|running|locks/.test(url)).length, 0)
    await page.context().close()
  })
})
