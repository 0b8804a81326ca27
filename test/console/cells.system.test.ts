// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { chromiumSkipReason } from '../browser/chromium.ts'
import type { TestServer } from '../server/test-server.ts'
import { TokenServer } from '../server/token-server.ts'
import { ConsoleScene, endOfGroup } from './console-scene.ts'
import { cellsOf, shownCells } from './page-texts.ts'

const TRANSFER =
  "SET balance = balance - 7 ON account WHERE id = 'bob'; SET balance = balance + 7 ON account WHERE id = 'joe'"

async function fill(server: TestServer): Promise<void> {
  for (const sql of [
    'CREATE TABLE account (id TEXT PRIMARY KEY, owner TEXT, balance INTEGER)',
    'CREATE INDEX byOwner ON account (owner)',
    "INSERT INTO account (id, owner, balance) VALUES ('bob', 'ann', 9007199254740993), ('joe', 'cat', 2)",
    TRANSFER,
    "DELETE FROM account WHERE id = 'joe'",
  ]) {
    assert.equal((await server.query(sql)).status, 200, sql)
  }
}

function mark(page: Page, name: RegExp) {
  return page.getByRole('img', { name })
}

describe('cells on the page, in Chromium', { skip: chromiumSkipReason() }, () => {
  const end = endOfGroup()
  let scene: ConsoleScene
  before(async () => {
    scene = await ConsoleScene.start(end, { flags: { engine: 'memory', commit: 'two-phase' } })
    await fill(scene.server)
  })

  it('of two rows are those of the API, with every digit', async () => {
    const look = await scene.look('#/cells/account/bob/joe')
    const { page } = look
    await page.locator('.cell-table').waitFor()
    const { body } = await scene.server.get('/v1/tables/account/cells?key=bob&key=joe')
    assert.deepEqual(await shownCells(page), cellsOf(body.rows))
    await mark(page, /^bob, data.*9007199254740986/).waitFor()
    await page.getByText('it says that joe is deleted').waitFor()
    await look.requireClean()
    await page.context().close()
  })

  it('of an entry of an index are those of the API', async () => {
    const look = await scene.look('#/cells/account/ann%2Cbob?index=byOwner')
    const { page } = look
    await page.locator('.cell-table').waitFor()
    const path = '/v1/tables/account/indexes/byOwner/cells/ann,bob'
    const { body } = await scene.server.get(path)
    assert.deepEqual(await shownCells(page), cellsOf([body]))
    await look.requireClean()
    await page.context().close()
  })

  it('are replayed stamp by stamp, and the address says where', async () => {
    const look = await scene.look('#/cells/account/bob/joe')
    const { page } = look
    const back = page.getByRole('button', { name: 'Step back' })
    await page.getByText('Stamp 6 of 6').waitFor()
    for (let step = 0; step < 3; step += 1) await back.click()
    await page.getByText(/T.*locks bob, and keeps it locked until/).waitFor()
    await page.getByText(/T.*locks joe, and keeps it locked until/).waitFor()
    assert.equal(await mark(page, /^bob, write/).count(), 1)
    const address = page.url()
    assert.match(address, /\?at=\d{16}$/)
    const other = await page.context().newPage()
    await other.goto(address)
    await other.getByText('Stamp 3 of 6').waitFor()
    await page.getByRole('button', { name: 'Step on' }).click()
    await page.getByText(/the write record of T.* appears on bob/).waitFor()
    assert.equal(await mark(page, /^bob, write/).count(), 2)
    await look.requireClean()
    await page.context().close()
  })

  it('play by themselves, but not for those who want less motion', async () => {
    const { page } = await scene.look('#/cells/account/bob')
    await page.getByRole('button', { name: 'Play' }).click()
    await page.getByText('Stamp 1 of 4').waitFor()
    await page.getByText('Stamp 2 of 4').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.context().close()
    const calm = await scene.look('#/cells/account/bob', { reducedMotion: 'reduce' })
    await calm.page.getByText('Stamp 4 of 4').waitFor()
    assert.equal(await calm.page.getByRole('button', { name: 'Play' }).count(), 0)
    await calm.page.context().close()
  })

  it('are walked by the arrows, each with its name', async () => {
    const { page } = await scene.look('#/cells/account/bob')
    const focused = () => page.locator(':focus').getAttribute('aria-label')
    await mark(page, /^bob, write/)
      .first()
      .focus()
    assert.match((await focused()) ?? '', /^bob, write\. Write record at …\d+: put by T…/)
    await page.keyboard.press('ArrowUp')
    assert.match((await focused()) ?? '', /^bob, lock\. A lock of T…\d+ must have stood here/)
    await page.keyboard.press('ArrowUp')
    assert.match((await focused()) ?? '', /^bob, data\..*9007199254740986/)
    await page.keyboard.press('ArrowLeft')
    assert.match((await focused()) ?? '', /^bob, data\..*9007199254740993/)
    await page.context().close()
  })

  it('are asked for by a form, row after row', async () => {
    const { page } = await scene.look('#/cells')
    await page.getByLabel('table', { exact: true }).selectOption('account')
    await page.getByLabel('key', { exact: true }).fill('bob')
    await page.keyboard.press('Enter')
    await page.getByText('Stamp 4 of 4').waitFor()
    await page.getByLabel('key', { exact: true }).fill('joe')
    await page.getByRole('button', { name: 'Add this row' }).click()
    await page.getByText('Stamp 6 of 6').waitFor()
    assert.match(page.url(), /#\/cells\/account\/bob\/joe$/)
    await page.getByRole('link', { name: 'remove joe' }).click()
    await page.getByText('Stamp 4 of 4').waitFor()
    await page.getByLabel('key', { exact: true }).fill('nobody')
    await page.keyboard.press('Enter')
    await page.getByText('There are no cells here').waitFor()
    await page.context().close()
  })
})

describe('cells on the page while they change, in Chromium', { skip: chromiumSkipReason() }, () => {
  const end = endOfGroup()

  async function watched(delay?: string) {
    const slow = delay === undefined ? {} : { 'step-delay': delay }
    const flags = { engine: 'memory', commit: 'two-phase', ...slow } as const
    const scene = await ConsoleScene.start(end, { flags })
    await scene.server.rows(
      'CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER, note JSON)',
    )
    // A commit of more than ten rows is never slowed down.
    const ids = ['bob', 'eve', ...Array.from({ length: 10 }, (_, at) => `other${at}`)]
    const rows = ids.map((id) => `('${id}', 10)`).join(', ')
    await scene.server.rows(`INSERT INTO account (id, balance) VALUES ${rows}`)
    const look = await scene.look('#/cells/account/bob/eve')
    await look.page.getByRole('button', { name: 'Follow live' }).click()
    await look.page.getByText('live', { exact: true }).waitFor()
    return { scene, look, page: look.page, log: look.page.getByRole('log') }
  }

  it('show a transfer from its locks to its records, and are then those of the API', async () => {
    const { scene, look, page, log } = await watched()
    await scene.server.query(TRANSFER.replace('joe', 'eve'))
    for (const step of ['locks bob', 'locks eve', 'commits, by its primary bob', 'secondary eve']) {
      await log.getByText(step).waitFor()
    }
    await page.getByText('Stamp 4 of 4').waitFor()
    const { body } = await scene.server.get('/v1/tables/account/cells?key=bob&key=eve')
    assert.deepEqual(await shownCells(page), cellsOf(body.rows))
    assert.equal(await page.getByRole('button', { name: 'Kill' }).count(), 0)
    await look.requireClean()
    await scene.server.query(`SET note = '{"n": 9007199254740993}' ON account WHERE id = 'bob'`)
    await mark(page, /^bob, data.*9007199254740993/).waitFor()
    await page.getByRole('button', { name: 'Stop following' }).click()
    await page.getByText('Stamp 6 of 6').waitFor()
    await page.context().close()
  })

  it('show what a reader does when the owner was killed after the commit point', async () => {
    const { scene, look, page, log } = await watched('1500ms')
    const transfer = scene.server.query(TRANSFER.replace('joe', 'eve'))
    await log.getByText('locks eve').waitFor()
    assert.equal(await mark(page, /^(bob|eve), lock\. Lock of T/).count(), 2)
    await log.getByText('commits, by its primary bob').waitFor()
    await page.getByRole('button', { name: /^Kill the owner of T/ }).click()
    await page.getByText(/stands still after commit of bob/).waitFor()
    assert.equal((await transfer).body.code, 'commit_outcome_unknown')
    assert.equal(await mark(page, /^eve, lock\. Lock of T/).count(), 1)
    await scene.server.rows("GET balance FROM account WHERE id = 'eve'")
    await log.getByText('another transaction rolls it forward at eve').waitFor()
    assert.equal(await mark(page, /^eve, lock\. Lock of T/).count(), 0)
    await look.requireClean()
    await page.context().close()
  })
})

describe('cells of a server that commits in one phase, in Chromium', {
  skip: chromiumSkipReason(),
}, () => {
  const end = endOfGroup()

  it('have no lock that never stood, and say so', async () => {
    const scene = await ConsoleScene.start(end)
    await fill(scene.server)
    const look = await scene.look('#/cells/account/bob')
    const { page } = look
    await page.getByText('This server commits in one phase').waitFor()
    await page.getByText('together with the value, without a lock').waitFor()
    assert.equal(await mark(page, /^bob, lock/).count(), 0)
    await look.requireClean()
    await page.context().close()
  })

  it('are for the right inspect alone', async () => {
    const tokens = await TokenServer.start(end)
    await tokens.query('CREATE ROLE reader')
    const scene = await ConsoleScene.of(end, tokens.server)
    const token = await tokens.made('CREATE TOKEN someone ROLE reader EXPIRES IN 1 DAY')
    const { page, urls } = await scene.look('#/cells/account/bob')
    await page.getByLabel('Token').fill(token)
    await page.keyboard.press('Enter')
    await page.getByText('This needs the right inspect, which the role reader lacks.').waitFor()
    assert.deepEqual(
      urls.filter((url) => url.includes('/cells')),
      [],
    )
    await page.context().close()
  })
})
