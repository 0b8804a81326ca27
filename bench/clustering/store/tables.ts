// SPDX-License-Identifier: Apache-2.0

import type { Storage } from '../../../storage/storage.ts'
import type { SqlRow } from '../../../storage/tables/tables.ts'
import { fillDataDirectory, insertRows, makeTable } from '../../embedded/data-directory.ts'
import type { Surroundings } from '../../harness/experiment.ts'
import { ClusterIndex } from '../assignment/cluster-index.ts'
import { type Documents, keyedDocuments } from '../documents/synthetic-documents.ts'

const ROWS_PER_TRANSACTION = 1_000
const SAY_MS = 250

/**
 * A document has its keys and its cluster in family 0, so that neither assigning it nor reading its keys touches the
 * payload. `crawlUs` is when it was to be crawled, in microseconds since 1970, and is what the observer observes.
 */
export const DOCS = {
  name: 'docs',
  columns: [
    { name: 'id', type: 'INTEGER', notNull: true },
    { name: 'k1', type: 'INTEGER', notNull: true },
    { name: 'k2', type: 'INTEGER', notNull: true },
    { name: 'k3', type: 'INTEGER', notNull: true },
    { name: 'cluster', type: 'INTEGER', notNull: false },
    { name: 'lookups', type: 'INTEGER', notNull: false },
    { name: 'foundUs', type: 'INTEGER', notNull: false },
    { name: 'crawlUs', type: 'INTEGER', notNull: false },
    { name: 'payload', type: 'TEXT', notNull: true },
  ],
  primaryKey: [{ column: 'id', descending: false }],
  families: [{ name: 'body', columns: ['payload'] }],
} as const

/** One for each pass: the key, and the cluster that it is known for. */
const INDEXES = ['idx1', 'idx2', 'idx3'] as const

/**
 * Fills a new data directory with the repository, clustered by the rule, and with the indexes that this leaves, before
 * any server uses it. Returns the cluster of each document, by id.
 */
export async function loadRepository(
  dataDirectory: string,
  documents: Documents,
  repository: number,
  deps: Pick<Surroundings, 'signal' | 'say'>,
): Promise<readonly number[]> {
  const index = new ClusterIndex()
  const clusters: number[] = []
  await fillDataDirectory(dataDirectory, async (storage) => {
    await makeTable(storage, DOCS)
    await write(storage, DOCS.name, documentRows(), deps)
    for (const [pass, name] of INDEXES.entries()) {
      const columns = [
        { name: 'key', type: 'INTEGER', notNull: true },
        { name: 'cluster', type: 'INTEGER', notNull: true },
      ] as const
      await makeTable(storage, {
        name,
        columns,
        primaryKey: [{ column: 'key', descending: false }],
      })
      await write(storage, name, entryRows(pass), deps)
    }
  })
  return clusters

  function* documentRows(): Iterable<SqlRow> {
    for (const document of keyedDocuments(documents, 0, repository)) {
      const { cluster } = index.assign(document)
      clusters.push(cluster)
      const integers = [document.id, ...document.keys, cluster].map(BigInt)
      yield [...integers, null, null, null, documents.payload(document.id)]
    }
  }

  function* entryRows(pass: number): Iterable<SqlRow> {
    for (const [key, cluster] of index.entries(pass)) yield [BigInt(key), BigInt(cluster)]
  }
}

async function write(
  storage: Storage,
  table: string,
  rows: Iterable<SqlRow>,
  { signal, say }: Pick<Surroundings, 'signal' | 'say'>,
): Promise<void> {
  let batch: SqlRow[] = []
  let [written, saidMs] = [0, performance.now()]
  const flush = async () => {
    signal.throwIfAborted()
    await insertRows(storage, table, batch)
    written += batch.length
    batch = []
    if (performance.now() - saidMs < SAY_MS) return
    saidMs = performance.now()
    say(`${written.toLocaleString('en')} rows of ${table}`)
  }
  for (const row of rows) {
    if (batch.push(row) === ROWS_PER_TRANSACTION) await flush()
  }
  if (batch.length > 0) await flush()
}
