// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { chromiumSkipReason } from '../browser/chromium.ts'
import { type ConsoleLook, ConsoleScene, endOfGroup } from './console-scene.ts'

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
