// SPDX-License-Identifier: Apache-2.0
import type { SnapshotRow } from '../records/version.ts'

/**
 * Rows of a scan that were read together. They are also passed on together: one step per row in each asynchronous
 * iterator on the way would cost half as much as reading the row.
 */
export type RowBatches = AsyncIterable<readonly SnapshotRow[]>

/** The same row by row. */
export async function* rowsOfBatches<Row>(
  batches: AsyncIterable<Iterable<Row>>,
): AsyncGenerator<Row, void, undefined> {
  for await (const batch of batches) {
    // Not `yield*`, which adds one more asynchronous iterator.
    for (const row of batch) yield row
  }
}
