// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cell-store/cell.ts'
import { joinedSteps, stepsOf } from '../../cell-store/embedded-cell-store.ts'
import { invariant } from '../../invariant.ts'
import { inDoubt, isNotApplied, refusalOf } from '../protocol/commit-refusal.ts'
import type { CommitOutcome, CommitRequest } from '../protocol/transaction-protocol.ts'
import { hintSteps } from '../records/notify-cell.ts'
import { fencedOff } from './commit-fences.ts'
import type { EmbeddedContext } from './embedded-context.ts'
import { commitStep } from './encoded-row.ts'
import { untilGone } from './foreign-latch.ts'
import { type Latched, latchInTurns, releaseInTurns } from './latch-in-turns.ts'

/**
 * One-phase commit of very many rows. Each turn checks and latches some of them, without a commit timestamp, as
 * two-phase commit locks rows before it takes one (I2). When all are latched, one turn checks the fences, takes
 * commitTs, writes it into the latches, and queues the one batch, whose steps are made as the store asks for them.
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
      await untilGone(context, step)
    }
  } catch (error) {
    return { kind: 'aborted', reason: refusalOf(error) }
  }
}

async function stampAndQueue(
  context: EmbeddedContext,
  request: CommitRequest,
  { owner, rows }: Latched,
): Promise<CommitOutcome> {
  const { cellStore, oracle, latches, commitLog } = context
  const { startTs, changedSchemas } = request
  let commitTs: Timestamp | undefined
  try {
    for (;;) {
      const reason = fencedOff(context, request)
      if (reason !== undefined) throw reason
      commitTs = oracle.take()
      if (commitTs !== undefined) break
      // The oracle's mark never waits for a latch, so there is no deadlock here.
      await untilGone(context, { for: 'fence', until: oracle.markRaised() })
    }
  } catch (error) {
    latches.release(owner, rows)
    throw error
  }
  latches.stamp(owner, commitTs)
  if (changedSchemas.length > 0) oracle.fenceSchemas(changedSchemas, commitTs)
  // Its position in the queue is taken now (J4); the store asks for the steps when it reaches them.
  const steps = stepsOf(rows, (row) => commitStep(row, { startTs, commitTs }))
  const noted = commitLog.noteOf(commitTs, request.rows)
  const batch = joinedSteps(steps, hintSteps(request, commitTs), noted.steps)
  const applied = cellStore.applyAtomically(batch, noted.note)
  return await settledInTurns(context, { owner, rows }, applied)
}

/** As `settled` of one-phase commit, but each turn releases some latches. */
async function settledInTurns(
  context: EmbeddedContext,
  { owner, rows }: Pick<Latched, 'owner' | 'rows'>,
  applied: Promise<unknown>,
): Promise<CommitOutcome> {
  const { latches, commitLog } = context
  const { commitTs } = owner
  invariant(commitTs !== undefined, 'J4', { startTs: owner.startTs })
  let refusal: unknown
  try {
    await applied
  } catch (error) {
    // It is unknown whether it is on disk, so the latches stay until the process has ended.
    if (!isNotApplied(error)) return inDoubt(context, owner.startTs, error)
    refusal = error
  }
  latches.settle(owner)
  commitLog.settled(commitTs, refusal === undefined ? 'committed' : 'rolledBack')
  await releaseInTurns(context, owner, rows)
  if (refusal !== undefined) throw refusal
  return { kind: 'committed', commitTs }
}
