// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { chromiumSkipReason } from '../browser/chromium.ts'
import { type ConsoleLook, ConsoleScene, endOfGroup } from '../console/console-scene.ts'
import { RelayScene } from './relay-scene.ts'

describe('Relays, in Chromium', { skip: chromiumSkipReason() }, () => {
  const end = endOfGroup()
  let scene: RelayScene
  let look: ConsoleLook
  let page: Page
  before(async () => {
    scene = await RelayScene.start(end)
    await scene.createRelay()
    scene.receiving.reply = () => ({ kind: 'answer', status: 410 })
    await scene.run("INSERT INTO orders (id, state) VALUES (1, 'new')")
    await scene.untilState('stopped')
    look = await (await ConsoleScene.of(end, scene.server)).look('#/observers')
    page = look.page
  })
  const row = () => page.getByRole('row', { name: 'shop' })

  it('are listed where observers are, with why one has stopped', async () => {
    await row().waitFor()
    const cells = await row().locator('td').allTextContents()
    const { url } = scene.receiving
    assert.deepEqual(cells.slice(0, 5), ['shop', 'orders, payment', url, 'all', 'stopped'])
    assert.match(cells[7] ?? '', /410/)
    await look.requireClean()
  })

  it('show the statement of a button first, and send it when it is wanted', async () => {
    scene.receiving.reply = () => ({ kind: 'pass' })
    await page.getByRole('button', { name: 'Resume shop …' }).click()
    await page.getByRole('alertdialog').getByText('ALTER RELAY shop RESUME').waitFor()
    await look.requireClean()
    await page.keyboard.press('Enter')
    assert.equal((await scene.relay()).state, 'stopped', 'the focus stood on what does nothing')
    await page.getByRole('button', { name: 'Resume shop …' }).click()
    await page.getByRole('button', { name: 'Send it' }).click()
    await row().getByText('sending').waitFor()
    await scene.untilCopied()
  })

  it('show lag, messages sent and failed tries as lines, when a name is pressed', async () => {
    const name = row().getByRole('button', { name: 'shop', exact: true })
    await name.click()
    const charts = page.getByRole('region', { name: 'shop' })
    await charts.locator('figure canvas').nth(2).waitFor()
    const texts = await charts.locator('figure').allTextContents()
    const said = [
      /^Lag.*of the receiver/,
      /^A second.*messages sent/,
      /^Failed.*tries of a message/,
    ]
    assert.equal(texts.length, said.length)
    said.forEach((words, at) => {
      assert.match(texts[at] ?? '', words)
    })
    await look.requireClean()
    await name.click()
    await charts.waitFor({ state: 'detached' })
  })
})
