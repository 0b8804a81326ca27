// SPDX-License-Identifier: Apache-2.0
import type { Database, Transaction } from '@percolite/client'
import { UNKNOWN_STEPS } from './observers/rank.ts'

export type Hit = {
  readonly url: string
  readonly title: string
  /** How often the words come in it. */
  readonly count: number
  /** What leads to it and its copies, in thousandths. */
  readonly rank: number
  /** Pages that it stands for beside itself. */
  readonly copies: number
}

type Posting = { readonly cluster: number; readonly url: string; readonly count: number }

type Cluster = { readonly cluster: number; readonly pages: number; readonly rank: number }

/** The pages that have all these words, the best first, and of copies one; all as of one moment. */
export async function search(
  db: Database,
  words: readonly string[],
  options: { readonly signal: AbortSignal },
): Promise<Hit[]> {
  return await db.transaction(
    async (tx) => {
      const found = await clustersWith(tx, words)
      const clusters = [...found.keys()]
      // Links to a copy are links to the page that stands for it.
      const pages = await tx.query<Cluster>(
        `SCAN m.cluster, COUNT(*) AS pages, SUM(coalesce(r.rank, :unknown)) AS rank
         FROM member AS m
         LOOKUP rank AS r BY r.url = m.url OPTIONAL
         WHERE m.cluster IN :clusters
         GROUP BY m.cluster`,
        { clusters, unknown: UNKNOWN_STEPS.at(-1) },
      )
      const titles = await titlesOf(
        tx,
        [...found.values()].map(({ url }) => url),
      )
      const hits = pages.rows.map(({ cluster, pages, rank }) => {
        const { url, count } = found.get(cluster) as Posting
        return { url, title: String(titles.get(url)), count, rank, copies: pages - 1 }
      })
      const score = (hit: Hit) => hit.count * hit.rank
      return hits.sort((a, b) => score(b) - score(a) || (a.url < b.url ? -1 : 1))
    },
    { readOnly: true, signal: options.signal },
  )
}

/** Postings of the clusters that have all words, with the counts of all of them. */
async function clustersWith(
  tx: Transaction,
  words: readonly string[],
): Promise<ReadonlyMap<number, Posting>> {
  let found: Map<number, Posting> | undefined
  for (const word of new Set(words)) {
    const { rows } = await tx.query<Posting>(
      'SCAN cluster, url, count FROM posting WHERE word = $1',
      [word],
    )
    const before = found
    found = new Map()
    for (const { cluster, url, count } of rows) {
      const counted = before === undefined ? 0 : before.get(cluster)?.count
      if (counted !== undefined) found.set(cluster, { cluster, url, count: counted + count })
    }
  }
  return found ?? new Map()
}

async function titlesOf(
  tx: Transaction,
  urls: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const { rows } = await tx.query<{ url: string; title: string }>(
    'GET url, title FROM document WHERE url IN $1',
    [urls],
  )
  return new Map(rows.map(({ url, title }) => [url, title]))
}
