// SPDX-License-Identifier: Apache-2.0
import type { WireMutation } from './bigtable-messages.ts'

/** The bounds of one call of MutateRows; a row beyond them goes alone. */
const ROWS_MAX = 1_000
const MUTATIONS_MAX = 100_000
const BYTES_MAX = 4 * 1024 * 1024

type Entry = { readonly rowKey: Uint8Array; readonly mutations: readonly WireMutation[] }

/** The entries in calls of a size that Bigtable takes, in their order. */
export function mutationBatches<E extends Entry>(entries: readonly E[]): E[][] {
  const batches: E[][] = []
  let batch: E[] = []
  let mutations = 0
  let bytes = 0
  for (const entry of entries) {
    const size = entry.rowKey.length + entry.mutations.reduce((sum, one) => sum + bytesOf(one), 0)
    const isFull =
      batch.length >= ROWS_MAX ||
      mutations + entry.mutations.length > MUTATIONS_MAX ||
      bytes + size > BYTES_MAX
    if (isFull && batch.length > 0) {
      batches.push(batch)
      batch = []
      mutations = 0
      bytes = 0
    }
    batch.push(entry)
    mutations += entry.mutations.length
    bytes += size
  }
  if (batch.length > 0) batches.push(batch)
  return batches
}

const MUTATION_OVERHEAD = 32

function bytesOf(mutation: WireMutation): number {
  if (!('setCell' in mutation)) return MUTATION_OVERHEAD
  const { columnQualifier, value } = mutation.setCell
  return MUTATION_OVERHEAD + columnQualifier.length + value.length
}
