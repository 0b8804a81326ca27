// SPDX-License-Identifier: Apache-2.0
import {
  defineObserver,
  type ObserverTransaction,
} from '../../server/live/observers/define-observer.ts'

// What the measured server runs itself: `--observers` of the server of each contender.

/** Puts together what has been told of a broker. */
async function fold(tx: ObserverTransaction, { key }: { key: readonly unknown[] }): Promise<void> {
  const { rows } = await tx.query<{ runs: number }>('GET runs FROM folded WHERE id = $1', [key[0]])
  const runs = (rows[0]?.runs ?? 0) + 1
  await tx.query('SET runs = $1 ON folded WHERE id = $2', [runs, key[0]])
}

/** Writes beside each row what was made of it. */
async function derive(tx: ObserverTransaction, event: { key: readonly unknown[]; row?: unknown }) {
  const { n = 0 } = (event.row ?? {}) as { readonly n?: number }
  await tx.query('SET n = $1 ON derived WHERE id = $2', [n * 2, event.key[0]])
}

export const foldHot = defineObserver({ observer: 'fold', run: fold })
export const deriveByOne = defineObserver({ observer: 'derive_by_1', workers: 1, run: derive })
export const deriveByEight = defineObserver({ observer: 'derive_by_8', workers: 8, run: derive })
