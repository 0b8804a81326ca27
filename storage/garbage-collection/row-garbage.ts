// SPDX-License-Identifier: Apache-2.0
import type { Cell, Row, Timestamp } from '../cell-store/cell.ts'
import type { DeleteFromColumn } from '../cell-store/mutation.ts'
import type { RowFilter } from '../cell-store/row-filter.ts'
import { decodeWriteRecord } from '../transaction/write-record.ts'

/**
 * What nobody can need once the safe point has passed it, column by column. With the safe point at 10:
 *
 *     write @12 -> 11 put        stays: it is younger
 *     write  @9 ->  8 put        stays: it is what a snapshot at 10 sees
 *     write  @6 ->  5 put        goes, and the data it points at
 *     rollback @7                goes: no prewrite of 7 can arrive any more
 *     guard  @9 ->  8            goes: whoever could conflict with it is too old to commit
 *
 *     write  @9 ->  8 delete     goes with all that is older, in the same mutation: alone it would
 *                                bring the older version back
 *
 * Deletions are ranges below a version that is committed and stays (or goes with them), so a row with
 * millions of versions is collected without reading them, and a deletion that arrives late or
 * twice does no harm: nothing new can be written below the safe point.
 */

/** Whether a row as a whole may go, given its newest version's timestamp at or below the safe point. */
export type IsExpendable = (rowKey: Uint8Array, commitTs: Timestamp) => boolean

/** The cells by which `garbageOf` decides: at most two write records of each column. */
export function garbageFilter(safePoint: Timestamp): RowFilter {
  return [
    { family: 'write', timestamps: { until: safePoint + 1 }, newest: 2 },
    { family: 'rollback', timestamps: { until: safePoint }, newest: 1 },
    { family: 'guard', timestamps: { until: safePoint }, newest: 1 },
  ]
}

/**
 * Pure: the deletions for one row, none when it holds no garbage. An `expendable` row goes as a whole
 * once its newest version is at or below the safe point.
 */
export function garbageOf(
  row: Row,
  {
    safePoint,
    isExpendable,
  }: { readonly safePoint: Timestamp; readonly isExpendable: IsExpendable },
): DeleteFromColumn[] {
  const garbage: DeleteFromColumn[] = []
  for (const [newest, ...older] of columnsOf(row)) {
    if (newest === undefined) continue
    const { family, qualifier, timestamp } = newest
    if (family !== 'write') {
      garbage.push({
        kind: 'deleteFromColumn',
        family,
        qualifier,
        timestamps: { until: safePoint },
      })
      continue
    }
    const { startTs, content } = decodeWriteRecord(newest.value)
    const goesItself = content.kind === 'delete' || isExpendable(row.key, timestamp)
    if (!goesItself && older.length === 0) continue
    // Older versions had committed before this one began (I4), so their data lies below its startTs.
    const past = goesItself ? 1 : 0
    garbage.push(
      { kind: 'deleteFromColumn', family, qualifier, timestamps: { until: timestamp + past } },
      {
        kind: 'deleteFromColumn',
        family: 'data',
        qualifier,
        timestamps: { until: startTs + past },
      },
    )
  }
  return garbage
}

/** The cells of each column, the newest first. */
function columnsOf(row: Row): Iterable<Cell[]> {
  const columns = new Map<string, Cell[]>()
  for (const cell of row.cells) {
    const name = `${cell.family}/${cell.qualifier}`
    const column = columns.get(name)
    if (column === undefined) columns.set(name, [cell])
    else column.push(cell)
  }
  return columns.values()
}
