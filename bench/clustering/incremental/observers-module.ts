// SPDX-License-Identifier: Apache-2.0
import { defineObserver } from '../../../server/live/observers/define-observer.ts'

// What the measured server runs itself: `--observers`.

type Crawled = {
  readonly k1: number
  readonly k2: number
  readonly k3: number
  readonly cluster: number | null
  readonly payload: string
}

const LOOK_UP = [
  'GET cluster FROM idx1 WHERE key = $1',
  'GET cluster FROM idx2 WHERE key = $1',
  'GET cluster FROM idx3 WHERE key = $1',
] as const

const REGISTER = [
  'INSERT INTO idx1 (key, cluster) VALUES ($1, $2)',
  'INSERT INTO idx2 (key, cluster) VALUES ($1, $2)',
  'INSERT INTO idx3 (key, cluster) VALUES ($1, $2)',
] as const

/**
 * Clusters a document that was crawled (Percolator 3.1, an elaboration of Figure 2). It joins the cluster of the first
 * of its keys that is known, and the keys before that become known for this cluster, for good: when two newcomers do
 * that with one key at a time, they conflict, and one of them runs again and finds it.
 */
export const clusterCrawled = defineObserver<Crawled>({
  observer: 'cluster_crawled',
  workers: 64,
  run: async (tx, { key: [id], row: document }) => {
    if (document === undefined || document.cluster !== null) return
    const keys = [document.k1, document.k2, document.k3]
    const unknown: number[] = []
    let cluster: number | undefined
    for (const [pass, lookUp] of LOOK_UP.entries()) {
      const { rows } = await tx.query<{ cluster: number }>(lookUp, [keys[pass]])
      cluster = rows[0]?.cluster
      if (cluster !== undefined) break
      unknown.push(pass)
    }
    const lookups = unknown.length + (cluster === undefined ? 0 : 1)
    cluster ??= id as number
    for (const pass of unknown) await tx.query(REGISTER[pass] as string, [keys[pass], cluster])
    await tx.query(
      'SET cluster = :cluster, lookups = :lookups, foundUs = :foundUs ON docs WHERE id = :id',
      { cluster, lookups, foundUs: tx.readTimestamp, id },
    )
  },
})
