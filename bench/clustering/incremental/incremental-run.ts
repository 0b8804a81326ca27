// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { observerFigures } from '../../feed/observer-server.ts'
import { LoadProcess } from '../../load/load-process.ts'
import { serverCpuDuring } from '../../servers/measured-server.ts'
import type { PercoliteServer } from '../../servers/percolite-server.ts'
import { differencesOf } from '../assignment/oracle.ts'
import type { Field } from '../field.ts'
import { readStoredRun, type StoredRun, timestampOf } from '../store/stored-run.ts'
import { backlogOf, backlogsOf, distributionOf } from './backlog.ts'
import type { CrawlSettings } from './crawl-workload.ts'

const MODULE = fileURLToPath(new URL('./observers-module.ts', import.meta.url))
const CRAWL = new URL('./crawl-workload.ts', import.meta.url).href
const OBSERVER = 'cluster_crawled'
const LOOK_MS = 100
/** How long observers that have not kept up may go on after the last document. */
const REST_SECONDS_MAX = 5

export type IncrementalOrder = {
  readonly ratePerSecond: number
  /** Of the crawl; the first part of it, in which V8 compiles what is done, is not counted. */
  readonly seconds: number
  readonly warmUpSeconds: number
}

export type IncrementalRun = Awaited<ReturnType<typeof runIncremental>>

/** Crawls at one rate into a fresh copy of the repository, and compares every cluster afterwards. */
export async function runIncremental(field: Field, order: IncrementalOrder, signal: AbortSignal) {
  const { documents } = field.order
  return await field.withServer(`--observers ${MODULE}`, async (server, copy) => {
    const position = await createObserver(server, signal)
    const settings: CrawlSettings = { origin: server.origin, documents }
    const crawlers = { module: CRAWL, settings, clients: 1, seed: documents.seed }
    const crawl = await LoadProcess.open(crawlers)
    try {
      const { seconds, ratePerSecond } = order
      const crawling = crawl.run({ seconds, ratePerSecond }, signal)
      const warmUp = sleep(order.warmUpSeconds * 1_000, undefined, { signal })
      // What fails meanwhile ends the wait.
      await Promise.race([warmUp, crawling])
      const countedFromUs = Date.now() * 1_000
      const { result: sample, cpuSeconds } = await serverCpuDuring(server, async () => {
        const taken = await crawling
        await untilAtRest(server, signal)
        return taken
      })
      signal.throwIfAborted()
      const countedSeconds = (Date.now() * 1_000 - countedFromUs) / 1e6
      const { conflicts } = await observerFigures(server, OBSERVER)
      await copy.stop()
      const stored = await readStoredRun(copy.dataDirectory, position)
      const { startUs = 0, requests = 0 } = sample.figures ?? {}
      const measured = { crawled: sample.operations, startUs, countedFromUs, order }
      return {
        ...figuresOf(stored, measured),
        ...{ requests, conflicts, cpuSeconds, seconds: countedSeconds },
        driverCpuSeconds: sample.cpuSeconds,
        failures: failuresOf(field, stored, sample.operations),
      }
    } finally {
      await crawl.close()
    }
  })
}

/**
 * Returns a timestamp before the first document that is crawled. A new observer is notified of all rows; this one
 * only of what changes from now on, since the repository is clustered.
 */
async function createObserver(server: PercoliteServer, signal: AbortSignal): Promise<number> {
  await server.query({ sql: `CREATE OBSERVER ${OBSERVER} ON docs (crawlUs)` })
  const readTimestamp = await timestampOf(server)
  await server.query({ sql: `ALTER OBSERVER ${OBSERVER} REPLAY FROM ${readTimestamp}` })
  for (;;) {
    signal.throwIfAborted()
    const answer = await fetch(`${server.origin}/v1/observers`)
    const { observers } = (await answer.json()) as {
      readonly observers: ReadonlyArray<{ readonly backfilling: boolean }>
    }
    if (observers.every(({ backfilling }) => !backfilling)) break
    await sleep(LOOK_MS)
  }
  await untilAtRest(server, signal)
  return readTimestamp
}

async function untilAtRest(server: PercoliteServer, signal: AbortSignal): Promise<void> {
  const startedMs = performance.now()
  while (!signal.aborted && performance.now() - startedMs < REST_SECONDS_MAX * 1_000) {
    const { pending, running } = await observerFigures(server, OBSERVER)
    if (pending === 0 && running === 0) return
    await sleep(LOOK_MS)
  }
}

function figuresOf(
  { documents, loadedUs, assignedUs }: StoredRun,
  run: {
    readonly crawled: number
    readonly startUs: number
    readonly countedFromUs: number
    readonly order: IncrementalOrder
  },
) {
  const { startUs, countedFromUs, order } = run
  const parts = { delay: [], load: [], found: [], run: [] } as Record<string, number[]>
  const clusteredSeconds: number[] = []
  let [lookupsTotal, clustered, counted] = [0, 0, 0]
  for (const { id, crawlUs, foundUs, lookups } of documents) {
    const [loaded, assigned] = [loadedUs.get(id), assignedUs.get(id)]
    if (crawlUs === undefined || foundUs === undefined) continue
    if (loaded === undefined || assigned === undefined) continue
    clustered += 1
    if (assigned > countedFromUs) counted += 1
    lookupsTotal += lookups ?? 0
    clusteredSeconds.push((assigned - startUs) / 1e6)
    if (crawlUs - startUs < order.warmUpSeconds * 1e6) continue
    parts.delay?.push((assigned - crawlUs) / 1e3)
    parts.load?.push((loaded - crawlUs) / 1e3)
    parts.found?.push((foundUs - loaded) / 1e3)
    parts.run?.push((assigned - foundUs) / 1e3)
  }
  return {
    crawled: run.crawled,
    clustered,
    /** Those among them that were clustered after the warm-up, of which time and CPU time are. */
    counted,
    /** In milliseconds, of documents that were to be crawled after the warm-up. */
    delay: distributionOf(parts.delay ?? []),
    /** Its three parts: until the document was committed, until a run began, and until that was committed. */
    load: distributionOf(parts.load ?? []),
    found: distributionOf(parts.found ?? []),
    run: distributionOf(parts.run ?? []),
    backlog: backlogOf(clusteredSeconds, order),
    /** Documents that were to be crawled and were not clustered, at the beginning and after each second. */
    backlogs: backlogsOf(clusteredSeconds, order),
    lookupsPerDocument: lookupsTotal / Math.max(1, clustered),
  }
}

/** All clusters have to be right, and what was acknowledged is there. */
function failuresOf(field: Field, stored: StoredRun, crawled: number): readonly string[] {
  const { repository } = field.order.documents
  const differences = differencesOf(stored, field.documents, { repository, by: 'commits' })
  const written = stored.documents.length - repository
  if (written === crawled) return differences
  return [...differences, `${written} documents were written, and ${crawled} acknowledged`]
}
