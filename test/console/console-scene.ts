// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core'
import { launchChromium } from '../browser/chromium.ts'
import { WatchedContext } from '../browser/watched-context.ts'
import { startTestServer, type TestServer } from '../server/test-server.ts'
import { buildConsole } from './built-console.ts'

/** A change is on the page within so long. */
export const SHOWN_MS = 10_000

/** What axe-core finds wrong on a page. */
type AxeResults = {
  readonly violations: ReadonlyArray<{
    readonly id: string
    readonly nodes: ReadonlyArray<{ readonly html: string; readonly failureSummary: string }>
  }>
}

/** What is right with a page stays there: it is a hundred times as much as what may be wrong. */
const AXE_RUN =
  "axe.run(document, { preload: false, resultTypes: ['violations'] }).then(({ violations }) => ({ violations }))"

function axeSource(): string {
  return readFileSync(new URL(import.meta.resolve('axe-core')), 'utf8')
}

/** Whatever ends by itself: a test, or a group of them. */
export type Cleaning = { readonly after: (work: () => unknown) => void }

/** The end of the group of tests that calls this. What its hook `before` has begun would end with that hook. */
export function endOfGroup(): Cleaning {
  const stack = new AsyncDisposableStack()
  after(() => stack.disposeAsync())
  return { after: (work) => stack.defer(async () => void (await work())) }
}

/** Waits for what the page cannot wait for itself: its policy forbids it to run texts. */
export async function until(isSo: () => Promise<boolean>): Promise<void> {
  const deadlineMs = performance.now() + SHOWN_MS
  while (!(await isSo())) {
    assert.ok(performance.now() < deadlineMs, `not within ${SHOWN_MS} ms: ${isSo}`)
    await delay(20)
  }
}

/** One browser for all scenes of a file: to start it takes a second, and as much of a core. */
let launched: Promise<Browser> | undefined
after(async () => (await launched)?.close())

type Listening = { listen(): Promise<{ readonly url: string }> }

/** A server, and a browser that looks at its console. */
export class ConsoleScene<S extends Listening = TestServer> {
  readonly server: S
  readonly url: string
  readonly #browser: Browser
  readonly #contexts: BrowserContext[] = []

  private constructor(server: S, url: string, browser: Browser) {
    this.server = server
    this.url = url
    this.#browser = browser
  }

  /** Ends with the test or the group of tests that `cleaning` is of. */
  static async start(
    cleaning: Cleaning,
    options: Parameters<typeof startTestServer>[1] = {},
  ): Promise<ConsoleScene> {
    return await ConsoleScene.of(cleaning, await startTestServer(cleaning, options))
  }

  /** With a server that there is. */
  static async of<S extends Listening>(cleaning: Cleaning, server: S): Promise<ConsoleScene<S>> {
    buildConsole()
    const { url } = await server.listen()
    launched ??= launchChromium()
    const scene = new ConsoleScene(server, url, await launched)
    cleaning.after(() => Promise.all(scene.#contexts.map((context) => context.close())))
    return scene
  }

  /** A user, at a view of the console. */
  async look(hash: string, options: BrowserContextOptions = {}): Promise<ConsoleLook> {
    const context = await this.#browser.newContext({
      // Charts need a locale that browsers know.
      locale: 'en-US',
      viewport: { width: 1280, height: 800 },
      ...options,
    })
    this.#contexts.push(context)
    const watched = await WatchedContext.create(context)
    const page = await watched.open(`${this.url}/console/${hash}`)
    page.setDefaultTimeout(SHOWN_MS)
    return new ConsoleLook(this.url, watched, page)
  }
}

/** One window, and what its page has done. */
export class ConsoleLook {
  readonly page: Page
  readonly #url: string
  readonly #watched: WatchedContext

  constructor(url: string, watched: WatchedContext, page: Page) {
    this.#url = url
    this.#watched = watched
    this.page = page
  }

  /** Errors, warnings and breaches of the policy, in their order. */
  get complaints(): readonly string[] {
    return this.#watched.complaints
  }

  /** Addresses that were asked for. */
  get urls(): readonly string[] {
    return this.#watched.urls
  }

  /** What no view may do, whatever it shows: complain, ask another origin, be hard to use, or scroll sideways. */
  async requireClean(): Promise<void> {
    await this.requireCleanBut(/(?!)/)
  }

  /** The same, where a scene has made the server refuse something, which Chromium says in its console. */
  async requireCleanBut(expected: RegExp): Promise<void> {
    const { page } = this
    const own = new Set([this.#url, this.#url.replace('http:', 'ws:')])
    assert.deepEqual(
      this.urls.filter((url) => !url.startsWith('data:') && !own.has(new URL(url).origin)),
      [],
    )
    // Half a megabyte, which stays in the page while a view follows another.
    if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axeSource())
    const found = (await page.evaluate(AXE_RUN)) as AxeResults
    const told = found.violations.map(
      ({ id, nodes }) =>
        `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('; ')}`,
    )
    assert.deepEqual(told, [])
    const width = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
    assert.ok(Number(width) <= 0, `the page is ${width} pixels wider than its window`)
    const others = this.complaints.filter((text) => !expected.test(text))
    assert.deepEqual(others, [])
  }
}
