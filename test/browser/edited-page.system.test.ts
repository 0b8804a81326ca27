// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { connect, type Database } from '../../client-sdk/client.ts'
import { startBreakingProxy } from '../client-sdk/breaking-proxy.ts'
import { ServerProcess } from '../server/server-process.ts'
import { testFolder } from '../test-folder.ts'
import { chromiumSkipReason, launchChromium } from './chromium.ts'
import { startEditedPage } from './edited-page.ts'

/** A change is on the page within so long. */
const SHOWN_MS = 10_000

const INSERTS = [
  "INSERT INTO list (id, name) VALUES ('h', 'home'), ('w', 'work')",
  "INSERT INTO task (id, list, title) VALUES (1, 'h', 'sweep'), (2, 'w', 'mail')",
]

describe('a page of a collection of TanStack DB, in Chromium', {
  skip: chromiumSkipReason(),
}, () => {
  const cleaning = new AsyncDisposableStack()
  const end = { after: (clean: () => Promise<void>) => void cleaning.defer(clean) }
  let proxy: Awaited<ReturnType<typeof startBreakingProxy>>
  let db: Database
  let page: Page

  before(async () => {
    const site = await startEditedPage(end)
    const flags = ['--engine', 'memory', '--allow-origin', site.origin]
    const server = await ServerProcess.start(await testFolder(end, 'edited-page'), flags)
    cleaning.defer(() => server.stop().then(() => undefined))
    db = connect({ url: server.url })
    cleaning.defer(async () => db.close())
    await db.query('CREATE TABLE list (id TEXT PRIMARY KEY, name TEXT NOT NULL)')
    await db.query(
      "CREATE TABLE task (id INTEGER PRIMARY KEY, list TEXT NOT NULL, title TEXT NOT NULL CHECK (title <> ''))",
    )
    await db.execute(INSERTS)
    // What `startBreakingProxy` hands to a test comes back here.
    proxy = await startBreakingProxy(end as Parameters<typeof startBreakingProxy>[0], server.url)
    const browser = await launchChromium()
    cleaning.defer(() => browser.close())
    page = await (await browser.newContext({ locale: 'en-US' })).newPage()
    await page.goto(site.at(proxy.url))
  })
  after(() => cleaning.disposeAsync())

  test('shows the joined rows in their order, and what other clients commit', async () => {
    await until('work: mail', 'home: sweep')
    await db.query("SET title = 'tidy' ON task WHERE id = 2")
    await until('home: sweep', 'work: tidy')
  })

  test('shows an edit at once, and keeps it over a dropped socket until it is written', async () => {
    let work = 'work'
    for (const title of ['bake', 'cook', 'dust']) {
      await page.evaluate('void (states.length = 0)')
      const answered = proxy.loseAnswers('POST /v1/query')
      await edit(title)
      await until(`home: ${title}`, `${work}: tidy`)
      await answered
      proxy.breakAll()
      proxy.loseNone()
      while ((await titleOf(1)) !== title) await delay(20)
      // What comes after it is seen, so it is handed over by then.
      work = `work ${title}`
      await db.query("SET name = $1 ON list WHERE id = 'w'", [work])
      await until(`home: ${title}`, `${work}: tidy`)
      const states = (await page.evaluate('states')) as string[]
      assert.ok(
        states.every((state) => state.startsWith(`home: ${title},`)),
        states.join('\n'),
      )
    }
  })

  test('shows no more what the server refuses, and says why', async () => {
    await page.evaluate('void (states.length = 0)')
    await edit('')
    await page.getByRole('alert').filter({ hasText: 'check_failed' }).waitFor()
    await until('home: dust', 'work dust: tidy')
    const states = await page.evaluate('states')
    assert.deepEqual(states, ['home: ,work dust: tidy', 'home: dust,work dust: tidy'])
    assert.equal(await titleOf(1), 'dust')
  })

  async function titleOf(id: number): Promise<unknown> {
    const { rows } = await db.query<{ title: string }>('GET title FROM task WHERE id = $1', [id])
    return rows[0]?.title
  }

  async function edit(title: string): Promise<void> {
    await page.getByLabel('Task').fill(title)
    await page.getByLabel('Task').press('Enter')
  }

  /** Waits until these are the rows that the page shows. */
  async function until(...texts: readonly string[]): Promise<void> {
    const lateMs = performance.now() + SHOWN_MS
    for (;;) {
      const shown = await page.getByRole('listitem').allTextContents()
      if (shown.join() === texts.join()) return
      assert.ok(performance.now() < lateMs, `shown: ${shown.join()}; expected: ${texts.join()}`)
      await delay(20)
    }
  }
})
