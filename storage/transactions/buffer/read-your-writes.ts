// SPDX-License-Identifier: Apache-2.0
import { compareRowKeys } from '../../cells/row-key.ts'
import type { SnapshotRow, VersionedValue } from '../records/version.ts'
import type { BufferedRow, WriteBuffer } from './write-buffer.ts'

/** The row with the transaction's own writes on top; null when no asked column is left. */
export function overlayRow(
  row: { readonly key: Uint8Array; readonly committed: SnapshotRow | null },
  columns: readonly string[],
  buffer: WriteBuffer,
): SnapshotRow | null {
  const writes = buffer.writesOf(row.key)
  if (writes === undefined) return row.committed
  const merged = new Map<string, VersionedValue>(row.committed?.columns)
  for (const column of columns) {
    const write = writes.get(column)
    if (write?.kind === 'put') merged.set(column, { value: write.value, commitTs: null })
    if (write?.kind === 'delete') merged.delete(column)
  }
  return merged.size === 0 ? null : { key: row.key, columns: merged }
}

/**
 * Merges a scan of the snapshot with the buffered rows of the same range, both in the same direction: own inserts
 * appear in key order, own deletes are left out.
 */
export async function* overlayScan(
  committed: AsyncIterable<SnapshotRow>,
  own: {
    readonly rows: readonly BufferedRow[]
    readonly buffer: WriteBuffer
    readonly columns: readonly string[]
    readonly reverse: boolean
  },
): AsyncGenerator<SnapshotRow> {
  const { buffer, columns } = own
  const buffered = own.reverse ? own.rows.toReversed() : own.rows
  const comesBefore = (a: Uint8Array, b: Uint8Array) =>
    own.reverse ? compareRowKeys(a, b) > 0 : compareRowKeys(a, b) < 0
  let next = 0
  for await (const row of committed) {
    for (let own = buffered[next]; own !== undefined; own = buffered[next]) {
      if (!comesBefore(own.key, row.key)) break
      next += 1
      const inserted = overlayRow({ key: own.key, committed: null }, columns, buffer)
      if (inserted !== null) yield inserted
    }
    const candidate = buffered[next]
    const isOwn = candidate !== undefined && compareRowKeys(candidate.key, row.key) === 0
    if (isOwn) next += 1
    const merged = isOwn ? overlayRow({ key: row.key, committed: row }, columns, buffer) : row
    if (merged !== null) yield merged
  }
  for (const { key } of buffered.slice(next)) {
    const inserted = overlayRow({ key, committed: null }, columns, buffer)
    if (inserted !== null) yield inserted
  }
}
