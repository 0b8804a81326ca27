// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { readmeBlocks } from '../readme-blocks.ts'
import { chromiumSkipReason, launchChromium } from './chromium.ts'
import { CommandShell } from './command-shell.ts'
import { ReadmePlace } from './readme-place.ts'
import { NOTHING_STORED, WatchedContext } from './watched-context.ts'

/** A change is on the pages within so long. */
const SHOWN_MS = 10_000

const [startOnLoopback] = readmeBlocks('Sixty seconds\n').filter(({ kind }) => kind === 'console')
const [makeTable, makeCertificate, startApplication, startServer, seeAll, revoke] =
  readmeBlocks('Sixty seconds more')

describe('the page of the README, in Chromium', { skip: chromiumSkipReason() }, () => {
  const cleaning = new AsyncDisposableStack()
  const shell = cleaning.use(new CommandShell())
  let here: ReadmePlace
  let ann: WatchedContext
  let bob: WatchedContext
  let annsPage: Page
  let annsOther: Page
  let bobsPage: Page

  before(async () => {
    here = await ReadmePlace.create(cleaning)
    const browser = await launchChromium()
    cleaning.defer(() => browser.close())
    const context = async () =>
      await WatchedContext.create(
        await browser.newContext({ locale: 'en-US', ignoreHTTPSErrors: true }),
      )
    ann = await context()
    bob = await context()
  })
  after(() => cleaning.disposeAsync())

  test('is there after the commands above it, which print what is said', async () => {
    {
      await using _server = await here.startServer(startOnLoopback)
      await here.run(shell, makeTable)
    }
    await here.run(shell, makeCertificate)
    cleaning.use(await here.startApplication(startApplication))
    cleaning.use(await here.startServer(startServer))
    annsPage = await signedIn(ann, 'ann')
    annsOther = await ann.open(here.pageOrigin)
    bobsPage = await signedIn(bob, 'bob')
  })

  test('shows what its user adds, in the other window too', async () => {
    await add(annsPage, 'milk')
    await until(annsOther, ['milk'])
    await until(annsPage, ['milk'])
  })

  test('shows nothing of what another user adds', async () => {
    await add(bobsPage, 'bread')
    await until(bobsPage, ['bread'])
    await here.run(shell, seeAll)
    // Later commits arrive after earlier ones, so that what is here now is all that comes.
    await add(annsPage, 'eggs')
    await until(annsOther, ['milk', 'eggs'])
    await until(annsPage, ['milk', 'eggs'])
    await until(bobsPage, ['bread'])
    assert.ok(!ann.frames.some((frame) => frame.includes('bread')))
    assert.ok(!bob.frames.some((frame) => frame.includes('milk')))
  })

  test('renews its token before that ends, and goes on by the same socket', async () => {
    // The newest one, so that those of both windows end meanwhile.
    const claims = ann.tokens.at(-1)?.split('.')[1] as string
    const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString())
    await delay(1_000 * (exp + 1) - Date.now())
    await add(annsPage, 'salt')
    await until(annsOther, ['milk', 'eggs', 'salt'])
    assert.ok(ann.tokens.length >= 4, `two windows had ${ann.tokens.length} tokens`)
    assert.equal(new Set(ann.tokens).size, ann.tokens.length)
    assert.deepEqual([ann.sockets.length, bob.sockets.length], [2, 1])
  })

  test('keeps no token, and shows none in an address', async () => {
    const tokens = [...ann.tokens, ...bob.tokens]
    for (const [who, page] of [
      [ann, annsPage],
      [bob, bobsPage],
    ] as const) {
      const { seen, cookies } = await who.stored(page)
      assert.deepEqual(seen, NOTHING_STORED)
      assert.match(cookies, /^__Host-notes=[\w-]{43}$/)
      for (const text of [cookies, ...who.urls]) {
        assert.ok(!tokens.some((token) => text.includes(token)), text)
      }
    }
  })

  test('says so when its user may not see the notes any more', async () => {
    await here.run(shell, revoke)
    for (const page of [annsPage, annsOther, bobsPage]) {
      await page.getByRole('alert').filter({ hasText: 'You may not see or change notes' }).waitFor()
      await until(page, [])
    }
  })

  test('has asked nobody but the application and the database, and complained of nothing', () => {
    const socketOrigin = here.databaseOrigin.replace('https:', 'wss:')
    for (const who of [ann, bob]) {
      assert.deepEqual(who.origins(), new Set([here.pageOrigin, here.databaseOrigin, socketOrigin]))
      assert.deepEqual(who.complaints, [])
    }
  })

  async function signedIn(who: WatchedContext, name: string): Promise<Page> {
    const page = await who.open(here.pageOrigin)
    await page.getByLabel('Your name').fill(name)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText(`Notes of ${name}`).waitFor()
    return page
  }
})

async function add(page: Page, text: string): Promise<void> {
  await page.getByLabel('A note').fill(text)
  // No click, which waits for frames that windows in the background seldom draw.
  await page.getByLabel('A note').press('Enter')
}

/** Waits until these are the notes that the page shows. */
async function until(page: Page, notes: readonly string[]): Promise<void> {
  const lateMs = performance.now() + SHOWN_MS
  for (;;) {
    const shown = await page.getByRole('listitem').allTextContents()
    if (shown.join() === notes.join()) return
    assert.ok(performance.now() < lateMs, `shown: ${shown.join()}; expected: ${notes.join()}`)
    await delay(20)
  }
}
