// SPDX-License-Identifier: Apache-2.0
import type { Database } from '@percolite/client'
import { crawl } from './pages/crawl.ts'
import type { Web } from './pages/synthetic-web.ts'
import { Progress } from './progress.ts'
import { type ObserverStatus, untilAtRest } from './rest.ts'

export type LoadOptions = {
  readonly crawlers: number
  /** Of the server. */
  readonly url: string
  readonly signal: AbortSignal
  readonly stream: NodeJS.WriteStream
}

export type LoadReport = {
  readonly fetches: number
  readonly crawlSeconds: number
  /** How long the observers still had to do when the last page had come. */
  readonly restSeconds: number
  readonly statuses: readonly ObserverStatus[]
}

/** Crawls the web while the observers work, waits until they are at rest, and says how far they are. */
export async function load(
  db: Database,
  { rounds }: Web,
  { crawlers, url, signal, stream }: LoadOptions,
): Promise<LoadReport> {
  const fetches = rounds.reduce((sum, round) => sum + round.length, 0)
  let crawled = 0
  let statuses: readonly ObserverStatus[] = []
  using _progress = new Progress(stream, () => {
    const behind = statuses
      .filter(({ pending }) => pending > 0)
      .map(({ observer, pending }) => `${observer} ${pending}`)
    const rows = behind.length === 0 ? '' : `; rows to be observed: ${behind.join(', ')}`
    return `crawled ${crawled} of ${fetches} pages${rows}`
  })

  const startedMs = performance.now()
  const onPage = () => {
    crawled += 1
  }
  for (const round of rounds) await crawl(db, round, { crawlers, signal, onPage })
  const crawledMs = performance.now()
  statuses = await untilAtRest(url, signal, (now) => {
    statuses = now
  })
  return {
    fetches,
    crawlSeconds: (crawledMs - startedMs) / 1000,
    restSeconds: (performance.now() - crawledMs) / 1000,
    statuses,
  }
}
