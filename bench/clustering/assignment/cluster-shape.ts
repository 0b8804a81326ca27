// SPDX-License-Identifier: Apache-2.0

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
