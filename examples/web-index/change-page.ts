// SPDX-License-Identifier: Apache-2.0
import type { Database } from '@percolite/client'
import { writePage } from './pages/crawl.ts'
import { wordsOf } from './pages/document.ts'
import { readHtml, writeHtml } from './pages/html.ts'

const FOUND_MS_MAX = 30_000

/**
 * Crawls a page that has this text now, with what it linked to and included, and waits until it is found by all
 * of its words. Answers how long that took from the commit of the page, in milliseconds.
 */
export async function changePage(
  db: Database,
  url: string,
  text: string,
  signal: AbortSignal,
): Promise<number> {
  const words = [...new Set(wordsOf(text))]
  const { rows } = await db.sql<{ body: string }>`GET body FROM page WHERE url = ${url}`
  const { links, includes } = readHtml(url, rows[0]?.body ?? '')
  const late = AbortSignal.timeout(FOUND_MS_MAX)
  // The postings of the page under these words, again whenever one comes or goes.
  await using postings = db.live<{ word: string }>(
    'SCAN word FROM posting WHERE word IN :words AND url = :url',
    { words, url },
    { signal: AbortSignal.any([signal, late]) },
  )
  try {
    await postings.next()
    await writePage(db, url, writeHtml({ title: text, text, links, includes }), signal)
    const committedMs = performance.now()
    for await (const found of postings) if (found.length === words.length) break
    return performance.now() - committedMs
  } catch (error) {
    if (!late.aborted) throw error
    const seconds = FOUND_MS_MAX / 1000
    throw new Error(
      `${url} was not found within ${seconds} s: another page may stand for it, or nobody runs the observers`,
    )
  }
}
