// SPDX-License-Identifier: Apache-2.0

import type { Row } from '../../cells/cell.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import { keyAfter } from '../../cells/row-key.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import type { SnapshotRange } from '../protocol/transaction-protocol.ts'
import { valueParts } from '../records/value-parts.ts'
import { bytesToFetch, type SnapshotRow } from '../records/version.ts'
import type { Snapshot } from './snapshot.ts'

/**
 * Scans at the snapshot, page by page; between two pages nothing of the store is held. Each row is as of the snapshot
 * whenever it is read, so the pages together are one snapshot. Rows that have only a lock so far are read as well: the
 * lock may belong to a commit that inserted them.
 */
export async function* scanSnapshot(
  cellStore: CellStore,
  snapshot: Snapshot,
  range: SnapshotRange,
): AsyncGenerator<readonly SnapshotRow[]> {
  let pageRows = Math.min(range.limit ?? Number.POSITIVE_INFINITY, STORAGE_LIMITS.scanPageRows)
  let left = range.limit ?? Number.POSITIVE_INFINITY
  let rest: SnapshotRange | undefined = range
  while (rest !== undefined && left > 0) {
    const images = await readPage(cellStore, snapshot, rest, pageRows)
    const settled = await snapshot.settle(images, range.columns, range.signal)
    // An empty page is also shown to the caller, and may be empty because of garbage collection.
    if (settled.length === 0) await snapshot.checkReadable()
    for (const part of valueParts(settled, bytesToFetch)) {
      const fetched = await snapshot.fetch(part)
      await snapshot.checkReadable()
      const rows = fetched.filter((row) => row !== null)
      if (rows.length > 0) yield rows.length > left ? rows.slice(0, left) : rows
      left -= rows.length
      if (left <= 0) return
    }
    rest = images.length < pageRows ? undefined : remainderAfter(rest, images)
    // A small limit met many deleted rows: the next pages are larger, so they are few.
    pageRows = Math.min(pageRows * 2, STORAGE_LIMITS.scanPageRows)
  }
}

async function readPage(
  cellStore: CellStore,
  snapshot: Snapshot,
  { start, end, reverse = false, columns, signal }: SnapshotRange,
  limit: number,
): Promise<Row[]> {
  return await Array.fromAsync(
    cellStore.scanRows({
      start,
      ...(end === undefined ? {} : { end }),
      reverse,
      filter: snapshot.filter(columns),
      limit,
      ...(signal === undefined ? {} : { signal }),
    }),
  )
}

function remainderAfter(range: SnapshotRange, images: readonly Row[]): SnapshotRange | undefined {
  const last = images.at(-1)
  if (last === undefined) return undefined
  return range.reverse === true
    ? { ...range, end: last.key }
    : { ...range, start: keyAfter(last.key) }
}
