// SPDX-License-Identifier: Apache-2.0
import type { Cell, Row, Timestamp } from '../../../cells/cell.ts'
import type { CellView } from '../../../cells/embedded-cell-store.ts'
import { DamagedRecord, thrownOf } from '../../../invariant.ts'
import { dataOf } from '../../records/percolator-columns.ts'
import { OneColumn, type SnapshotRow, type VersionedValue } from '../../records/version.ts'
import {
  bytesElsewhere,
  decodeContent,
  decodeStartTs,
  RECORD_CONTENT_AT,
} from '../../records/write-record.ts'

/**
 * The row with its values, from the newest write records that the snapshot's filter left; values in `data` are read
 * from the view. Null when every column is deleted.
 */
export function rowInView(view: CellView, { key, cells }: Row): SnapshotRow | null {
  const [only, another] = cells
  if (only !== undefined && another === undefined) {
    const value = valueInView(view, key, only)
    return value === null ? null : { key, columns: new OneColumn(only.qualifier, value) }
  }
  const columns = new Map<string, VersionedValue>()
  for (const cell of cells) {
    const value = valueInView(view, key, cell)
    if (value !== null) columns.set(cell.qualifier, value)
  }
  return columns.size === 0 ? null : { key, columns }
}

/** The value that the write record committed; null for a deletion. */
function valueInView(view: CellView, key: Uint8Array, cell: Cell): VersionedValue | null {
  const { qualifier: column, timestamp: commitTs, value: record } = cell
  try {
    const content = decodeContent(record, RECORD_CONTENT_AT)
    switch (content.kind) {
      case 'inline':
        return { value: content.value, commitTs }
      case 'data':
        return {
          value: dataInView(view, { key, column, startTs: decodeStartTs(record) }),
          commitTs,
        }
      case 'delete':
        return null
    }
  } catch (error) {
    throw thrownOf(key, error)
  }
}

/** Bytes of the row's values that are in `data`. */
export function longBytesOf(row: Row | null): number {
  if (row === null) return 0
  let bytes = 0
  for (const { value } of row.cells) bytes += bytesElsewhere(value)
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
  // The snapshot was above the safe point in this turn, so the value was not collected: it is damage.
  throw new DamagedRecord('I5', { row: Buffer.from(key).toString('hex'), column, startTs })
}
