// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises'
import type { Sample } from '../../harness/sample.ts'
import { measureHere } from '../../load/closed-loop.ts'
import { HttpClient } from '../../load/http-client.ts'
import type { RunOrder, SampledWorkload } from '../../load/workload.ts'
import { type DocumentsOrder, SyntheticDocuments } from '../documents/synthetic-documents.ts'

export type CrawlSettings = {
  readonly origin: string
  readonly documents: DocumentsOrder
}

/** In one request, and so in one transaction. */
const DOCUMENTS_PER_REQUEST = 100
const SLEEP_MS_MIN = 1
const SQL = 'INSERT INTO docs (id, k1, k2, k3, payload, crawlUs) VALUES ($1, $2, $3, $4, $5, $6)'

/**
 * An open loop: documents are crawled at a fixed rate, whatever becomes of them, and those that are due are written by
 * the next request. There is one request at a time, so that they are committed in the order in which they were crawled.
 * `operations` are the documents that were written, `startUs` is when the first of them was to be crawled.
 */
export async function openWorkload({
  origin,
  documents: order,
}: CrawlSettings): Promise<SampledWorkload> {
  const client = new HttpClient(origin, 1)
  const documents = new SyntheticDocuments(order)
  return {
    run: (run, signal) => crawl(client, documents, { ...run, first: order.repository }, signal),
    close: async () => client.close(),
  }
}

async function crawl(
  client: HttpClient,
  documents: SyntheticDocuments,
  run: RunOrder & { readonly first: number },
  signal: AbortSignal,
): Promise<Sample> {
  const { seconds, ratePerSecond = 1, first } = run
  const total = Math.min(Math.round(seconds * ratePerSecond), documents.count - first)
  const startUs = Date.now() * 1_000
  const startMs = performance.now()
  const intendedMs = (sequence: number) => (sequence * 1_000) / ratePerSecond
  let [written, requests] = [0, 0]
  const statement = (sequence: number) => {
    const id = first + sequence
    const crawlUs = startUs + Math.round(intendedMs(sequence) * 1_000)
    return { sql: SQL, params: [id, ...documents.keys(id), documents.payload(id), crawlUs] }
  }
  const sample = await measureHere(async () => {
    while (written < total && !signal.aborted) {
      const elapsedMs = performance.now() - startMs
      const due = Math.min(total, Math.floor((elapsedMs * ratePerSecond) / 1_000) + 1)
      if (due === written) {
        const early = Math.max(SLEEP_MS_MIN, intendedMs(written) - elapsedMs)
        await delay(early, undefined, { signal }).catch(() => {})
        continue
      }
      const count = Math.min(due - written, DOCUMENTS_PER_REQUEST)
      const statements = Array.from({ length: count }, (_, at) => statement(written + at))
      await client.ask('/v1/query', JSON.stringify({ statements }))
      written += count
      requests += 1
    }
    return { operations: written }
  })
  return { ...sample, figures: { startUs, requests } }
}
