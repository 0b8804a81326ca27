// SPDX-License-Identifier: Apache-2.0
import type { Database, Transaction } from '@percolite/client'

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

type Cluster = {
  readonly id: number
  readonly url: string
  readonly title: string
  readonly rank: number
  readonly pages: number
}

/** The pages that have all these words, the best first, and of copies one; all as of one moment. */
export async function search(
  db: Database,
  words: readonly string[],
  options: { readonly signal: AbortSignal },
): Promise<Hit[]> {
  return await db.transaction(
    async (tx) => {
      const counts = await countsIn(tx, words)
      const { rows } = await tx.query<Cluster>(
        `GET c.id, c.url, c.rank, c.pages, d.title
         FROM cluster AS c
         LOOKUP document AS d BY d.url = c.url
         WHERE c.id IN $1`,
        [[...counts.keys()]],
      )
      const hits = rows.map(({ id, pages, ...page }) => ({
        ...page,
        count: counts.get(id) as number,
        copies: pages - 1,
      }))
      const score = (hit: Hit) => hit.count * hit.rank
      return hits.sort((a, b) => score(b) - score(a) || (a.url < b.url ? -1 : 1))
    },
    { readOnly: true, signal: options.signal },
  )
}

/** The clusters that have all words, and how often these come in each. */
async function countsIn(
  tx: Transaction,
  words: readonly string[],
): Promise<ReadonlyMap<number, number>> {
  let found: Map<number, number> | undefined
  for (const word of new Set(words)) {
    const { rows } = await tx.query<{ cluster: number; count: number }>(
      'SCAN cluster, count FROM posting WHERE word = $1',
      [word],
    )
    const before = found
    found = new Map()
    for (const { cluster, count } of rows) {
      const counted = before === undefined ? 0 : before.get(cluster)
      if (counted !== undefined) found.set(cluster, counted + count)
    }
  }
  return found ?? new Map()
}
