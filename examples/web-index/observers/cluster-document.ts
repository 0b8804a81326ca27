// SPDX-License-Identifier: Apache-2.0
import {
  defineObserver,
  type ObserverTransaction,
} from '../../../server/live/observers/define-observer.ts'
import { CLUSTER_KEYS, type ClusterKeys, type Document } from '../pages/document.ts'

/** Where a page belongs, and when that was decided. */
type Assignment = {
  readonly url: string
  readonly at: number
  readonly cluster: number | null
}

/**
 * Finds the copies of a document by three keys (Percolator 3.1; an elaboration of Figure 2). It joins
 * the cluster of the first of its keys that is known. The keys before that become known for this
 * cluster, for good: when two newcomers do that with one key at a time, they conflict, one of them runs
 * again, and finds it.
 */
export const clusterDocument = defineObserver<Document>({
  observer: 'cluster_document',
  workers: 4,
  run: async (tx, { key: [url], row: document }) => {
    const { rows } = await tx.query<Assignment>(
      'SCAN url, at, cluster FROM assignment WHERE url = $1 LIMIT 1',
      [url],
    )
    const before = rows[0]
    // Also when the keys are what they were: between two runs there may have been others, of which
    // `index_words` has seen the words. A new `at` lets it look again.
    const at = tx.readTimestamp
    const cluster = document === undefined ? null : await clusterOf(tx, document)
    const after = { url: url as string, at, cluster }
    await assign(tx, document, after)
    await join(tx, after)
    const left = before?.cluster ?? null
    for (const changed of new Set([left, cluster])) {
      if (changed !== null) await tx.query('NOTIFY elect ON to_elect WHERE cluster = $1', [changed])
    }
  },
})

async function clusterOf(tx: ObserverTransaction, keys: ClusterKeys): Promise<number> {
  const unknown: Array<{ readonly pass: number; readonly key: string }> = []
  let cluster: number | undefined
  for (const [position, name] of CLUSTER_KEYS.entries()) {
    const entry = { pass: position + 1, key: keys[name] }
    if (entry.key === null) continue
    const { rows } = await tx.query<{ cluster: number }>(
      'GET cluster FROM cluster_key WHERE pass = :pass AND key = :key',
      entry,
    )
    cluster = rows[0]?.cluster
    if (cluster !== undefined) break
    unknown.push({ ...entry, key: entry.key })
  }
  // A new cluster is called by the timestamp of the transaction, which no other one has.
  cluster ??= tx.readTimestamp
  for (const entry of unknown) {
    await tx.query('INSERT INTO cluster_key (pass, key, cluster) VALUES (:pass, :key, :cluster)', {
      ...entry,
      cluster,
    })
  }
  return cluster
}

/** Writes down what was decided, and upon what. */
async function assign(
  tx: ObserverTransaction,
  keys: ClusterKeys | undefined,
  { url, at, cluster }: Assignment,
): Promise<void> {
  const { canonical_key = null, content_key = null, sketch_key = null } = keys ?? {}
  await tx.query(
    `INSERT INTO assignment (url, at, canonical_key, content_key, sketch_key, cluster)
     VALUES (:url, :at, :canonical_key, :content_key, :sketch_key, :cluster)`,
    { url, at, canonical_key, content_key, sketch_key, cluster },
  )
}

async function join(tx: ObserverTransaction, { url, at, cluster }: Assignment): Promise<void> {
  if (cluster === null) {
    await tx.query('DELETE FROM member WHERE url = $1', [url])
  } else {
    await tx.query('SET cluster = :cluster, at = :at ON member WHERE url = :url', {
      ...{ url, cluster, at },
    })
  }
}
