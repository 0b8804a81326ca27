// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { joinedSteps, stepsOf } from '../../cells/embedded-cell-store.ts'
import { inDoubt, isNotApplied, refusalOf } from '../protocol/commit-refusal.ts'
import type { CommitOutcome, CommitRequest } from '../protocol/transaction-protocol.ts'
import { hintSteps } from '../records/notify-cell.ts'
import { fencedOff } from './commit-fences.ts'
import { findForeignLatch, findVersion, type Obstacle, untilGone } from './conflicts.ts'
import type { EmbeddedContext } from './embedded-context.ts'
import { commitStep, type EncodedRow, encodeRow } from './encoded-row.ts'
import { isLarge, latchInTurns, releaseRows } from './latch-in-turns.ts'
import type { LatchOwner } from './latches/latch-table.ts'

/**
 * Commit for a store that applies a batch of many rows as one unit, with this process as its only writer. Percolator's
 * lock, commit timestamp and write record (2.2, Figure 6) are the same, but the lock is a latch in memory, and all rows
 * become visible by one batch on disk.
 *
 *     C1 fences   C2 conflicts   C3 commitTs   C4 latch   C5 queue      one turn, nothing in between
 *     C6 new view   C7 release   C8 tell   C9 answer                    when the batch is on disk
 *
 * A commit that must wait, for the oracle's mark or for a latch, holds nothing and starts again at C1 (J10). A large
 * one has C2 and C4 before, in several turns: all its rows are latched when it takes commitTs, as two-phase commit
 * locks rows before it takes one (I2).
 */
export async function commitOnePhase(
  context: EmbeddedContext,
  request: CommitRequest,
): Promise<CommitOutcome> {
  try {
    const commit = isLarge(context, request) ? undefined : encodedCommit(context, request)
    for (;;) {
      const step =
        commit === undefined
          ? await latchInTurnsAndQueue(context, request)
          : latchAndQueue(context, commit)
      if (step.kind === 'refused') {
        return { kind: 'aborted', reason: step.reason, rows: commit?.rows }
      }
      if (step.kind === 'queued') return await settled(context, step)
      await untilGone(context, step)
    }
  } catch (error) {
    return { kind: 'aborted', reason: refusalOf(error) }
  }
}

type OnePhaseCommit = {
  readonly request: CommitRequest
  readonly rows: readonly EncodedRow[]
}

type Queued = {
  readonly kind: 'queued'
  readonly owner: LatchOwner
  readonly rows: readonly EncodedRow[]
  readonly commitTs: Timestamp
  /** Resolves when the batch is on disk and in the view. */
  readonly applied: Promise<unknown>
}

function encodedCommit(context: EmbeddedContext, request: CommitRequest): OnePhaseCommit {
  const { limits } = context.cellStore
  return { request, rows: request.rows.map((row) => encodeRow(row, request.startTs, limits)) }
}

/**
 * C1 to C5. Not `async`: between the check of the rows and the batch in the queue nothing else of this process may run,
 * and that is the whole proof that no write is overlooked. Everything that can fail fails before the first latch.
 */
function latchAndQueue(context: EmbeddedContext, commit: OnePhaseCommit): Queued | Obstacle {
  const { oracle, latches } = context
  const { request, rows } = commit
  const { startTs } = request
  const fence = fencedOff(context, request) // C1
  if (fence !== undefined) return { kind: 'refused', reason: fence }
  const obstacle = findForeignLatch(latches, rows, startTs) ?? findVersion(context, rows, startTs) // C2
  if (obstacle !== undefined) return obstacle
  const commitTs = oracle.take() // C3
  if (commitTs === undefined) return { kind: 'wait', for: 'fence', until: oracle.markRaised() }
  const owner = latches.latch(startTs, rows) // C4
  return stampAndQueue(context, request, { owner, rows, commitTs })
}

/** The same of a large commit. Resolves in the turn of C1, C3 and C5; the rows have been latched before (C2, C4). */
async function latchInTurnsAndQueue(
  context: EmbeddedContext,
  request: CommitRequest,
): Promise<Queued | Obstacle> {
  const { oracle, latches } = context
  const latched = await latchInTurns(context, request)
  if (latched.kind !== 'latched') return latched
  const { owner, rows } = latched
  try {
    for (;;) {
      const fence = fencedOff(context, request)
      if (fence !== undefined) throw fence
      const commitTs = oracle.take()
      if (commitTs !== undefined) return stampAndQueue(context, request, { owner, rows, commitTs })
      // The oracle's mark never waits for a latch, so there is no deadlock here.
      await untilGone(context, { for: 'fence', until: oracle.markRaised() })
    }
  } catch (error) {
    latches.release(owner, rows)
    throw error
  }
}

/** C5, in the turn in which commitTs was taken: the batch has its position in the queue from then on (J4). */
function stampAndQueue(
  { cellStore, oracle, latches, commitLog }: EmbeddedContext,
  request: CommitRequest,
  latched: Pick<Queued, 'owner' | 'rows' | 'commitTs'>,
): Queued {
  const { owner, rows, commitTs } = latched
  const { startTs, changedSchemas } = request
  latches.stamp(owner, commitTs)
  // Older writers of these tables committed before this turn or meet the fence after it.
  if (changedSchemas.length > 0) oracle.fenceSchemas(changedSchemas, commitTs)
  const { note, steps } = commitLog.noteOf(commitTs, request.rows)
  // The steps of many rows are made when the store asks for them.
  const written = stepsOf(rows, (row) => commitStep(row, { startTs, commitTs }))
  const batch = joinedSteps(written, hintSteps(request, commitTs), steps)
  return { kind: 'queued', ...latched, applied: cellStore.applyAtomically(batch, note) } // C5
}

/**
 * C7 to C9, from the turn on in which the engine answers; it has opened a new view before (C6). A batch that was
 * certainly not applied is never queued again under its old commitTs: readers have passed it since.
 */
async function settled(
  context: EmbeddedContext,
  { owner, rows, commitTs, applied }: Queued,
): Promise<CommitOutcome> {
  const { latches, commitLog } = context
  let refusal: unknown
  try {
    await applied
  } catch (error) {
    // It is unknown whether it is on disk. The engine has given up and the process is about to end: until then no read
    // may see either state, so the latches stay.
    if (!isNotApplied(error)) return inDoubt(context, owner.startTs, error)
    refusal = error
  }
  const isCommitted = refusal === undefined
  latches.settle(owner)
  const released = releaseRows(context, {
    owner,
    rows,
    commitTs: isCommitted ? commitTs : undefined,
  })
  commitLog.settled(commitTs, isCommitted ? 'committed' : 'rolledBack')
  if (released instanceof Promise) await released
  return isCommitted
    ? { kind: 'committed', commitTs }
    : { kind: 'aborted', reason: refusalOf(refusal) }
}
