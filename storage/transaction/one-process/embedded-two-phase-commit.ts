// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cell-store/cell.ts'
import { CellStoreError } from '../../cell-store/cell-store.ts'
import {
  joinedSteps,
  type StepList,
  stepsOf,
  unconditionalStep,
} from '../../cell-store/embedded-cell-store.ts'
import { invariant } from '../../invariant.ts'
import type { BufferedRow } from '../buffer/write-buffer.ts'
import { decidePrewrite, prewriteMutations, prewriteStep } from '../percolator/prewrite.ts'
import { rollBackOwnPrimary, rollBackSecondary } from '../percolator/rollback.ts'
import {
  type LockPlan,
  type PrewriteGroup,
  planLocks,
  splitGroups,
} from '../percolator/write-set.ts'
import { inDoubt, isNotApplied, refusalOf, writeConflict } from '../protocol/commit-refusal.ts'
import type { CommitOutcome, CommitRequest } from '../protocol/transaction-protocol.ts'
import { commitMutations } from '../records/commit-row.ts'
import { hintsAtCommit, hintsAtStart } from '../records/notify-cell.ts'
import { fencedOff } from './commit-fences.ts'
import type { EmbeddedContext } from './embedded-context.ts'
import { findForeignLatch, type Obstacle, untilGone } from './foreign-latch.ts'
import { isLarge, latchInTurns, releaseInTurns } from './latch-in-turns.ts'
import type { LatchOwner, LatchRequest } from './latches/latch-table.ts'
import { placedRow } from './latches/latched-rows.ts'
import { applyUntilTaken } from './step-batch.ts'

/**
 * Percolator's two-phase commit (2.2, Figure 6) in the process that owns its store alone. The locks and
 * write records on disk are the paper's, and the primary decides; but every lock has a latch from
 * before its prewrite is queued until its row's outcome is in the view, so nobody looks for locks on
 * disk, and the rows of one phase travel as one batch.
 */
export async function commitTwoPhaseEmbedded(
  context: EmbeddedContext,
  request: CommitRequest,
): Promise<CommitOutcome> {
  const plan = planLocks(request, context.liveness)
  const { startTs } = request
  const { liveness, background, latches, commitLog } = context
  liveness.startedCommit(startTs)
  let isEnding = false
  const endLater = (name: string, rest: () => Promise<void>) => {
    isEnding = true
    background.start(name, () => rest().finally(() => liveness.endedCommit(startTs)))
  }
  try {
    const { commit, owner } = await lockRows(context, request, plan)
    const decided = await decide(context, commit, owner)
    if (decided.kind === 'unknown') return decided
    latches.settle(owner)
    if (decided.kind === 'aborted') {
      if (owner.commitTs !== undefined) commitLog.settled(owner.commitTs, 'rolledBack')
      endLater('roll back', () => rollBack(context, commit, owner))
      return decided
    }
    latches.release(owner, [commit.primary])
    commitLog.settled(decided.commitTs, 'committed')
    if (commit.secondaries.length > 0) {
      endLater('commit secondaries', () =>
        commitSecondaries(context, commit, owner, decided.commitTs),
      )
    }
    return decided
  } catch (error) {
    if (error instanceof InDoubt) return { kind: 'unknown' }
    return { kind: 'aborted', reason: refusalOf(error) }
  } finally {
    if (!isEnding) liveness.endedCommit(startTs)
  }
}

type LatchedGroup = PrewriteGroup & LatchRequest

type LatchedCommit = {
  readonly request: CommitRequest
  readonly primaryColumn: string
  readonly primary: LatchedGroup
  readonly secondaries: readonly LatchedGroup[]
  /** The primary first: it is the only truth that others will ask. */
  readonly groups: readonly LatchedGroup[]
}

/** Nobody knows what is on disk. The process is about to end, and until then the latches stay. */
class InDoubt extends Error {
  override readonly name = 'InDoubt'
}

/**
 * Phase one: all rows locked, or an error and none. The rows are looked at and latched, without a commit
 * timestamp, and then their prewrites queued. What the view shows of a row that nobody has latched is what
 * the writer will find there (J3), so no prewrite of the batch is refused, and none is there without the
 * primary's (I6).
 */
