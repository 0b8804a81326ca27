// SPDX-License-Identifier: Apache-2.0
import type { Database } from '@percolite/client'
import type { Fetch } from './synthetic-web.ts'

export type CrawlOptions = {
  /** How many of them at a time. */
  readonly crawlers: number
  readonly signal: AbortSignal
  readonly onPage: () => void
}

/**
 * Several crawlers at once bring in these pages, each of them in a transaction. Nobody waits here for the
 * observers, who begin meanwhile. To crawl a page again does no harm, whatever became of the first time.
 */
export async function crawl(
  db: Database,
  fetches: readonly Fetch[],
  { crawlers, signal, onPage }: CrawlOptions,
): Promise<void> {
  // All crawlers draw from the one iterator.
  const queue = fetches.values()
  const failure = new AbortController()
  const either = AbortSignal.any([signal, failure.signal])
  const crawler = async () => {
    try {
      for (const { url, body } of queue) {
        either.throwIfAborted()
        await writePage(db, url, body, either)
        onPage()
      }
    } catch (error) {
      failure.abort(error) // What stops one stops all, and the first reason is the one reported.
    }
  }
  await Promise.all(Array.from({ length: crawlers }, crawler))
  either.throwIfAborted()
}

/** The page at this url is now this one, or is gone. */
export async function writePage(
  db: Database,
  url: string,
  body: string | undefined,
  signal: AbortSignal,
): Promise<void> {
  if (body === undefined) await db.query('DELETE FROM page WHERE url = $1', [url], { signal })
  else await db.query('SET body = $1 ON page WHERE url = $2', [body, url], { signal })
}
