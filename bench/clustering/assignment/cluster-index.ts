// SPDX-License-Identifier: Apache-2.0
import type { KeyedDocument } from '../documents/synthetic-documents.ts'

export type Assigned = {
  /** The id of the document that the cluster began with. */
  readonly cluster: number
  /** In how many indexes a key was looked up. */
  readonly lookups: number
}

/**
 * The rule, one document after the other: it joins the cluster of the first of its keys that is known, and the keys
 * before that become known for this cluster, for good.
 *
 *     7 with keys a, b, c     none is known:       cluster 7; a, b, c -> 7
 *     8 with keys d, b, e     b is known:          cluster 7; d -> 7
 *     9 with keys d, f, g     d is known:          cluster 7
 */
export class ClusterIndex {
  readonly #indexes = [
    new Map<number, number>(),
    new Map<number, number>(),
    new Map<number, number>(),
  ]

  assign({ id, keys }: KeyedDocument): Assigned {
    const unknown: number[] = []
    let cluster: number | undefined
    for (const [pass, index] of this.#indexes.entries()) {
      cluster = index.get(keys[pass] as number)
      if (cluster !== undefined) break
      unknown.push(pass)
    }
    const lookups = unknown.length + (cluster === undefined ? 0 : 1)
    for (const pass of unknown) this.#indexes[pass]?.set(keys[pass] as number, cluster ?? id)
    return { cluster: cluster ?? id, lookups }
  }

  /** Of one pass, 0 to 2: each key that is known, and its cluster. */
  entries(pass: number): Iterable<readonly [key: number, cluster: number]> {
    return (this.#indexes[pass] ?? new Map<number, number>()).entries()
  }
}

export type ClusterShape = {
  readonly documentsPerCluster: number
  /** Of the documents, those in a cluster of two or more. */
  readonly sharedPercent: number
  /** Documents of the largest cluster. */
  readonly largest: number
}

/** Of one cluster for each document. */
export function shapeOf(clusters: Iterable<number>): ClusterShape {
  const sizes = new Map<number, number>()
  let documents = 0
  for (const cluster of clusters) {
    sizes.set(cluster, (sizes.get(cluster) ?? 0) + 1)
    documents += 1
  }
  let [alone, largest] = [0, 0]
  for (const size of sizes.values()) {
    if (size === 1) alone += 1
    largest = Math.max(largest, size)
  }
  return {
    documentsPerCluster: documents / sizes.size,
    sharedPercent: (100 * (documents - alone)) / documents,
    largest,
  }
}
