// SPDX-License-Identifier: Apache-2.0
import { overlayScan } from './buffer/read-your-writes.ts'
import type { BufferedRow, WriteBuffer } from './buffer/write-buffer.ts'
import { type RowBatches, rowsOfBatches } from './protocol/row-batches.ts'
import type { SnapshotRange } from './protocol/transaction-protocol.ts'
import type { SnapshotRow } from './records/version.ts'

/** The rows of a range in batches of one, with the transaction's own writes on top. */
export async function* scanWithOwn(
  scan: (range: SnapshotRange) => RowBatches,
  range: SnapshotRange,
  own: { readonly rows: readonly BufferedRow[]; readonly buffer: WriteBuffer },
): AsyncGenerator<readonly SnapshotRow[]> {
  const { limit = Number.POSITIVE_INFINITY, ...unlimited } = range
  if (limit <= 0) return
  // Own deletes may remove rows, so the limit cannot bound what is read from the store.
  const committed = rowsOfBatches(scan(unlimited))
  const merging = { ...own, columns: range.columns, reverse: range.reverse === true }
  let left = limit
  for await (const row of overlayScan(committed, merging)) {
    yield [row]
    left -= 1
    if (left <= 0) return
  }
}
