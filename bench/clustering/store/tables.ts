// SPDX-License-Identifier: Apache-2.0

import type { SqlRow } from '../../../storage/tables/tables.ts'
import { fillDataDirectory, insertAll, makeTable, tableOf } from '../../embedded/data-directory.ts'
import type { Surroundings } from '../../harness/experiment.ts'
import { ClusterIndex } from '../assignment/cluster-index.ts'
import { keyedDocuments, type SyntheticDocuments } from '../documents/synthetic-documents.ts'

/**
 * A document has its keys and its cluster in family 0, so that neither assigning it nor reading its keys touches the
 * payload. `crawlUs` is when it was to be crawled, in microseconds since 1970, and is what the observer observes.
 */
export const DOCS = tableOf(
  'docs',
  {
    ...{ id: 'integer', k1: 'integer', k2: 'integer', k3: 'integer', cluster: 'integer?' },
    ...{ lookups: 'integer?', foundUs: 'integer?', crawlUs: 'integer?', payload: 'text' },
  },
  ['id'],
  [{ name: 'body', columns: ['payload'] }],
)

/** One for each pass: the key, and the cluster that it is known for. */
const INDEXES = ['idx1', 'idx2', 'idx3'] as const

/**
 * Fills a new data directory with the repository, clustered by the rule, and with the indexes that this leaves, before
 * any server uses it. Returns the cluster of each document, by id.
 */
export async function loadRepository(
  dataDirectory: string,
  documents: SyntheticDocuments,
  repository: number,
  deps: Pick<Surroundings, 'signal' | 'say'>,
): Promise<readonly number[]> {
  const index = new ClusterIndex()
  const clusters: number[] = []
  await fillDataDirectory(dataDirectory, async (storage) => {
    await makeTable(storage, DOCS)
    await insertAll(storage, DOCS.name, documentRows(), deps)
    for (const [pass, name] of INDEXES.entries()) {
      await makeTable(storage, tableOf(name, { key: 'integer', cluster: 'integer' }, ['key']))
      await insertAll(storage, name, entryRows(pass), deps)
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
