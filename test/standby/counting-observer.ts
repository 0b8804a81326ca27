// SPDX-License-Identifier: Apache-2.0
import { defineObserver } from '../../server/live/observers/define-observer.ts'

/** Counts, for each note, how often its run was committed. */
export const counting = defineObserver({
  observer: 'counting',
  workers: 4,
  run: async (tx, { key: [id] }) => {
    const { rows } = await tx.query('GET runs FROM seen WHERE note = $1', [id])
    if (rows.length === 0) await tx.query('INSERT INTO seen (note, runs) VALUES ($1, 1)', [id])
    else await tx.query('SET runs = runs + 1 ON seen WHERE note = $1', [id])
  },
})
