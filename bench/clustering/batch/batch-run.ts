// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path'
import { LoadProcess } from '../../load/load-process.ts'
import { serverCpuDuring } from '../../servers/measured-server.ts'
import type { PercoliteServer } from '../../servers/percolite-server.ts'
import { differencesOf } from '../assignment/oracle.ts'
import type { Field, FieldCopy } from '../field.ts'
import type { CrawlSettings } from '../incremental/crawl-workload.ts'
import { readStoredRun, timestampOf } from '../store/stored-run.ts'
import { PassWorkers } from './pass-workers.ts'
import { type PassRun, type PassVariant, runPasses } from './passes.ts'

const CRAWL = new URL('../incremental/crawl-workload.ts', import.meta.url).href
/** Before them there is one that only has what was crawled before it began, and in which V8 compiles what is done. */
const RUNS = 3
/** A crawl that is stopped when the runs have ended. */
const CRAWL_SECONDS_MAX = 3_600

export type BatchRun = {
  /** Each with the delay of its documents in the middle, in milliseconds. */
  readonly runs: ReadonlyArray<PassRun & { readonly delayP50Ms: number }>
  readonly crawled: number
  readonly crawlSeconds: number
  /** How far what was written is behind what was to be crawled, when the last run ended. */
  readonly behindSeconds: number
  /** When the first document was to be crawled, in microseconds since 1970. */
  readonly startUs: number
  /** Of the server and of the passes. */
  readonly cpuSeconds: number
  readonly driverCpuSeconds: number
  readonly failures: readonly string[]
}

/**
 * Passes one after the other while documents are crawled at one rate: each takes in what came during the one before it.
 * Three of them count.
 */
export async function runBatch(
  field: Field,
  order: { readonly variant: PassVariant; readonly ratePerSecond: number },
  signal: AbortSignal,
): Promise<BatchRun> {
  const { documents, workers: count } = field.order
  const workers = new PassWorkers(count)
  try {
    return await field.withServer('', async (server, copy) => {
      const settings: CrawlSettings = { origin: server.origin, documents }
      const crawlers = { module: CRAWL, settings, clients: 1, seed: documents.seed }
      const crawl = await LoadProcess.open(crawlers)
      try {
        return await whileCrawled(field, { ...order, server, copy, crawl, workers }, signal)
      } finally {
        await crawl.close()
      }
    })
  } finally {
    await workers.close()
  }
}

async function whileCrawled(
  field: Field,
  order: {
    readonly variant: PassVariant
    readonly ratePerSecond: number
    readonly server: PercoliteServer
    readonly copy: FieldCopy
    readonly crawl: LoadProcess
    readonly workers: PassWorkers
  },
  signal: AbortSignal,
): Promise<BatchRun> {
  const { server, copy, crawl, workers, variant, ratePerSecond } = order
  const { repository } = field.order.documents
  const ending = new AbortController()
  const both = AbortSignal.any([signal, ending.signal])
  const position = await timestampOf(server)
  const crawling = crawl.run({ seconds: CRAWL_SECONDS_MAX, ratePerSecond }, both)
  const measured = await passesInTurn().finally(async () => {
    ending.abort()
    await crawling
  })
  const { runs } = measured
  const sample = await crawling
  const { startUs = 0 } = sample.figures ?? {}
  await copy.stop()
  const stored = await readStoredRun(copy.dataDirectory, position)
  const differing = runs.reduce((sum, run) => sum + run.differing, 0)
  return {
    crawlSeconds: sample.seconds,
    behindSeconds: sample.seconds - sample.operations / ratePerSecond,
    runs: runs.map((run) => ({ ...run, delayP50Ms: delayOf(run) })),
    ...{ crawled: sample.operations, startUs, driverCpuSeconds: sample.cpuSeconds },
    cpuSeconds: measured.cpuSeconds,
    failures: [
      ...differencesOf(stored, field.documents, { repository, by: 'ids' }),
      ...(differing > 0 ? [`${differing} documents were given another cluster later`] : []),
    ],
  }

  async function passesInTurn() {
    const first = await passes(0, repository)
    const ownBefore = process.cpuUsage()
    const { result, cpuSeconds } = await serverCpuDuring(server, async () => {
      const done: PassRun[] = []
      for (let run = 1; run <= RUNS; run += 1) {
        done.push(await passes(run, done.at(-1)?.end ?? first.end))
      }
      return done
    })
    const { user, system } = process.cpuUsage(ownBefore)
    return { runs: result, cpuSeconds: cpuSeconds + (user + system) / 1e6 }
  }

  async function passes(run: number, from: number): Promise<PassRun> {
    signal.throwIfAborted()
    const folder = join(copy.folder, `passes-${run}`)
    return await runPasses({ origin: server.origin, variant, folder, from, workers })
  }

  /** All documents of a run have their cluster at one time, so the middle one was crawled in the middle. */
  function delayOf({ from, end, finishedUs }: PassRun): number {
    const middle = (from + end - 1) / 2 - repository
    return (finishedUs - startUs) / 1e3 - (middle * 1e3) / ratePerSecond
  }
}
