// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { chromiumSkipReason } from '../browser/chromium.ts'
import { ManualClock } from '../manual-clock.ts'
import { ObservedServer, Runs } from '../server/observed-server.ts'
import { ScheduledServers } from '../server/scheduled-servers.ts'
import type { TestServer } from '../server/test-server.ts'
import { TokenServer } from '../server/token-server.ts'
import { type ConsoleLook, ConsoleScene, endOfGroup, until } from './console-scene.ts'

describe('Schedules, in Chromium', { skip: chromiumSkipReason() }, () => {
  const end = endOfGroup()
  it('are shown with their observer, and paused there', async () => {
    const scheduled = await ScheduledServers.start(end, 1)
    await scheduled.run("CREATE SCHEDULE nightly EVERY '1 day' AT '03:00' RUN report")
    const scene = await ConsoleScene.of(end, scheduled.servers[0] as TestServer)
    const look = await scene.look('#/observers/report')
    const { page } = look
    const row = page.getByRole('row', { name: 'nightly' })
    const { next } = await scheduled.shown('nightly')
    await row.getByText(next.replace('.000000', '')).waitFor()
    await look.requireClean()
    await page.getByRole('button', { name: 'Pause nightly …' }).click()
    await page.getByRole('alertdialog').getByText('ALTER SCHEDULE nightly PAUSE').waitFor()
    await page.getByRole('button', { name: 'Send it' }).click()
    await row.getByText('paused').waitFor()
    assert.equal((await scheduled.shown('nightly')).state, 'paused')
    await page.getByRole('button', { name: 'Resume nightly …' }).click()
    await page.getByRole('button', { name: 'Send it' }).click()
    await row.getByText(next.replace('.000000', '')).waitFor()
  })
})

