// SPDX-License-Identifier: Apache-2.0
import { isDeepStrictEqual } from 'node:util'
import { defineObserver } from '../../../server/live/observers/define-observer.ts'
import { type Cluster, clusterOf, type Member } from './cluster.ts'

/**
 * Lets the page with the highest rank stand for its cluster, with the links to all copies. A weak
 * observer: many copies of one page may come in at the same time, and would conflict if each of them wrote
 * the row of their cluster (Percolator 2.4).
 */
export const elect = defineObserver({
  observer: 'elect',
  workers: 2,
  run: async (tx, { key: [id] }) => {
    // Two runs for one hint may overlap, and one of them have an older snapshot. FOR UPDATE makes them
    // conflict also when one finds nothing to write; an observer that is not weak needs no such care.
    const { rows: elected } = await tx.query<Cluster>(
      'GET url, at, anchor_words, rank, pages FROM cluster WHERE id = $1 FOR UPDATE',
      [id],
    )
    const { rows: members } = await tx.query<Member>(
      `SCAN m.url, m.at, r.rank, r.anchor_words
       FROM member AS m
       LOOKUP rank AS r BY r.url = m.url OPTIONAL
       WHERE m.cluster = $1`,
      [id],
    )
    const [before, after] = [elected[0], clusterOf(members)]
    if (after === undefined) {
      await tx.query('DELETE FROM cluster WHERE id = $1', [id])
    } else if (before === undefined || hasOtherWords(before, after)) {
      await tx.query(
        `SET url = :url, at = :at, anchor_words = :anchor_words, rank = :rank, pages = :pages
         ON cluster WHERE id = :id`,
        { ...after, id },
      )
    } else if (after.rank !== before.rank || after.pages !== before.pages) {
      // Names no column that `index_words` observes, so it does not run.
      const { rank, pages } = after
      await tx.query('SET rank = :rank, pages = :pages ON cluster WHERE id = :id', {
        ...{ rank, pages, id },
      })
    }
  },
})

/** Or may have: a page that was decided on again may have changed. */
function hasOtherWords(before: Cluster, after: Cluster): boolean {
  const isSamePage = after.url === before.url && after.at === before.at
  return !isSamePage || !isDeepStrictEqual(after.anchor_words, before.anchor_words)
}
