// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { RowFilter } from '../../cells/row-filter.ts'
import type { StorageError } from '../../errors.ts'
import type { CommitPhase } from '../../measures.ts'
import { WriteConflict } from '../protocol/commit-refusal.ts'
import { guardsFrom, writesFrom } from '../records/percolator-columns.ts'
import type { EmbeddedContext } from './embedded-context.ts'
import type { EncodedRow } from './encoded-row.ts'
import type { LatchRequest, LatchTable } from './latches/latch-table.ts'

/** Why a commit cannot latch its rows in this turn. */
export type Obstacle =
  | { readonly kind: 'refused'; readonly reason: StorageError }
  /** The commit starts again afterwards; meanwhile it holds nothing (J10). */
  | Waiting

export type Waiting = {
  readonly kind: 'wait'
  readonly for: CommitPhase
  readonly until: Promise<void>
}

/** Waits until the obstacle is gone, without a limit of time. */
export async function untilGone(
  { clock, measures }: Pick<EmbeddedContext, 'clock' | 'measures'>,
  waiting: Omit<Waiting, 'kind'>,
): Promise<void> {
  const beganMs = clock.monotonicMs()
  await waiting.until
  measures.phaseTook(waiting.for, clock.monotonicMs() - beganMs)
}

/**
 * The obstacle of the first latch of another transaction on these rows. If its transaction took commitTs before this
 * one began, the commit waits, so that a client which writes a row twice in succession does not conflict with itself;
 * otherwise it is a conflict. A latch on other columns of the row is waited for too: an observer acknowledges a row
 * that is just being written again.
 */
export function findForeignLatch(
  latches: LatchTable,
  rows: ReadonlyArray<LatchRequest & { readonly row: Uint8Array }>,
  startTs: Timestamp,
): Obstacle | undefined {
  if (latches.size === 0) return undefined
  for (const request of rows) {
    const { row, text, hash } = request
    const owner = latches.ownerOf(text, hash)
    if (owner === undefined) continue
    const { commitTs } = owner
    const isBefore = commitTs !== undefined && commitTs <= startTs
    if (isBefore || !latches.meets(request)) {
      return { kind: 'wait', for: 'latch_wait', until: latches.nextRelease(owner) }
    }
    return { kind: 'refused', reason: new WriteConflict(row, commitTs ?? owner.startTs, 'lock') }
  }
  return undefined
}

/**
 * A version or a guard's stamp since the snapshot (Percolator 2.2, Figure 6, lines 31-32). The rows are not latched;
 * the view is only asked about those that may have one.
 */
export function findVersion(
  { cellStore, latches }: EmbeddedContext,
  rows: readonly EncodedRow[],
  startTs: Timestamp,
): Obstacle | undefined {
  const suspects = rows.filter(({ hash }) => latches.mayBeWrittenSince(hash, startTs))
  if (suspects.length === 0) return undefined
  const images = cellStore.view.readRows(
    suspects.map(({ row }) => row),
    conflictFilter(suspects, startTs),
  )
  for (const [at, image] of images.entries()) {
    if (image === null) continue
    const { row, columns } = suspects[at] as EncodedRow
    const cell = image.cells.find(({ qualifier }) =>
      columns.some((one) => one.column === qualifier),
    )
    if (cell === undefined) continue
    const met = cell.family === 'guard' ? 'guard' : 'write'
    return { kind: 'refused', reason: new WriteConflict(row, cell.timestamp, met) }
  }
  return undefined
}

/** The filter for the cells that conflict with these rows. */
function conflictFilter(rows: readonly EncodedRow[], startTs: Timestamp): RowFilter {
  const names = new Set(rows.flatMap(({ columns }) => columns.map(({ column }) => column)))
  return [...names].flatMap((column) => [writesFrom(column, startTs), guardsFrom(column, startTs)])
}
