// SPDX-License-Identifier: Apache-2.0
import type { Cell, Timestamp } from '../../cells/cell.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import { intact, invariant } from '../../invariant.ts'
import type { ChangeFeed, FeedCommit } from '../../transactions/feed/change-feed.ts'
import { NOTED_BEFORE_MAX, sharedLogRow } from '../../transactions/feed/shared-log-row.ts'
import { contentOf } from '../../transactions/percolator/write-set.ts'
import { decodeWriteRecord, encodeWriteRecord } from '../../transactions/records/write-record.ts'
import type { RowWriter } from './row-writer.ts'

/**
 * Notes the commits after a position in the log of another store, which has the form of the log of processes that share
 * one. So positions from there on stay valid (J12). Resolves to the position up to which all are noted. Rejects as
 * `ChangeFeed.read` does, with CellStoreError, and with the signal's reason.
 */
export async function noteCommits(
  { cellStore, feed }: { readonly cellStore: CellStore; readonly feed: ChangeFeed },
  writer: RowWriter,
  after: Timestamp,
  signal: AbortSignal | undefined,
): Promise<Timestamp> {
  const options = { rowsMax: PAGE_ROWS, ...(signal === undefined ? {} : { signal }) }
  for (let position = after; ; ) {
    const page = await feed.read(position, options)
    for (const commit of page.commits) await noteCommit(cellStore, writer, commit)
    position = page.position
    if (page.isCaughtUp) return position
  }
}

async function noteCommit(
  cellStore: CellStore,
  writer: RowWriter,
  { commitTs, rows }: FeedCommit,
): Promise<void> {
  const startTs = await startOf(cellStore, { commitTs, rows })
  const notedAt = Math.max(startTs, commitTs - NOTED_BEFORE_MAX / 2)
  const { key, writes } = sharedLogRow({ notedAt, startTs }, rows)
  const cells: Cell[] = []
  for (const [qualifier, write] of writes) {
    const content = contentOf(write, cellStore.limits)
    invariant(content.kind !== 'guard', 'J9', { commitTs })
    const value = encodeWriteRecord({ startTs, content })
    cells.push({ family: 'write', qualifier, timestamp: commitTs, value })
    if (content.kind === 'data' && write.kind === 'put') {
      cells.push({ family: 'data', qualifier, timestamp: startTs, value: write.value })
    }
  }
  await writer.write(key, cells)
}

/** The beginning of the transaction, by the version that it left in a row that it changed. */
async function startOf(cellStore: CellStore, { commitTs, rows }: FeedCommit): Promise<Timestamp> {
  const timestamps = { from: commitTs, until: commitTs + 1 }
  const keys = rows.slice(0, 1).map(({ key }) => key)
  const [row] = await cellStore.readRows(keys, [{ family: 'write', timestamps }])
  const [cell] = row?.cells ?? []
  intact(cell !== undefined, 'J9', { commitTs, damaged: 'a commit without its version' })
  return decodeWriteRecord(cell.value).startTs
}

const PAGE_ROWS = 1_000