async function lockRows(
  context: EmbeddedContext,
  request: CommitRequest,
  plan: LockPlan,
): Promise<Pick<Prewritten, 'commit' | 'owner'>> {
  for (;;) {
    const step = isLarge(context, request)
      ? await latchInTurnsAndPrewrite(context, request, plan)
      : latchAndPrewrite(context, request, plan)
    if (step.kind === 'refused') throw step.reason
    if (step.kind === 'wait') {
      await untilGone(context, step)
      continue
    }
    const { commit, owner } = step
    try {
      await step.applied
    } catch (error) {
      if (!isNotApplied(error)) {
        inDoubt(context, request.startTs, error)
        throw new InDoubt('prewrite', { cause: error })
      }
      await releaseInTurns(context, owner, commit.groups)
      throw error
    }
    return { commit, owner }
  }
}

type Prewritten = {
  readonly kind: 'prewritten'
  readonly commit: LatchedCommit
  readonly owner: LatchOwner
  readonly applied: Promise<boolean[]>
}

/** In one turn. What can fail fails before the first latch. */
function latchAndPrewrite(
  context: EmbeddedContext,
  request: CommitRequest,
  plan: LockPlan,
): Prewritten | Obstacle {
  const { cellStore, latches } = context
  const { startTs } = request
  const rows = request.rows.map((row) => latchedGroup(plan, row))
  const commit = latchedCommit(request, plan, rows)
  const { groups } = commit
  const batch = prewritesOf(commit)
  // Below the safe point no lock may appear any more: collection has settled all there were.
  const reason = fencedOff(context, request)
  if (reason !== undefined) return { kind: 'refused', reason }
  const obstacle =
    findForeignLatch(latches, groups, startTs) ?? findVersion(context, groups, startTs)
  if (obstacle !== undefined) return obstacle
  const owner = latches.latch(startTs, 'twoPhase', groups)
  return { kind: 'prewritten', commit, owner, applied: queuePrewrites(cellStore, batch) }
}

/**
 * As `latchAndPrewrite`, for very many rows, of which some are looked at and latched each turn. The batch of
 * prewrites is queued when all are latched (J1), and its steps are made as the store asks for them.
 */
async function latchInTurnsAndPrewrite(
  context: EmbeddedContext,
  request: CommitRequest,
  plan: LockPlan,
): Promise<Prewritten | Obstacle> {
  const { cellStore, latches } = context
  const { startTs } = request
  // The safe point passes nobody who has begun to latch, so this is asked in the turn that begins.
  const early = fencedOff(context, request)
  if (early !== undefined) return { kind: 'refused', reason: early }
  const step = await latchInTurns(context, request, {
    kind: 'twoPhase',
    encode: (row) => latchedGroup(plan, row),
    findVersion: (groups) => findVersion(context, groups, startTs),
  })
  if (step.kind !== 'latched') return step
  const { owner, rows } = step
  const reason = fencedOff(context, request)
  if (reason !== undefined) {
    latches.release(owner, rows)
    return { kind: 'refused', reason }
  }
  const commit = latchedCommit(request, plan, rows)
  const applied = queuePrewrites(cellStore, prewritesOf(commit))
  return { kind: 'prewritten', commit, owner, applied }
}

function prewritesOf({ request, groups }: LatchedCommit): StepList {
  const { startTs, hints } = request
  const steps = stepsOf(groups, (group) =>
    unconditionalStep(group.row, prewriteMutations(group, startTs)),
  )
  return joinedSteps(steps, hintsAtStart(hints, startTs))
}

/** The primary's commit is behind it, and a lock without one means nothing to anybody (J11). */
function queuePrewrites(
  cellStore: EmbeddedContext['cellStore'],
  prewrites: StepList,
): Promise<boolean[]> {
  return cellStore.applyAtomically(prewrites, undefined, 'inOrder')
}

