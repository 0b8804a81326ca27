// SPDX-License-Identifier: Apache-2.0
import type { Row, Timestamp } from '../cell-store/cell.ts'
import type { CellView } from '../cell-store/embedded-cell-store.ts'
import { InvariantViolation } from '../invariant.ts'
import { dataOf } from './percolator-columns.ts'
import type { SnapshotRow, VersionedValue } from './version.ts'
import { bytesElsewhere, decodeWriteRecord } from './write-record.ts'

/**
 * A row of which the snapshot's filter left the newest write records, with its values; those that
 * stand in `data` are read from the view. Null when every column is deleted.
 */
export function rowInView(view: CellView, { key, cells }: Row): SnapshotRow | null {
  let columns: Map<string, VersionedValue> | undefined
  for (const { qualifier: column, timestamp: commitTs, value: record } of cells) {
    const { startTs, content } = decodeWriteRecord(record)
    if (content.kind === 'delete') continue
    const value =
      content.kind === 'inline' ? content.value : dataInView(view, { key, column, startTs })
    columns ??= new Map()
    columns.set(column, { value, commitTs })
  }
  return columns === undefined ? null : { key, columns }
}

/**
 * Divides rows so that the values that stand in `data` stay below 4 MiB together; a larger one stands
 * alone. Rows whose values are all short are one part.
 */
export function* partsInView<R extends Row | null>(rows: readonly R[]): Generator<readonly R[]> {
  let start = 0
  let bytes = 0
  for (const [at, row] of rows.entries()) {
    const more = row === null ? 0 : longBytesOf(row)
    if (bytes + more > PART_BYTES_MAX && at > start) {
      yield rows.slice(start, at)
      start = at
      bytes = 0
    }
    bytes += more
  }
  yield start === 0 ? rows : rows.slice(start)
}

function longBytesOf({ cells }: Row): number {
  let bytes = 0
  for (const { value } of cells) bytes += bytesElsewhere(value)
  return bytes
}

function dataInView(
  view: CellView,
  at: { readonly key: Uint8Array; readonly column: string; readonly startTs: Timestamp },
): Uint8Array {
  const { key, column, startTs } = at
  const [row] = view.readRows([key], [dataOf(column, startTs)])
  const value = row?.cells[0]?.value
  if (value !== undefined) return value
  // The snapshot was above the safe point in this turn, so nobody has collected it: it is damage.
  throw new InvariantViolation('I5', { row: Buffer.from(key).toString('hex'), column, startTs })
}

const PART_BYTES_MAX = 4 * 1024 * 1024
