// SPDX-License-Identifier: Apache-2.0
import { eventLoopTurn } from '../cell-store/event-loop-turn.ts'
import { fencedOff } from './commit-fences.ts'
import { refusalOf } from './commit-refusal.ts'
import type { EmbeddedContext } from './embedded-context.ts'
import { commitStep, type EncodedRow, encodeRow } from './encoded-row.ts'
import { findForeignLatch, type Obstacle } from './foreign-latch.ts'
import type { LatchOwner } from './latch-table.ts'
import { conflictFilter, findVersion, settled } from './one-phase-commit.ts'
import type { CommitOutcome, CommitRequest } from './transaction-protocol.ts'

/** A commit of more rows than this is looked at in several turns, so that others have theirs. */
export const COMMIT_TURN_ROWS = 256

/**
 * One-phase commit of very many rows. In each turn some of them are looked at and latched, without a
 * commit timestamp, as two-phase commit locks rows before it takes one (I2). When all are latched, one
 * turn checks the fences, takes commitTs, writes it into the latches, and queues the one batch.
 */
export async function commitLarge(
  context: EmbeddedContext,
  request: CommitRequest,
): Promise<CommitOutcome> {
  try {
    for (;;) {
      const step = await latchInTurns(context, request)
      if (step.kind === 'latched') return await stampAndQueue(context, request, step)
      if (step.kind === 'refused') return { kind: 'aborted', reason: step.reason }
      await step.until
    }
  } catch (error) {
    return { kind: 'aborted', reason: refusalOf(error) }
  }
}

type Latched = {
  readonly kind: 'latched'
  readonly owner: LatchOwner
  readonly rows: readonly EncodedRow[]
}

/** All rows latched; or what stands in the way, and none. */
async function latchInTurns(
  context: EmbeddedContext,
  request: CommitRequest,
): Promise<Latched | Obstacle> {
  const { latches } = context
  const { startTs } = request
  const rows: EncodedRow[] = []
  const owner = latches.latch(startTs, 'onePhase', rows)
  try {
    for (let at = 0; at < request.rows.length; at += COMMIT_TURN_ROWS) {
      const some = request.rows.slice(at, at + COMMIT_TURN_ROWS)
      const encoded = some.map((row) => encodeRow(row, startTs))
      const part = { request, rows: encoded, filter: conflictFilter(encoded, startTs) }
      const obstacle = findForeignLatch(latches, encoded, startTs) ?? findVersion(context, part)
      if (obstacle !== undefined) {
        latches.release(owner, rows)
        return obstacle
      }
      latches.add(owner, encoded)
      rows.push(...encoded)
      await eventLoopTurn()
    }
  } catch (error) {
    latches.release(owner, rows)
    throw error
  }
  return { kind: 'latched', owner, rows }
}

async function stampAndQueue(
  context: EmbeddedContext,
  request: CommitRequest,
  { owner, rows }: Latched,
): Promise<CommitOutcome> {
  const { cellStore, oracle, latches } = context
  const { startTs, changedSchemas } = request
  for (;;) {
    const reason = fencedOff(context, request)
    if (reason !== undefined) {
      latches.release(owner, rows)
      return { kind: 'aborted', reason }
    }
    const commitTs = oracle.take()
    if (commitTs !== undefined) {
      latches.stamp(owner, commitTs)
      if (changedSchemas.length > 0) oracle.fenceSchemas(changedSchemas, commitTs)
      const batch = rows.map((row) => commitStep(row, { startTs, commitTs }))
      const applied = cellStore.applyAtomically(batch)
      const commit = { request, rows, filter: [] }
      return await settled(context, commit, { kind: 'queued', owner, commitTs, applied })
    }
    // The mark waits for nobody who waits for a latch, so nothing can go round in a circle here.
    await oracle.markRaised().catch((error: unknown) => {
      latches.release(owner, rows)
      throw error
    })
  }
}
