// SPDX-License-Identifier: Apache-2.0
import type { SnapshotRow } from './version.ts'

/**
 * Rows of a scan that were read together. They are handed on together as well: a step of each
 * asynchronous iterator on the way for each row would cost half as much as reading it.
 */
export type RowBatches = AsyncIterable<readonly SnapshotRow[]>

/** The same row by row. */
export async function* rowsOfBatches(batches: RowBatches): AsyncGenerator<SnapshotRow> {
  for await (const batch of batches) yield* batch
}