describe('Observers, in Chromium', { skip: chromiumSkipReason() }, () => {
  const end = endOfGroup()
  const clock = new ManualClock()
  let isPoisonous = true
  const work = async (_tx: unknown, { key }: { readonly key: readonly unknown[] }) => {
    if (isPoisonous && key[0] === 13) throw new Error('poison')
  }
  const strong = new Runs('poisoned', work)
  const weak = new Runs('fold', work)
  let observed: ObservedServer
  let scene: ConsoleScene
  let look: ConsoleLook
  let page: Page
  before(async () => {
    const deps = { observers: [strong.defined, weak.defined], clock }
    observed = await ObservedServer.start(end, { deps })
    await observed.createObserver('poisoned')
    await observed.createObserver('fold', 'WEAK')
    await observed.run("INSERT INTO page (id, text) VALUES (12, 'a'), (13, 'b')")
    await observed.run('NOTIFY fold ON page WHERE id = 13')
    await givenUp('poisoned')
    await givenUp('fold')
    scene = await ConsoleScene.of(end, observed.server)
    look = await scene.look('#/observers')
    page = look.page
  })
  const givenUp = async (observer: string) => {
    while ((await observed.status(observer)).deadLetters.count === 0) await clock.advance(1_000)
  }
  const row = (observer: string) => page.getByRole('row', { name: observer })
  const detail = (observer: string) => page.getByRole('region', { name: observer, exact: true })
  const sent = () => look.urls.filter((url) => url.endsWith('/v1/query')).length
  const deadLetters = async (observer: string) =>
    (await observed.status(observer)).deadLetters.count

  it('are listed with the figures of the API', async () => {
    const status = await observed.status('poisoned')
    await row('poisoned').waitFor()
    const cells = await row('poisoned').locator('td').allTextContents()
    const { pending } = status
    assert.deepEqual(
      [cells[0], cells[1], cells[2], cells[3], cells[7], cells[8]],
      ['poisoned', 'page', 'active', String(pending), '1', 'none'],
    )
    await look.requireClean()
  })

  it('have their dead letters, figures and charts, at an address of their own', async () => {
    await page.getByRole('link', { name: 'poisoned' }).focus()
    await page.keyboard.press('Enter')
    await detail('poisoned').waitFor()
    assert.match(page.url(), /#\/observers\/poisoned$/)
    const { failures, deadLetters } = await observed.status('poisoned')
    const fact = detail('poisoned').locator('.answer-facts div', { hasText: 'failures' })
    assert.equal(await fact.locator('dd').textContent(), String(failures))
    const letter = detail('poisoned').getByRole('row', { name: '[13]' })
    const cells = await letter.locator('td').allTextContents()
    const [{ tries, error }] = deadLetters.rows
    assert.deepEqual(cells.slice(0, 3), ['[13]', String(tries), error])
    await detail('poisoned').locator('canvas').first().waitFor()
    await look.requireClean()
  })

  it('show the statement of a button first, and send nothing that is not wanted', async () => {
    const before = sent()
    await page.getByRole('button', { name: 'Pause …' }).click()
    await page.getByRole('alertdialog').getByText('ALTER OBSERVER poisoned PAUSE').waitFor()
    await look.requireClean()
    // The focus stands on what does nothing.
    await page.keyboard.press('Enter')
    await page.getByRole('alertdialog').waitFor({ state: 'detached' })
    assert.equal(sent(), before)
    assert.equal((await observed.status('poisoned')).state, 'active')
    await page.getByRole('button', { name: 'Pause …' }).click()
    await page.getByRole('button', { name: 'Send it' }).click()
    await page.getByText('Sent: ALTER OBSERVER poisoned PAUSE').waitFor()
    assert.equal((await observed.status('poisoned')).state, 'paused')
    await row('poisoned').getByText('paused').waitFor()
  })

  it('take up all dead letters by RESUME', async () => {
    isPoisonous = false
    await page.getByRole('button', { name: 'Resume …' }).click()
    await page.getByRole('alertdialog').getByText('ALTER OBSERVER poisoned RESUME').waitFor()
    await page.getByRole('button', { name: 'Send it' }).click()
    await page.getByText('No dead letters.').waitFor()
    assert.equal(await deadLetters('poisoned'), 0)
  })

  it('run again for what has changed since a time', async () => {
    await observed.drained('poisoned')
    const { length } = strong.events
    await page.getByLabel('Replay from').fill('2000-01-01T00:00:00Z')
    await page.keyboard.press('Enter')
    await page.getByRole('alertdialog').getByText("REPLAY FROM '2000-01-01T00:00:00Z'").waitFor()
    await page.getByRole('button', { name: 'Send it' }).click()
    await page.getByText('Sent: ').waitFor()
    await until(async () => strong.events.length >= length + 2)
  })

  it('take up one dead letter by NOTIFY, where they are weak', async () => {
    await page.getByRole('link', { name: 'fold' }).click()
    await page.getByRole('button', { name: 'Retry [13] …' }).click()
    await page.getByRole('alertdialog').getByText('NOTIFY fold ON page WHERE id = 13').waitFor()
    await page.getByRole('button', { name: 'Send it' }).click()
    await page.getByText('No dead letters.').waitFor()
    assert.equal(await deadLetters('fold'), 0)
  })
})

describe('Very many dead letters, in Chromium', { skip: chromiumSkipReason() }, () => {
  it('are walked by pages', async (t) => {
    const clock = new ManualClock()
    const poisoned = new Runs('poisoned', async () => {
      throw new Error('poison')
    })
    const observed = await ObservedServer.start(t, {
      deps: { observers: [poisoned.defined], clock },
    })
    await observed.createObserver('poisoned')
    const rows = Array.from({ length: 102 }, (_, id) => `(${id}, 'x')`)
    await observed.run(`INSERT INTO page (id, text) VALUES ${rows.join(', ')}`)
    const count = async () => (await observed.status('poisoned')).deadLetters.count
    while ((await count()) < rows.length) await clock.advance(10_000)
    const scene = await ConsoleScene.of(t, observed.server)
    const look = await scene.look('#/observers/poisoned')
    const { page } = look
    const first = page.getByRole('row', { name: '[0]' })
    await first.waitFor()
    await page.getByText('102, page 1').waitFor()
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('102, page 2').waitFor()
    const letters = page.getByRole('region', { name: 'Dead letters' }).locator('tbody tr')
    const keys = await letters.locator('td:first-child').allTextContents()
    assert.deepEqual(keys, ['[100]', '[101]'])
    assert.ok(await page.getByRole('button', { name: 'Next page' }).isDisabled())
    await look.requireClean()
    await page.getByRole('button', { name: 'Previous page' }).click()
    await first.waitFor()
  })
})

describe('Observers for two principals, in Chromium', { skip: chromiumSkipReason() }, () => {
  const end = endOfGroup()
  let tokens: TokenServer
  let scene: ConsoleScene
  before(async () => {
    tokens = await TokenServer.start(end)
    await tokens.query('CREATE TABLE page (id INTEGER PRIMARY KEY, text TEXT)')
    await tokens.query('CREATE OBSERVER count ON page (text)')
    for (const [role, grant] of [
      ['operator', 'INSPECT'],
      ['reader', 'READ ON page'],
    ]) {
      await tokens.query(`CREATE ROLE ${role}`)
      await tokens.query(`GRANT ${grant} TO ${role}`)
    }
    scene = await ConsoleScene.of(end, tokens.server)
  })
  const lookAs = async (role: string): Promise<ConsoleLook> => {
    const look = await scene.look('#/observers/count')
    await look.page
      .getByLabel('Token')
      .fill(await tokens.made(`CREATE TOKEN ${role} ROLE ${role} EXPIRES IN 1 DAY`))
    await look.page.keyboard.press('Enter')
    return look
  }

  it('shows who may look the figures, and says what the buttons need', async () => {
    const { page } = await lookAs('operator')
    await page.getByText('replaying need the right define, which the role operator lacks').waitFor()
    assert.equal(await page.getByRole('button', { name: /…$/ }).count(), 0)
    assert.equal(await page.getByRole('alert').count(), 0)
    await page.context().close()
  })

  it('shows a reader nothing, says so, and asks for nothing', async () => {
    const { page, urls } = await lookAs('reader')
    await page.getByText('This needs the right inspect, which the role reader lacks.').waitFor()
    assert.equal(urls.filter((url) => url.includes('/v1/observers')).length, 0)
    await page.context().close()
  })
})
