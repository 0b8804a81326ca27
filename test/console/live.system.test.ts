// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Page } from 'playwright-core'
import type { Schemas } from '../../client-sdk/client.ts'
import { chromiumSkipReason } from '../browser/chromium.ts'
import { longestTasks } from '../browser/task-times.ts'
import { openSocket } from '../server/socket-client.ts'
import { TokenServer } from '../server/token-server.ts'
import { type ConsoleLook, ConsoleScene, endOfGroup, until } from './console-scene.ts'
import { liveTexts, textsOf } from './page-texts.ts'

const POOR = 'SCAN id, balance FROM account USE PRIMARY KEY WHERE balance < 5'

async function watch(page: Page, sql: string): Promise<void> {
  await page.getByLabel('Statement').fill(sql)
  await page.keyboard.press('Enter')
}

const logOf = (page: Page) => page.getByRole('log').getByRole('listitem')

describe('Live, in Chromium', { skip: chromiumSkipReason() }, () => {
  const end = endOfGroup()
  let scene: ConsoleScene
  let look: ConsoleLook
  let page: Page
  before(async () => {
    scene = await ConsoleScene.start(end)
    const { server } = scene
    await server.rows('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER, city TEXT)')
    await server.rows(
      "INSERT INTO account (id, balance) VALUES ('ann', 1), ('bob', 9007199254740993), ('joe', 2)",
    )
    look = await scene.look('#/live')
    page = look.page
  })
  const sent = (sql: string) => scene.server.rows(sql)

  it('shows the rows of a statement, by the keyboard alone, and is at its address', async () => {
    await page.getByLabel('Statement').focus()
    await page.keyboard.insertText(POOR)
    await page.keyboard.press('Enter')
    await page.getByText('live', { exact: true }).waitFor()
    const rows = await sent(POOR)
    assert.deepEqual(
      await liveTexts(page),
      rows.map(({ id, balance }) => [id, String(balance)]),
    )
    assert.match(page.url(), /#\/live\?sql=SCAN/)
    await page.reload()
    await page.getByText('live', { exact: true }).waitFor()
  })

  it('says what each commit does to a row, in words, and marks what has changed', async () => {
    await sent("SET balance = 3 ON account WHERE id = 'bob'")
    await logOf(page)
      .filter({ hasText: /enter.*bob.*balance.*3/ })
      .waitFor()
    await sent("SET balance = 4 ON account WHERE id = 'bob'")
    await logOf(page)
      .filter({ hasText: /update.*bob.*balance 3 → 4/ })
      .waitFor()
    assert.equal(await page.locator('td.changed').filter({ hasText: '4' }).count(), 1)
    await sent("INSERT INTO account (id, balance) VALUES ('eve', 0)")
    await sent("SET balance = 9007199254740993 ON account WHERE id = 'bob'")
    await sent("DELETE FROM account WHERE id = 'joe'")
    for (const words of [/insert.*eve/, /leave.*bob/, /delete.*joe/]) {
      await logOf(page).filter({ hasText: words }).waitFor()
    }
    const rows = await sent(POOR)
    assert.deepEqual(
      await liveTexts(page),
      rows.map(({ id, balance }) => [id, String(balance)]),
    )
    await look.requireClean()
  })

  it('goes on by its stamp after a lost connection, with nothing left out and nothing twice', async () => {
    await page.getByRole('button', { name: 'Drop the connection' }).click()
    for (let at = 0; at < 5; at += 1)
      await sent(`INSERT INTO account (id, balance) VALUES ('x${at}', ${at})`)
    await logOf(page)
      .filter({ hasText: /goes on after 2\d{3}-.*Z/ })
      .waitFor()
    await logOf(page)
      .filter({ hasText: /insert.*x4/ })
      .waitFor()
    for (let at = 0; at < 5; at += 1) {
      const told = logOf(page).filter({ hasText: new RegExp(`insert.*x${at}`) })
      assert.equal(await told.count(), 1)
    }
    await page.getByText('live', { exact: true }).waitFor()
  })

  it('stands still while it is paused, and catches up', async () => {
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('paused; the server keeps what comes').waitFor()
    await sent("INSERT INTO account (id, balance) VALUES ('later', 1)")
    await delay(300)
    assert.equal(await page.getByText('later', { exact: true }).count(), 0)
    await page.getByRole('button', { name: 'Resume' }).click()
    await logOf(page)
      .filter({ hasText: /insert.*later/ })
      .waitFor()
  })

  it('shows a list in its order, and what a commit does to it', async () => {
    const top = 'SCAN id, balance FROM account USE PRIMARY KEY ORDER BY balance DESC LIMIT 3'
    await watch(page, top)
    await page.getByText('Rows, in their order').waitFor()
    const shown = async () => {
      const rows = (await sent(top)).map(({ id, balance }) => [id, String(balance)])
      await until(async () => isDeepStrictEqual(await liveTexts(page), rows))
    }
    await shown()
    await sent("INSERT INTO account (id, balance) VALUES ('rich', 9007199254740994)")
    await logOf(page)
      .filter({ hasText: /enter.*place 1.*rich/ })
      .waitFor()
    await logOf(page)
      .filter({ hasText: /leave.*place 4/ })
      .waitFor()
    assert.equal(await page.locator('td.changed').filter({ hasText: 'rich' }).count(), 1)
    await shown()
    await watch(page, 'SCAN COUNT(*) AS accounts FROM account USE PRIMARY KEY')
    await page.getByText('live', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Drop the connection' }).click()
    const [{ accounts }] = await sent('SCAN COUNT(*) AS accounts FROM account USE PRIMARY KEY')
    await sent("DELETE FROM account WHERE id = 'rich'")
    await logOf(page)
      .filter({ hasText: `update` })
      .filter({ hasText: `accounts ${accounts} → ${accounts - 1}` })
      .waitFor()
    await look.requireClean()
  })

  it('says why a statement cannot be watched', async () => {
    await watch(page, 'SCAN id, now() FROM account')
    const alert = page.getByRole('alert')
    await alert.getByText('not_subscribable').waitFor()
    const { body } = await scene.server.get(
      `/v1/changes?sql=${encodeURIComponent('SCAN id, now() FROM account')}`,
    )
    await alert.getByText(body.hint).waitFor()
    await look.requireClean()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByText('One GET or SCAN').waitFor()
  })
})

describe('What is pushed to whom, in Chromium', { skip: chromiumSkipReason() }, () => {
  const end = endOfGroup()
  const ofAll = (page: Page) => page.getByRole('region', { name: 'What is pushed to whom' })

  it('has the subscriptions of the API, the furthest behind first', async () => {
    const scene = await ConsoleScene.start(end)
    const { server } = scene
    await server.rows('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)')
    const look = await scene.look('#/subscriptions')
    const { page } = look
    await page.getByText('Nobody has subscribed to anything.').waitFor()
    const client = await openSocket(end, Number(new URL(scene.url).port))
    await client.subscribe('paused', POOR)
    client.send({ type: 'pause', id: 'paused' })
    await client.subscribe('all', 'SCAN id FROM account')
    await client.subscribe('top', 'SCAN id FROM account ORDER BY id LIMIT 2')
    await client.subscribe('bob', "GET * FROM account WHERE id = 'bob'")
    await server.rows("INSERT INTO account (id, balance) VALUES ('bob', 1)")
    await ofAll(page).locator('tbody tr').nth(3).waitFor()
    await until(async () => {
      const { body } = await server.get('/v1/subscriptions')
      const told = body.subscriptions.map((one: Listed) => [one.client, one.statement, one.told])
      const states = body.subscriptions.map(({ state }: Listed) => STATES[state])
      const shown = await textsOf(ofAll(page), 'td')
      const said = told.map(([who, what, changes]: unknown[], at: number) => [
        ...[who, what, states[at], String(changes)],
      ])
      const facts = shown.map(([who, what, , state, , changes]) => [who, what, state, changes])
      return isDeepStrictEqual([facts.length, facts], [4, said])
    })
    const shown = await textsOf(ofAll(page), 'td')
    assert.deepEqual(shown[0]?.slice(1, 4), [
      'SCAN id, balance FROM account USE PRIMARY KEY WHERE balance < ?',
      'row by row',
      'paused by its client',
    ])
    const list = shown.find(([, , told]) => told === 'as a list')
    assert.match(
      String(list?.at(-1)),
      /^1 subscriber, 1 row, \d+ ranges? read, \d+ evaluations?, the last in [\d.]+ m?s$/,
    )
    await look.requireClean()
  })

  it('is for administrators alone, and says so', async () => {
    const tokens = await TokenServer.start(end)
    await tokens.query('CREATE ROLE operator')
    await tokens.query('GRANT INSPECT TO operator')
    const scene = await ConsoleScene.of(end, tokens.server)
    const look = await scene.look('#/subscriptions')
    const { page } = look
    await page
      .getByLabel('Token')
      .fill(await tokens.made('CREATE TOKEN operator ROLE operator EXPIRES IN 1 DAY'))
    await page.keyboard.press('Enter')
    await page
      .getByText('The subscriptions of others need the right admin, which the role operator lacks.')
      .waitFor()
    assert.equal(look.urls.filter((url) => url.includes('/v1/subscriptions')).length, 0)
  })
})

type Listed = Schemas['OpenSubscription']

const STATES = { live: 'up to date', catchingUp: 'catching up', paused: 'paused by its client' }

const MEASURED_MS = 3_000
const LONG_TASK_MS = 100

describe('Live with 1,000 changes a second, in Chromium', { skip: chromiumSkipReason() }, () => {
  const end = endOfGroup()

  it('counts them, and never keeps the page busy for longer than 100 ms', async (t) => {
    const scene = await ConsoleScene.start(end)
    const { server } = scene
    await server.rows('CREATE TABLE tick (id INTEGER PRIMARY KEY, count INTEGER, text TEXT)')
    for (let from = 0; from < 10_000; from += 500) {
      const rows = Array.from({ length: 500 }, (_, at) => `(${from + at}, 0, 'some text')`)
      await server.rows(`INSERT INTO tick (id, count, text) VALUES ${rows.join(', ')}`)
    }
    const { page } = await scene.look('#/live')
    const fact = (name: string) =>
      page
        .locator('.answer-facts div', { has: page.getByText(name, { exact: true }) })
        .locator('dd')
    await watch(page, 'SCAN * FROM tick')
    await page.getByText('live', { exact: true }).waitFor()
    const writing = new AbortController()
    const writes = changing(server, writing.signal)
    try {
      await page
        .getByText(/more in this second/)
        .first()
        .waitFor()
      const longest = await longestTasks(page, () => delay(MEASURED_MS))
      t.diagnostic(`longest tasks: ${longest.map((ms) => Math.round(ms)).join(', ')} ms`)
      assert.ok(Number(longest[0]) < LONG_TASK_MS, `${longest[0]} ms`)
      const lines = await logOf(page).count()
      assert.ok(lines <= 500, `${lines} lines`)
      t.diagnostic(`${await fact('in the last second').textContent()} changes in the last second`)
    } finally {
      writing.abort()
      await writes
    }
    const [{ sum }] = await server.rows('SCAN sum(count) AS sum FROM tick USE PRIMARY KEY')
    const told = sum.toLocaleString('en-US')
    await until(async () => (await fact('changes').textContent()) === told)
  })
})

/** Adds one to 50 rows twenty times a second, as far as the machine goes along. */
async function changing(server: ConsoleScene['server'], signal: AbortSignal): Promise<void> {
  for (let turn = 0; !signal.aborted; turn += 1) {
    const from = (turn * 50) % 10_000
    await Promise.all([
      server.rows(`SET count = count + 1 ON tick WHERE id >= ${from} AND id < ${from + 50}`),
      delay(50),
    ])
  }
}

/** A script that types into the field before the page is first painted. */
const typedAtOnce = (id: string) => `
  new MutationObserver((_, observer) => {
    const input = document.getElementById('${id}')
    if (input === null) return
    observer.disconnect()
    input.value = 'typed'
    input.dispatchEvent(new Event('input', { bubbles: true }))
  }).observe(document, { childList: true, subtree: true })`

describe('A text that is typed as soon as its field is there', {
  skip: chromiumSkipReason(),
}, () => {
  const end = endOfGroup()
  for (const [hash, field] of [
    ['#/live', 'live-sql'],
    ['#/tables/account', 'where'],
    ['#/cells/account/ann', 'cells-key'],
  ]) {
    it(`stays in ${field}`, async () => {
      const scene = await ConsoleScene.start(end)
      await scene.server.rows('CREATE TABLE account (id TEXT PRIMARY KEY)')
      const { page } = await scene.look('')
      await page.addInitScript(typedAtOnce(field ?? ''))
      await page.goto(`${scene.url}/console/${hash}`)
      await page.reload()
      const input = page.locator(`#${field}`)
      await input.waitFor()
      await delay(300)
      assert.equal(await input.inputValue(), 'typed')
      await page.context().close()
    })
  }
})

describe('Live for two principals, in Chromium', { skip: chromiumSkipReason() }, () => {
  const end = endOfGroup()
  let tokens: TokenServer
  let scene: ConsoleScene
  before(async () => {
    tokens = await TokenServer.start(end)
    await tokens.query('CREATE TABLE note (id INTEGER PRIMARY KEY, owner TEXT, text TEXT)')
    await tokens.query(
      "INSERT INTO note (id, owner, text) VALUES (1, 'a', 'mine'), (2, 'b', 'not mine')",
    )
    await tokens.query('CREATE ROLE reader')
    await tokens.query("GRANT READ ON note TO reader WHERE owner = 'a'")
    await tokens.query('CREATE ROLE stranger')
    await tokens.query('CREATE TABLE other (id INTEGER PRIMARY KEY)')
    await tokens.query('GRANT READ ON other TO stranger')
    scene = await ConsoleScene.of(end, tokens.server)
  })
  const lookAs = async (role: string): Promise<Page> => {
    const { page } = await scene.look('#/live')
    await page
      .getByLabel('Token')
      .fill(await tokens.made(`CREATE TOKEN live_${role} ROLE ${role} EXPIRES IN 1 DAY`))
    await page.keyboard.press('Enter')
    await page.getByRole('tab', { name: 'Live' }).waitFor()
    await watch(page, 'SCAN * FROM note')
    return page
  }

  it('shows a reader their own rows, and nothing of the others', async () => {
    const page = await lookAs('reader')
    await page.getByText('live', { exact: true }).waitFor()
    assert.deepEqual(await liveTexts(page), [['1', 'a', 'mine']])
    await tokens.query("SET text = 'secret' ON note WHERE id = 2")
    await tokens.query("SET text = 'changed' ON note WHERE id = 1")
    await logOf(page).filter({ hasText: 'changed' }).waitFor()
    assert.equal(await page.getByText('secret').count(), 0)
    await page.context().close()
  })

  it('says to somebody else what the server says', async () => {
    const page = await lookAs('stranger')
    await page.getByRole('alert').locator('.code').waitFor()
    assert.equal(await page.getByText('mine').count(), 0)
    await page.context().close()
  })
})
