// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Page } from 'playwright-core'
import type { Schemas } from '../../client-sdk/client.ts'
import { chromiumSkipReason } from '../browser/chromium.ts'
import { type ConsoleLook, ConsoleScene, endOfGroup, until } from './console-scene.ts'
import { textsOf } from './page-texts.ts'

type Shape = Schemas['ShapeStatistics']

/** A few turns of the page's polling. */
const TURNS_MS = 5_000

describe('Status, in Chromium', { skip: chromiumSkipReason() }, () => {
  const end = endOfGroup()
  let scene: ConsoleScene
  let look: ConsoleLook
  let page: Page
  before(async () => {
    scene = await ConsoleScene.start(end)
    const { server } = scene
    await server.rows('CREATE TABLE account (id INTEGER PRIMARY KEY)')
    await server.rows('INSERT INTO account (id) VALUES (1), (2), (3)')
    look = await scene.look('#/status')
    page = look.page
    await page.getByRole('heading', { name: 'Store' }).waitFor()
  })
  const fact = (name: string) =>
    page.locator('.facts > div', { has: page.getByText(name, { exact: true }) }).locator('dd')

  it('has the figures of the API, and follows them', async () => {
    const { body: status } = await scene.server.get('/v1/status')
    assert.equal(await fact('version').textContent(), status.version)
    assert.equal(await fact('engine').textContent(), 'memory, one-phase')
    assert.equal(await fact('conflicts').textContent(), String(status.conflicts))
    assert.equal(await fact('open transactions').textContent(), '0')
    const id = await scene.server.begin()
    await fact('open transactions').getByText('1').waitFor()
    await scene.server.send({ method: 'DELETE', path: `/v1/transactions/${id}` })
    await fact('open transactions').getByText('0').waitFor()
  })

  it('draws its charts in the colours of the scheme, and again when that changes', async () => {
    await page.locator('.chart canvas').first().waitFor()
    // Lines come with the second look.
    await delay(TURNS_MS)
    const drawn = () =>
      page.evaluate(`document.querySelector('.chart canvas').toDataURL()`) as Promise<string>
    await page.emulateMedia({ colorScheme: 'light' })
    await delay(200)
    const light = await drawn()
    await page.emulateMedia({ colorScheme: 'dark' })
    await delay(200)
    assert.notEqual(await drawn(), light)
    await look.requireClean()
  })

  const shapes = () => page.getByRole('region', { name: 'Statements' })
  /** What is shown of them, and what the API says in the same words. */
  const bothOf = async (order: string) => {
    const { body } = await scene.server.get(`/v1/statements?order=${order}`)
    const told = body.statements.map((one: Shape) => [
      ...[one.statement, `${one.access}, ${one.key}`, String(one.count)],
      ...['0', String(one.rowsReturned), String(one.rowsWritten)],
    ])
    const cells = await textsOf(shapes(), 'td')
    const shown = cells.map((row) => [...row.slice(0, 4), row[8], row[9]])
    return [shown, told] as const
  }

  it('is as wide as a phone, with errors of statements in words for screen readers', async (t) => {
    const other = await ConsoleScene.start(t)
    await other.server.rows('CREATE TABLE account (id INTEGER PRIMARY KEY)')
    await other.server.rows('INSERT INTO account (id) VALUES (1)')
    assert.equal((await other.server.query('INSERT INTO account (id) VALUES (1)')).status, 409)
    const phone = await other.look('#/status', { viewport: { width: 360, height: 740 } })
    await phone.page.locator('td .unseen').first().waitFor({ state: 'attached' })
    await phone.requireClean()
  })

  it('has the statements of the API by their shapes, and none that it asks by itself', async () => {
    const { server } = scene
    for (const id of [1, 2]) await server.rows(`GET id FROM account WHERE id = ${id}`)
    await page.getByLabel('First those with the').selectOption({ label: 'most runs' })
    await until(async () => isDeepStrictEqual(...(await bothOf('count'))))
    const [shown] = await bothOf('count')
    assert.deepEqual(shown?.[0], [
      'GET id FROM account WHERE id = ?',
      'point get, PRIMARY KEY (id)',
      ...['2', '0', '2', '0'],
    ])
    assert.equal(shown?.length, 2)
    await look.requireClean()
  })

  it('leads from a statement to its plan', async () => {
    await page.getByRole('link', { name: 'Plan of GET id FROM account WHERE id = ?' }).click()
    await page.getByText('EXPLAIN GET id FROM account WHERE id = :value1').waitFor()
    await page.getByRole('button', { name: 'Run', exact: true }).click()
    await page.getByText('PRIMARY KEY (id)').first().waitFor()
    await look.requireClean()
    await page.goBack()
    await page.getByRole('heading', { name: 'Store' }).waitFor()
  })

  it('checks the store when it is told to', async () => {
    const asked = () => look.urls.filter((url) => url.includes('/v1/check')).length
    assert.equal(asked(), 0)
    await page.getByRole('button', { name: 'Check the store' }).click()
    await fact('verdict').getByText('sound').waitFor()
    const { body: report } = await scene.server.get('/v1/check')
    const rows = report.rows.toLocaleString('en-US')
    assert.equal(await fact('rows').last().textContent(), rows)
    assert.equal(asked(), 1)
    await look.requireClean()
  })

  it('asks nothing while nobody looks at it', async () => {
    const setHidden = (isHidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, 'hidden', { configurable: true, value: ${isHidden} })
         document.dispatchEvent(new Event('visibilitychange'))`,
      )
    await setHidden(true)
    await page.waitForLoadState('networkidle')
    const before = look.urls.length
    await delay(TURNS_MS)
    assert.equal(look.urls.length, before)
    await setHidden(false)
    await page.waitForResponse(/\/v1\/status/)
    await page.getByRole('tab', { name: 'Query' }).click()
    await page.locator('.cm-content').waitFor()
    await page.waitForLoadState('networkidle')
    const left = look.urls.length
    await delay(TURNS_MS)
    assert.equal(look.urls.length, left, 'nor when another view is open')
  })
})

describe('Status where statements are not counted, in Chromium', {
  skip: chromiumSkipReason(),
}, () => {
  const end = endOfGroup()

  it('says so, and does not ask for them', async () => {
    const scene = await ConsoleScene.start(end, { flags: { 'statement-statistics': 'off' } })
    const look = await scene.look('#/status')
    await look.page.getByText('--statement-statistics off').waitFor()
    assert.equal(look.urls.filter((url) => url.includes('/v1/statements')).length, 0)
    await look.requireClean()
  })
})
