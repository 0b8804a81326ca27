// SPDX-License-Identifier: Apache-2.0
import { defineObserver } from '../../../server/live/observers/define-observer.ts'

type Representative = { readonly url: string; readonly at: number }

/**
 * Lets the earliest page of a cluster stand for it. A weak observer: many copies of one page may come in
 * at the same time, and would conflict if each of them wrote the row of their cluster (Percolator 2.4).
 */
export const elect = defineObserver({
  observer: 'elect',
  workers: 2,
  run: async (tx, { key: [id] }) => {
    // Two runs for one hint may overlap, and one of them have an older snapshot. FOR UPDATE makes them
    // conflict also when one finds nothing to write; an observer that is not weak needs no such care.
    const { rows: elected } = await tx.query<Representative>(
      'GET url, at FROM cluster WHERE id = $1 FOR UPDATE',
      [id],
    )
    const { rows: members } = await tx.query<Representative>(
      'SCAN url, at FROM member WHERE cluster = $1 LIMIT 1',
      [id],
    )
    const [before, after] = [elected[0], members[0]]
    if (after === undefined) {
      await tx.query('DELETE FROM cluster WHERE id = $1', [id])
    } else if (after.url !== before?.url || after.at !== before.at) {
      await tx.query('SET url = :url, at = :at ON cluster WHERE id = :id', { ...after, id })
    }
  },
})
