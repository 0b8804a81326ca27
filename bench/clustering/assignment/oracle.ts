// SPDX-License-Identifier: Apache-2.0
import {
  type KeyedDocument,
  keyedDocuments,
  type SyntheticDocuments,
} from '../documents/synthetic-documents.ts'
import type { StoredRun } from '../store/stored-run.ts'
import { ClusterIndex } from './cluster-index.ts'

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
  documents: SyntheticDocuments,
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
  documents: SyntheticDocuments,
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
  documents: SyntheticDocuments,
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

const PASSES = [0, 1, 2] as const

/**
 * The same rule as three passes over everything (Percolator 3.1): of documents that share the key of a pass the first
 * one represents them in the next pass, and the others go where it goes. Returns the cluster of each document, by id.
 */
export function clusterInPasses(documents: Iterable<KeyedDocument>): Map<number, number> {
  const follows = new Map<number, number>()
  let remaining = [...documents]
  const ids = remaining.map(({ id }) => id)
  for (const pass of PASSES) {
    const firsts = new Map<number, number>()
    remaining = remaining.filter(({ id, keys }) => {
      const first = firsts.get(keys[pass])
      if (first === undefined) firsts.set(keys[pass], id)
      else follows.set(id, first)
      return first === undefined
    })
  }
  return new Map(ids.map((id) => [id, endOf(follows, id)]))
}

/** Where the document goes to in the end: at most one step for each pass. */
export function endOf(follows: ReadonlyMap<number, number>, id: number): number {
  let at = id
  for (;;) {
    const next = follows.get(at)
    if (next === undefined) return at
    at = next
  }
}
