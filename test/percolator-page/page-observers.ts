// SPDX-License-Identifier: Apache-2.0
import { defineObserver } from '../../server/live/observers/define-observer.ts'

// What `--observers` of the servers loads.

export const copy = defineObserver({
  observer: 'copy',
  run: async (tx, { key: [id], row }) => {
    await tx.query('SET balance = $1 ON seen WHERE id = $2', [row?.balance ?? null, id])
  },
})

export const hint = defineObserver({
  observer: 'hint',
  run: async (tx, { key: [id] }) => {
    await tx.query('SET runs = 1 ON hinted WHERE id = $1', [id])
  },
})
