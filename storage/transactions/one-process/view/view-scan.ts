// SPDX-License-Identifier: Apache-2.0
import type { Row, Timestamp } from '../../../cells/cell.ts'
import type { CellView, Chunk } from '../../../cells/embedded-cell-store.ts'
import type { RowFilter } from '../../../cells/row-filter.ts'
import { type MaybePromise, waitedFor } from '../../../maybe-promise.ts'
import { nextTurn } from '../../../turns/turns.ts'
import type { SnapshotRange } from '../../protocol/transaction-protocol.ts'
import { valueParts } from '../../records/value-parts.ts'
import type { SnapshotRow } from '../../records/version.ts'
import type { EmbeddedContext } from '../embedded-context.ts'
import type { LatchOwner } from '../latches/latch-table.ts'
import { untilReleased } from '../latches/latch-wait.ts'
import { longBytesOf, rowInView } from './view-values.ts'

/** What a scan needs of the snapshot at which it reads; see `ViewSnapshot`. */
export type ScannedSnapshot = {
  readonly readTs: Timestamp
  filter(columns: readonly string[]): RowFilter
  checkReadable(): void
}

/**
 * Scans at the snapshot, one chunk per turn; between two chunks nothing of the store is held. A latch in the range that
 * a chunk covers counts whether or not the view has its row: it may be of a row that is just being inserted. Each row
 * is as of the snapshot whenever it is read, so the chunks together are one snapshot.
 */
export function* scanView(
  context: EmbeddedContext,
  snapshot: ScannedSnapshot,
  range: SnapshotRange,
): Generator<MaybePromise<readonly SnapshotRow[]>, void, undefined> {
  const { signal } = range
  let left = range.limit ?? Number.POSITIVE_INFINITY
  // Many scans end early, so without a limit the first chunk is small.
  let rowsMax = Math.min(range.limit ?? CHUNK_ROWS_FIRST, CHUNK_ROWS_MAX)
  let rest: Chunk['rest'] = { start: range.start, end: range.end }
  while (rest !== undefined && left > 0) {
    signal?.throwIfAborted()
    snapshot.checkReadable()
    const chunk: Chunk = context.cellStore.view.readChunk({
      start: rest.start,
      ...(rest.end === undefined ? {} : { end: rest.end }),
      reverse: range.reverse ?? false,
      filter: snapshot.filter(range.columns),
      rowsMax,
      bytesMax: CHUNK_BYTES_MAX,
    })
    const owner = hidingIn(context, snapshot, { range, from: rest, to: chunk.rest })
    if (owner !== undefined) {
      const covered = { range, from: rest, to: chunk.rest, owner }
      yield* waitedFor(untilNoneHides(context, snapshot, covered))
      continue
    }
    let isFirst = true
    for (const part of valueParts(chunk.rows, longBytesOf)) {
      // The first part is in the turn that read the chunk; the later ones are not.
      if (!isFirst) snapshot.checkReadable()
      isFirst = false
      const rows = rowsInView(context.cellStore.view, part)
      if (rows.length > 0) yield rows.length > left ? rows.slice(0, left) : rows
      left -= rows.length
      if (left <= 0) return
    }
    rest = chunk.rest
    rowsMax = Math.min(rowsMax * 2, CHUNK_ROWS_MAX)
    if (rest !== undefined) yield* waitedFor(nextTurn())
  }
}

/** Those of the rows that are not deleted, in this turn. */
function rowsInView(view: CellView, rows: readonly Row[]): SnapshotRow[] {
  const present: SnapshotRow[] = []
  for (const row of rows) {
    const found = rowInView(view, row)
    if (found !== null) present.push(found)
  }
  return present
}

/** The part of a range that a chunk covers: up to where its rest begins, or all of it. */
type Covered = {
  readonly range: SnapshotRange
  readonly from: NonNullable<Chunk['rest']>
  readonly to: Chunk['rest']
}

/**
 * Waits while any latch hides a row of the chunk, first for `owner`. A large commit releases its latches over many
 * turns, and the chunk need not be read again after each of them.
 */
async function untilNoneHides(
  context: EmbeddedContext,
  snapshot: ScannedSnapshot,
  { owner, ...covered }: Covered & { readonly owner: LatchOwner },
): Promise<void> {
  let hiding: LatchOwner | undefined = owner
  while (hiding !== undefined) {
    await untilReleased(context.latches, hiding, covered.range.signal)
    hiding = hidingIn(context, snapshot, covered)
  }
}

/** The owner of a latch that hides a row of the chunk, or undefined. */
function hidingIn(
  { latches }: EmbeddedContext,
  { readTs }: ScannedSnapshot,
  { range, from, to }: Covered,
): LatchOwner | undefined {
  if (to === undefined) return latches.hidingBetween(from.start, from.end, readTs)
  return range.reverse === true
    ? latches.hidingBetween(to.end ?? from.start, from.end, readTs)
    : latches.hidingBetween(from.start, to.start, readTs)
}

const CHUNK_ROWS_FIRST = 64
const CHUNK_ROWS_MAX = 512
const CHUNK_BYTES_MAX = 1024 * 1024
