// SPDX-License-Identifier: Apache-2.0
import { type Documents, type KeyedDocument, keyedDocuments } from '../documents/documents.ts'
import type { StoredRun } from '../store/stored-run.ts'
import { ClusterIndex } from './cluster-index.ts'
import { clusterInPasses } from './cluster-passes.ts'

const SHOWN_MAX = 5

/**
 * What is wrong with the clusters of a run, as sentences: of every document, those of the repository too, the cluster
 * has to be the one that it gets when all are clustered offline.
 *
 * A run of observers is compared with three passes over all documents in the order in which their clusters were
 * committed: an entry of an index never changes, and two runs that register one key conflict, so the runs are
 * serializable in that order. A run of passes is compared with the rule of the observers, by id.
 */
export function differencesOf(
  run: StoredRun,
  documents: Documents,
  { repository, by }: { readonly repository: number; readonly by: 'commits' | 'ids' },
): readonly string[] {
  const expected = by === 'commits' ? expectedByCommits : expectedByIds
  const clusters = expected(run, documents, repository)
  const wrong: string[] = []
  let compared = 0
  for (const { id, cluster } of run.documents) {
    const right = clusters.get(id)
    compared += 1
    if (cluster === right) continue
    wrong.push(`document ${id} is in cluster ${cluster ?? 'none'}, not ${right ?? 'none'}`)
  }
  if (compared < repository) wrong.push(`there are ${compared} documents`)
  if (wrong.length <= SHOWN_MAX) return wrong
  return [`${wrong.length} of ${compared} documents differ`, ...wrong.slice(0, SHOWN_MAX)]
}

function expectedByCommits(
  { assignedUs }: StoredRun,
  documents: Documents,
  repository: number,
): ReadonlyMap<number, number> {
  return clusterInPasses(inOrder())

  function* inOrder(): Iterable<KeyedDocument> {
    yield* keyedDocuments(documents, 0, repository)
    for (const id of assignedUs.keys()) yield { id, keys: documents.keys(id) }
  }
}

/** Of those that have been clustered: passes take in all documents that were there when they began. */
function expectedByIds(
  { assignedUs }: StoredRun,
  documents: Documents,
  repository: number,
): ReadonlyMap<number, number> {
  const end = [...assignedUs.keys()].reduce((most, id) => Math.max(most, id + 1), repository)
  const index = new ClusterIndex()
  const clusters = new Map<number, number>()
  for (const document of keyedDocuments(documents, 0, end)) {
    clusters.set(document.id, index.assign(document).cluster)
  }
  return clusters
}
