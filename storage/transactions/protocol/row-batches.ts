// SPDX-License-Identifier: Apache-2.0
import type { Batches } from '../../maybe-promise.ts'
import type { SnapshotRow } from '../records/version.ts'

/**
 * Rows of a scan that were read together. They are also passed on together: one step per row in each asynchronous
 * iterator on the way would cost half as much as reading the row. The process that owns its store has the first of them
 * at hand.
 */
export type RowBatches = Batches<readonly SnapshotRow[]> | AsyncIterable<readonly SnapshotRow[]>

/** The same row by row. */
export async function* rowsOfBatches<Row>(
  batches: Batches<Iterable<Row>> | AsyncIterable<Iterable<Row>>,
): AsyncGenerator<Row, void, undefined> {
  for await (const batch of batches) {
    // Not `yield*`, which adds one more asynchronous iterator.
    for (const row of batch) yield row
  }
}
