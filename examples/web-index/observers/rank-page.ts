// SPDX-License-Identifier: Apache-2.0

import { isDeepStrictEqual } from 'node:util'
import {
  defineObserver,
  type ObserverTransaction,
} from '../../../server/live/observers/define-observer.ts'
import { countWords, type Document, type WordCounts, wordsOf } from '../pages/document.ts'
import { isPassedOn, type Source, stepsOf, UNKNOWN_STEPS } from './rank.ts'

type Ranked = { readonly steps: readonly number[]; readonly anchor_words: WordCounts }
type Anchor = Source & { readonly text: string }

const UNLINKED: Ranked = { steps: UNKNOWN_STEPS, anchor_words: [] }

/**
 * Ranks a page by the links that lead to it, and gathers what they say. Tells its cluster of that, and
 * the pages that it leads to if it makes a difference to their ranks. Those are ranked by this observer
 * too, a circle that ends: a change of step n is one of step n + 1 there, and the last step is passed on to
 * nobody.
 */
export const rankPage = defineObserver({
  observer: 'rank_page',
  workers: 4,
  run: async (tx, { key: [url] }) => {
    // As in `elect`, runs for one page are made to conflict.
    const { rows: ranked } = await tx.query<Ranked>(
      'GET steps, anchor_words FROM rank WHERE url = $1 FOR UPDATE',
      [url],
    )
    const before = ranked[0] ?? UNLINKED
    const anchors = await anchorsOf(tx, url)
    const steps = stepsOf(anchors)
    const anchor_words = countWords(anchors.flatMap(({ text }) => wordsOf(text)))
    const isSameSteps = isDeepStrictEqual(steps, before.steps)
    const isSameWords = isDeepStrictEqual(anchor_words, before.anchor_words)
    if (anchors.length === 0) {
      await tx.query('DELETE FROM rank WHERE url = $1', [url])
    } else if (ranked.length === 0 || !isSameSteps || !isSameWords) {
      await tx.query(
        `SET steps = :steps, rank = :rank, anchor_words = :anchor_words
         ON rank WHERE url = :url`,
        { steps, rank: steps.at(-1), anchor_words, url },
      )
    }
    if (!isSameWords || steps.at(-1) !== before.steps.at(-1)) await tellCluster(tx, url)
    if (isPassedOn(before.steps, steps)) await tellTargets(tx, url)
  },
})

/** Another page may have to stand for it, and the links to all copies count for the one that does. */
async function tellCluster(tx: ObserverTransaction, url: unknown): Promise<void> {
  // A page that joins at this very moment would be told of by nobody: its cluster may be looked at before
  // this commits. FOR UPDATE makes this run again if the row is written meanwhile.
  const { rows } = await tx.query<{ cluster: number }>(
    'GET cluster FROM member WHERE url = $1 FOR UPDATE',
    [url],
  )
  for (const { cluster } of rows) {
    await tx.query('NOTIFY elect ON to_elect WHERE cluster = $1', [cluster])
  }
}

async function tellTargets(tx: ObserverTransaction, url: unknown): Promise<void> {
  // As above, for a link that comes at this very moment.
  const { rows } = await tx.query<Pick<Document, 'links'>>(
    'GET links FROM document WHERE url = $1 FOR UPDATE',
    [url],
  )
  for (const [target] of rows[0]?.links ?? []) {
    await tx.query('NOTIFY rank_page ON to_rank WHERE url = $1', [target])
  }
}

async function anchorsOf(tx: ObserverTransaction, url: unknown): Promise<Anchor[]> {
  type Row = Omit<Anchor, 'steps'> & { readonly steps: readonly number[] | null }
  const { rows } = await tx.query<Row>(
    `SCAN a.text, a.outdegree, r.steps
     FROM anchor AS a
     LOOKUP rank AS r BY r.url = a.source OPTIONAL
     WHERE a.target = $1`,
    [url],
  )
  return rows.map(({ steps, ...anchor }) => ({ ...anchor, steps: steps ?? UNKNOWN_STEPS }))
}
