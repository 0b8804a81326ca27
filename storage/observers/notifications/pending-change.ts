// SPDX-License-Identifier: Apache-2.0
import type { Cell, Timestamp } from '../../cells/cell.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import type { CellSelector } from '../../cells/row-filter.ts'
import { endOfPrefix } from '../../cells/row-key.ts'
import type { Settle } from '../../transactions/percolator/lock-resolver.ts'
import { decodeLock } from '../../transactions/records/lock.ts'
import { decodeNotify, notifyQualifier } from '../../transactions/records/notify-cell.ts'
import { decodeStartTs, encodeStartTs } from '../../transactions/records/write-record.ts'
import { isAckColumn } from './acknowledgment.ts'

/** What the question is asked of: a row, an observer, and how far the observer has seen the row. */
export type ObservedRow = {
  readonly key: Uint8Array
  readonly observerId: number
  /** Up to what commit timestamp everything has been acknowledged, as the snapshot at `readTs` says. */
  readonly acknowledged: Timestamp
  readonly readTs: Timestamp
}

/**
 * The rule of what an observer has still to see: a change is pending if and only if a notify cell names a
 * transaction that has a write record in the row, committed after what is acknowledged.
 *
 *     notify "7" @21                  acknowledged 28, read at 40
 *     notify "7" @30                  @21 is not pending: 25 has been seen
 *     write  "0" @25 -> 21            @30 is: 33 has not
 *     write  "0" @33 -> 30            @35 of nobody's column 7 does not concern this observer
 *     write  "0" @37 -> 35
 *
 * "Is the newest write record acknowledged?" would be another rule: that record may be of a column that is not
 * observed. Returns the newest such commit timestamp of the first page in which there is one; undefined when nothing is
 * pending.
 *
 * Must be called after the snapshot has read the row, which has settled the locks that it must see. A settled lock may
 * still be there instead of its write record.
 */
export async function findPendingChange(
  { cellStore, settle }: { readonly cellStore: CellStore; readonly settle: Settle },
  row: ObservedRow,
): Promise<Timestamp | undefined> {
  const { key, observerId, readTs } = row
  // A transaction that began after the snapshot has not committed in it. The newest first: mostly it is one of them.
  for (let until = readTs + 1; ; ) {
    const [page] = await cellStore.readRows(
      [key],
      [
        {
          family: 'notify',
          qualifier: notifyQualifier(observerId),
          timestamps: { until },
          newest: PAGE_CELLS,
        },
      ],
    )
    const notified = (page?.cells ?? []).map(decodeNotify)
    const oldest = notified.at(-1)
    if (oldest === undefined) return undefined
    const starts = new Set(notified.map(({ changedBy }) => changedBy))
    const [image] = await cellStore.readRows(
      [key],
      [
        ...[...starts].map((startTs) => changesOf(startTs, row)),
        { family: 'lock', timestamps: { until: readTs + 1 } },
      ],
    )
    const found = await newestChange(settle, image?.cells ?? [], { ...row, starts })
    if (found !== undefined || notified.length < PAGE_CELLS) return found
    until = oldest.timestamp
  }
}

async function newestChange(
  settle: Settle,
  cells: readonly Cell[],
  row: ObservedRow & { readonly starts: ReadonlySet<Timestamp> },
): Promise<Timestamp | undefined> {
  let newest: Timestamp | undefined
  for (const cell of cells) {
    if (isAckColumn(cell.qualifier)) continue
    const commitTs =
      cell.family === 'write' ? commitOfWrite(cell, row) : await commitOfLock(settle, cell, row)
    if (commitTs === undefined || commitTs <= row.acknowledged || commitTs > row.readTs) continue
    newest = Math.max(newest ?? 0, commitTs)
  }
  return newest
}

function commitOfWrite(
  cell: Cell,
  { starts }: { readonly starts: ReadonlySet<Timestamp> },
): Timestamp | undefined {
  return starts.has(decodeStartTs(cell.value)) ? cell.timestamp : undefined
}

/** One whose owner lives commits after the snapshot, which has waited for all others. */
async function commitOfLock(
  settle: Settle,
  cell: Cell,
  { starts }: { readonly starts: ReadonlySet<Timestamp> },
): Promise<Timestamp | undefined> {
  if (!starts.has(cell.timestamp)) return undefined
  const lock = decodeLock(cell.timestamp, cell.value)
  if (lock.content.kind === 'guard') return undefined
  const resolution = await settle(lock)
  return resolution.kind === 'committed' ? resolution.commitTs : undefined
}

/** The write records of one transaction, in whatever column, that are visible and not acknowledged. */
function changesOf(startTs: Timestamp, { acknowledged, readTs }: ObservedRow): CellSelector {
  const start = encodeStartTs(startTs)
  const end = endOfPrefix(start)
  return {
    family: 'write',
    timestamps: { from: Math.max(startTs, acknowledged) + 1, until: readTs + 1 },
    values: end === undefined ? { start } : { start, end },
  }
}

const PAGE_CELLS = 32
