// SPDX-License-Identifier: Apache-2.0
import {
  defineObserver,
  type ObserverTransaction,
} from '../../../server/live/observers/define-observer.ts'
import type { Document } from '../pages/document.ts'
import { isPassedOn, type Source, stepsOf, UNKNOWN_STEPS } from './rank.ts'

type Ranked = { readonly url: string; readonly steps: readonly number[] }

/**
 * Ranks a page by the links that lead to it, and tells the pages that it leads to if that makes a
 * difference to them. They are ranked by this observer too, a circle that ends: a change of step n is
 * one of step n + 1 there, and the last step is passed on to nobody.
 */
export const rankPage = defineObserver({
  observer: 'rank_page',
  workers: 4,
  run: async (tx, { key: [url] }) => {
    // As in `elect`, runs for one page are made to conflict.
    const { rows: ranked } = await tx.query<Ranked>(
      'GET url, steps FROM rank WHERE url = $1 FOR UPDATE',
      [url],
    )
    const before = ranked[0]?.steps ?? UNKNOWN_STEPS
    const sources = await sourcesOf(tx, url)
    const after = stepsOf(sources)
    if (sources.length === 0) {
      await tx.query('DELETE FROM rank WHERE url = $1', [url])
    } else if (ranked.length === 0 || after.some((rank, step) => rank !== before[step])) {
      const rank = after.at(-1)
      await tx.query('SET steps = :steps, rank = :rank ON rank WHERE url = :url', {
        steps: after,
        rank,
        url,
      })
    }
    if (!isPassedOn(before, after)) return
    // A link that comes at this very moment would be told of by nobody: its target may be ranked before
    // this commits. FOR UPDATE makes this run again if the links are written meanwhile.
    const { rows: documents } = await tx.query<Pick<Document, 'links'>>(
      'GET links FROM document WHERE url = $1 FOR UPDATE',
      [url],
    )
    for (const [target] of documents[0]?.links ?? []) {
      await tx.query('NOTIFY rank_page ON to_rank WHERE url = $1', [target])
    }
  },
})

async function sourcesOf(tx: ObserverTransaction, url: unknown): Promise<Source[]> {
  type Anchor = { readonly outdegree: number; readonly steps: readonly number[] | null }
  const { rows } = await tx.query<Anchor>(
    `SCAN a.outdegree, r.steps
     FROM anchor AS a
     LOOKUP rank AS r BY r.url = a.source OPTIONAL
     WHERE a.target = $1`,
    [url],
  )
  return rows.map(({ outdegree, steps }) => ({ outdegree, steps: steps ?? UNKNOWN_STEPS }))
}