/** What would refuse a prewrite: a version or a guard's stamp since the snapshot. */
function findVersion(
  { cellStore, latches }: EmbeddedContext,
  groups: readonly LatchedGroup[],
  startTs: Timestamp,
): Obstacle | undefined {
  for (const group of groups) {
    if (!latches.mayBeWrittenSince(group.place, startTs)) continue
    const [image] = cellStore.view.readRows([group.row], prewriteStep(group, startTs).when)
    if (image == null) continue
    const found = decidePrewrite(image.cells, startTs)
    // A lock would have had a latch, and nobody else rolls this transaction back.
    invariant(found.kind === 'conflict', 'J1', { startTs, found: found.kind })
    return { kind: 'refused', reason: writeConflict(group.row, found.conflictingTs) }
  }
  return undefined
}

/**
 * From the last lock to the commit point. In one turn the fences are checked, commitTs is taken and
 * written into every latch, and the primary's commit is queued: no reader with a later snapshot can
 * miss a write (I2).
 */
async function decide(
  context: EmbeddedContext,
  { request, primary }: LatchedCommit,
  owner: LatchOwner,
): Promise<CommitOutcome> {
  const { cellStore, oracle, latches, commitLog } = context
  const { startTs, changedSchemas } = request
  try {
    for (;;) {
      const reason = fencedOff(context, request)
      if (reason !== undefined) return { kind: 'aborted', reason }
      const commitTs = oracle.take()
      if (commitTs === undefined) {
        await untilGone(context, { for: 'fence', until: oracle.markRaised() })
        continue
      }
      latches.stamp(owner, commitTs)
      if (changedSchemas.length > 0) oracle.fenceSchemas(changedSchemas, commitTs)
      const step = unconditionalStep(primary.row, commitMutations(primary, { startTs, commitTs }))
      // The primary decides for all rows, so their entry in the log comes with it.
      const { note, steps } = commitLog.noteOf(commitTs, request.rows)
      const hints = hintsAtCommit(request.hints, commitTs)
      const batch = joinedSteps([step], [...hints, ...steps])
      await cellStore.applyAtomically(batch, note)
      return { kind: 'committed', commitTs }
    }
  } catch (error) {
    if (error instanceof CellStoreError && !isNotApplied(error)) return { kind: 'unknown' }
    return { kind: 'aborted', reason: refusalOf(error) }
  }
}

async function commitSecondaries(
  context: EmbeddedContext,
  { request: { startTs }, secondaries }: LatchedCommit,
  owner: LatchOwner,
  commitTs: Timestamp,
): Promise<void> {
  const steps = stepsOf(secondaries, (group) =>
    unconditionalStep(group.row, commitMutations(group, { startTs, commitTs })),
  )
  await applyUntilTaken(context, steps)
  await releaseInTurns(context, owner, secondaries)
}

/** Erases all locks; in place of the primary's there is a rollback record then. */
async function rollBack(
  context: EmbeddedContext,
  { request: { startTs }, primary, primaryColumn, secondaries, groups }: LatchedCommit,
  owner: LatchOwner,
): Promise<void> {
  const by = Buffer.from(context.liveness.incarnation, 'hex')
  const address = { row: primary.row, column: primaryColumn }
  const own = rollBackOwnPrimary(primary, { primary: address, startTs, by })
  const others = stepsOf(secondaries, (group) => ({
    row: group.row,
    ...rollBackSecondary(group, startTs),
  }))
  const batch = joinedSteps([{ row: primary.row, ...own }], others)
  const [isCommitted] = await applyUntilTaken(context, batch)
  invariant(isCommitted === false, 'I3', { startTs })
  await releaseInTurns(context, owner, groups)
}

function latchedCommit(
  request: CommitRequest,
  plan: LockPlan,
  rows: readonly LatchedGroup[],
): LatchedCommit {
  const { primary, secondaries } = splitGroups(plan, rows)
  const groups = [primary, ...secondaries]
  return { request, primaryColumn: plan.primary.column, primary, secondaries, groups }
}

function latchedGroup({ groupOf }: LockPlan, row: BufferedRow): LatchedGroup {
  const group = groupOf(row)
  const isGuard = group.columns.every(({ lock }) => lock.content.kind === 'guard')
  return { ...group, ...placedRow(row.text), kind: isGuard ? 'guard' : 'write' }
}
