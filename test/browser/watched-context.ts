// SPDX-License-Identifier: Apache-2.0
import type { BrowserContext, Page } from 'playwright-core'

/** Where a page could keep something; each has to be empty. */
const STORES = `(async () => ({
  local: Object.entries(localStorage),
  session: Object.entries(sessionStorage),
  databases: await indexedDB.databases(),
  caches: await caches.keys(),
  cookies: document.cookie,
}))()`
export const NOTHING_STORED = { local: [], session: [], databases: [], caches: [], cookies: '' }

/** A user's browser, and what its pages have asked for, said and been told. */
export class WatchedContext {
  readonly #context: BrowserContext
  /** Of requests and sockets. */
  readonly urls: string[] = []
  readonly sockets: string[] = []
  /** That its sockets have received. */
  readonly frames: string[] = []
  /** Errors and warnings of the console, uncaught errors, and breaches of the page's policy. */
  readonly complaints: string[] = []
  /** That the application has signed, in their order. */
  readonly tokens: string[] = []

  private constructor(context: BrowserContext) {
    this.#context = context
    context.on('request', (request) => this.urls.push(request.url()))
    context.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.complaints.push(message.text())
    })
    context.on('weberror', (error) => this.complaints.push(error.error().message))
    context.on('response', (response) => {
      if (!response.url().endsWith('/token')) return
      // It cannot be read any more where the browser is being closed.
      const tooLate = () => undefined
      response.text().then((token) => this.tokens.push(token), tooLate)
    })
  }

  static async create(context: BrowserContext): Promise<WatchedContext> {
    const watched = new WatchedContext(context)
    await context.addInitScript(`addEventListener('securitypolicyviolation', (event) => {
      console.error('policy: ' + event.violatedDirective + ' ' + event.blockedURI)
    })`)
    return watched
  }

  async open(url: string): Promise<Page> {
    const page = await this.#context.newPage()
    page.on('websocket', (socket) => {
      this.urls.push(socket.url())
      this.sockets.push(socket.url())
      socket.on('framereceived', ({ payload }) => this.frames.push(`${payload}`))
    })
    await page.goto(url)
    return page
  }

  /** Where their pages have sent something. */
  origins(): ReadonlySet<string> {
    return new Set(this.urls.map((url) => new URL(url).origin))
  }

  /** What is stored, as the page sees it, and the cookies that no page sees. */
  async stored(page: Page): Promise<{ readonly seen: unknown; readonly cookies: string }> {
    const cookies = (await this.#context.cookies()).map(({ name, value }) => `${name}=${value}`)
    return { seen: await page.evaluate(STORES), cookies: cookies.join('; ') }
  }
}
