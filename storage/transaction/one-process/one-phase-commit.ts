// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cell-store/cell.ts'
import type { RowFilter } from '../../cell-store/row-filter.ts'
import { inDoubt, isNotApplied, refusalOf, writeConflict } from '../protocol/commit-refusal.ts'
import type { CommitOutcome, CommitRequest } from '../protocol/transaction-protocol.ts'
import { hintSteps } from '../records/notify-cell.ts'
import { guardsFrom, writesFrom } from '../records/percolator-columns.ts'
import { fencedOff } from './commit-fences.ts'
import type { EmbeddedContext } from './embedded-context.ts'
import { commitStep, type EncodedRow, encodeRow } from './encoded-row.ts'
import { findForeignLatch, type Obstacle, untilGone } from './foreign-latch.ts'
import type { LatchOwner } from './latches/latch-table.ts'

/**
 * Commit for a store that applies a batch of many rows as one unit, with this process as its only writer. Percolator's
 * lock, commit timestamp and write record (2.2, Figure 6) are the same, but the lock is a latch in memory, and all rows
 * become visible by one batch on disk.
 *
 *     C1 fences   C2 conflicts   C3 commitTs   C4 latch   C5 queue      one turn, nothing in between
 *     C6 new view   C7 release   C8 tell   C9 answer                    when the batch is on disk
 *
 * A commit that must wait, for the oracle's mark or for a latch, holds nothing and starts again at C1 (J10).
 */
export async function commitOnePhase(
  context: EmbeddedContext,
  request: CommitRequest,
): Promise<CommitOutcome> {
  const rows = request.rows.map((row) => encodeRow(row, request.startTs, context.cellStore.limits))
  const commit: OnePhaseCommit = { request, rows }
  try {
    for (;;) {
      const step = latchAndQueue(context, commit)
      if (step.kind === 'refused') return { kind: 'aborted', reason: step.reason }
      if (step.kind === 'queued') {
        try {
          await step.applied
        } catch (error) {
          return notCommitted(context, commit, step, error)
        }
        return committed(context, commit, step)
      }
      await untilGone(context, step)
    }
  } catch (error) {
    return { kind: 'aborted', reason: refusalOf(error) }
  }
}

export type OnePhaseCommit = {
  readonly request: CommitRequest
  readonly rows: readonly EncodedRow[]
}

type Queued = {
  readonly kind: 'queued'
  readonly owner: LatchOwner
  readonly commitTs: Timestamp
  /** Resolves when the batch is on disk and in the view. */
  readonly applied: Promise<unknown>
}

/**
 * C1 to C5. Not `async`: between the check of the rows and the batch in the queue nothing else of this process may run,
 * and that is the whole proof that no write is overlooked. Everything that can fail fails before the first latch.
 */
function latchAndQueue(context: EmbeddedContext, commit: OnePhaseCommit): Queued | Obstacle {
  const { cellStore, oracle, latches, commitLog } = context
  const { request, rows } = commit
  const { startTs, changedSchemas } = request
  const fence = fencedOff(context, request) // C1
  if (fence !== undefined) return { kind: 'refused', reason: fence }
  const obstacle = findForeignLatch(latches, rows, startTs) ?? findVersion(context, commit) // C2
  if (obstacle !== undefined) return obstacle
  const commitTs = oracle.take() // C3
  if (commitTs === undefined) return { kind: 'wait', for: 'fence', until: oracle.markRaised() }
  const owner = latches.latch(startTs, rows) // C4
  latches.stamp(owner, commitTs)
  // Older writers of these tables committed before this turn or meet the fence after it.
  if (changedSchemas.length > 0) oracle.fenceSchemas(changedSchemas, commitTs)
  const batch = rows.map((row) => commitStep(row, { startTs, commitTs }))
  const { note, steps } = commitLog.noteOf(commitTs, request.rows)
  if (request.hints.length > 0) batch.push(...hintSteps(request, commitTs))
  for (const step of steps) batch.push(step)
  return { kind: 'queued', owner, commitTs, applied: cellStore.applyAtomically(batch, note) } // C5
}

/**
 * A version or a guard's stamp since the snapshot (Percolator 2.2, Figure 6, lines 31-32). The rows are not latched;
 * the view is only asked about those that may have one.
 */
export function findVersion(
  { cellStore, latches }: EmbeddedContext,
  { request: { startTs }, rows }: OnePhaseCommit,
): Obstacle | undefined {
  const suspects = rows.filter(({ slot }) => latches.mayBeWrittenSince(slot, startTs))
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
    if (cell !== undefined) return { kind: 'refused', reason: writeConflict(row, cell.timestamp) }
  }
  return undefined
}

/** C7 to C9, in the turn in which the engine confirms the batch; it has opened a new view before (C6). */
function committed(
  { latches, commitLog }: EmbeddedContext,
  { rows }: OnePhaseCommit,
  { owner, commitTs }: Queued,
): CommitOutcome {
  latches.settle(owner)
  latches.release(owner, rows)
  for (const row of rows) latches.newest.wasCommitted(row, commitTs)
  commitLog.settled(commitTs, 'committed')
  return { kind: 'committed', commitTs }
}

/** As `committed`, for a batch that the engine has refused or whose outcome it does not know. */
function notCommitted(
  context: EmbeddedContext,
  { rows }: OnePhaseCommit,
  { owner, commitTs }: Queued,
  error: unknown,
): CommitOutcome {
  // It is unknown whether it is on disk. The engine has given up and the process is about to end: until then no read
  // may see either state, so the latches stay.
  if (!isNotApplied(error)) return inDoubt(context, owner.startTs, error)
  const { latches, commitLog } = context
  latches.settle(owner)
  latches.release(owner, rows)
  commitLog.settled(commitTs, 'rolledBack')
  return { kind: 'aborted', reason: refusalOf(error) }
}

/** The filter for the cells that conflict with these rows. */
function conflictFilter(rows: readonly EncodedRow[], startTs: Timestamp): RowFilter {
  const names = new Set(rows.flatMap(({ columns }) => columns.map(({ column }) => column)))
  return [...names].flatMap((column) => [writesFrom(column, startTs), guardsFrom(column, startTs)])
}
