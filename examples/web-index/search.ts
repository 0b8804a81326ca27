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
      const members = await tx.query<{ cluster: number; url: string }>(
        'SCAN cluster, url FROM member WHERE cluster IN $1',
        [clusters],
      )
      const urls = members.rows.map(({ url }) => url)
      const ranks = await valuesByUrl(tx, 'GET url, rank AS value FROM rank WHERE url IN $1', urls)
      const titles = await valuesByUrl(
        tx,
        'GET url, title AS value FROM document WHERE url IN $1',
        [...found.values()].map(({ url }) => url),
      )
      const hits = clusters.map((cluster) => {
        const { url, count } = found.get(cluster) as Posting
        const copies = members.rows.filter((member) => member.cluster === cluster)
        // Links to a copy are links to the page that stands for it.
        const rank = copies.reduce(
          (sum, copy) => sum + Number(ranks.get(copy.url) ?? UNKNOWN_STEPS.at(-1)),
          0,
        )
        const title = String(titles.get(url))
        return { url, title, count, rank, copies: copies.length - 1 }
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

async function valuesByUrl(
  tx: Transaction,
  sql: string,
  urls: readonly string[],
): Promise<ReadonlyMap<string, unknown>> {
  const { rows } = await tx.query<{ url: string; value: unknown }>(sql, [urls])
  return new Map(rows.map(({ url, value }) => [url, value]))
}
