// SPDX-License-Identifier: Apache-2.0
import type { Cell, Row, Timestamp } from '../../cells/cell.ts'
import type { DeleteFromColumn } from '../../cells/mutation.ts'
import type { RowFilter } from '../../cells/row-filter.ts'
import { observerOfColumn } from '../../observers/notifications/handed-out.ts'
import { decodeNotify, eraseNotify } from '../../transactions/records/notify-cell.ts'
import { decodeWriteRecord } from '../../transactions/records/write-record.ts'

/**
 * What is not needed once the safe point has passed it, column by column. With the safe point at 10:
 *
 *     write @12 -> 11 put        stays: it is younger
 *     write  @9 ->  8 put        stays: it is what a snapshot at 10 sees
 *     write  @6 ->  5 put        goes, and the data it points at
 *     rollback @7                goes: no prewrite of 7 can arrive any more
 *     guard  @9 ->  8            goes: any transaction that could conflict is too old to commit
 *
 *     write  @9 ->  8 delete     goes with all that is older, in the same mutation: alone it would
 *                                bring the older version back
 *
 * A notify cell names a transaction whose changes an observer may still have to see, so its write record stays, and
 * a delete is not forgotten before it has been observed: of such a row only that is collected which
 * would be with the safe point at the start of the oldest transaction named.
 *
 *     notify "7" @5              so it is as if the safe point were at 5: both stay, and
 *     write  @9 ->  8 delete     the observer 7 sees that the row is gone
 *     write  @6 ->  5 put
 *
 * Deletions are ranges below a version that is committed and stays (or goes with them), so a row with
 * millions of versions is collected without reading them, and a deletion that arrives late or
 * twice does no harm: nothing new can be written below the safe point.
 */

/** What may go as a whole, by what the catalog says at the safe point. */
export type Expendable = {
  /** Whether a row may, given its newest version's timestamp at or below the safe point. */
  readonly row: (rowKey: Uint8Array, commitTs: Timestamp) => boolean
  /** Whether everything that concerns this observer may: it had been dropped. */
  readonly observer: (observerId: number) => boolean
}

/** The cells by which `garbageOf` decides: at most two write records of each column. */
export function garbageFilter(safePoint: Timestamp): RowFilter {
  return [
    { family: 'write', timestamps: { until: safePoint + 1 }, newest: 2 },
    { family: 'rollback', timestamps: { until: safePoint }, newest: 1 },
    { family: 'guard', timestamps: { until: safePoint }, newest: 1 },
    { family: 'notify' },
  ]
}

/**
 * Pure: how far the safe point counts for this row, by its notify cells. Where that is below the safe
 * point, the row is to be read again with the filter of what is answered.
 */
export function safePointOfRow(
  { cells }: Row,
  { safePoint, expendable }: { readonly safePoint: Timestamp; readonly expendable: Expendable },
): Timestamp {
  let counts = safePoint
  for (const cell of cells) {
    if (cell.family !== 'notify') continue
    const { observerId, changedBy } = decodeNotify(cell)
    if (!expendable.observer(observerId)) counts = Math.min(counts, changedBy)
  }
  return counts
}

/**
 * Pure: the deletions for one row, none when it holds no garbage. An `expendable` row goes as a whole
 * once its newest version is at or below the safe point, and what an observer noted in a row with that row.
 */
export function garbageOf(
  row: Row,
  { safePoint, expendable }: { readonly safePoint: Timestamp; readonly expendable: Expendable },
): DeleteFromColumn[] {
  const garbage: DeleteFromColumn[] = []
  const columns = [...columnsOf(row)]
  const goes = goingColumns(row.key, columns, expendable)
  for (const [newest, ...older] of columns) {
    if (newest === undefined) continue
    const { family, qualifier, timestamp } = newest
    if (family === 'notify') {
      const { observerId } = decodeNotify(newest)
      // No transaction that notified it can still commit, so all of its cells are at or below the safe point.
      if (expendable.observer(observerId)) garbage.push(eraseNotify(observerId, safePoint + 1))
      continue
    }
    if (family !== 'write') {
      garbage.push({
        kind: 'deleteFromColumn',
        family,
        qualifier,
        timestamps: { until: safePoint },
      })
      continue
    }
    const { startTs } = decodeWriteRecord(newest.value)
    const goesItself = goes(newest)
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

/** Tells of the newest write record of a column whether it goes itself. */
function goingColumns(
  rowKey: Uint8Array,
  columns: ReadonlyArray<readonly Cell[]>,
  expendable: Expendable,
): (newest: Cell) => boolean {
  const goesAlone = ({ qualifier, timestamp, value }: Cell) => {
    const observerId = observerOfColumn(qualifier)
    if (observerId !== undefined && expendable.observer(observerId)) return true
    const isDelete = decodeWriteRecord(value).content.kind === 'delete'
    return isDelete || expendable.row(rowKey, timestamp)
  }
  const isGone = columns.every(
    ([newest]) =>
      newest === undefined ||
      newest.family !== 'write' ||
      observerOfColumn(newest.qualifier) !== undefined ||
      goesAlone(newest),
  )
  return (newest) =>
    goesAlone(newest) || (isGone && observerOfColumn(newest.qualifier) !== undefined)
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
