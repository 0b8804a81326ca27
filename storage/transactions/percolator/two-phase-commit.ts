// SPDX-License-Identifier: Apache-2.0

import type { Timestamp } from '../../cells/cell.ts'
import { CellStoreError, mayBeSentAgain, type RowStep } from '../../cells/cell-store.ts'
import { storeUnavailableOf } from '../../cells/store-unavailable.ts'
import { StorageError } from '../../errors.ts'
import { invariant } from '../../invariant.ts'
import { CATALOG_SCOPE, type Stamp } from '../oracle/timestamp-oracle.ts'
import { Backoff } from '../protocol/backoff.ts'
import { refusalOf, schemaChanged } from '../protocol/commit-refusal.ts'
import type { Heartbeat } from '../protocol/liveness.ts'
import type { ProtocolContext } from '../protocol/protocol-context.ts'
import { snapshotTooOld } from '../protocol/snapshot-age.ts'
import type { CommitOutcome } from '../protocol/transaction-protocol.ts'
import { hintsAtCommit, hintsAtStart } from '../records/notify-cell.ts'
import { lockOf, setLock } from '../records/percolator-columns.ts'
import { commitPrimary, commitSecondaries } from './commit.ts'
import type { LockResolver } from './lock-resolver.ts'
import { prewriteRows } from './prewrite.ts'
import { rollBackWriteSet } from './rollback.ts'
import type { WriteSet } from './write-set.ts'

/**
 * Percolator's two-phase commit (2.2, Figure 6). Each line is a step of the protocol, and their order makes it correct.
 * A step on many rows is complete for all of them before the next step begins, so no prewrite of ours is still under
 * way when we roll back.
 */
export async function commitTwoPhase(
  context: ProtocolContext,
  resolver: LockResolver,
  writeSet: WriteSet,
): Promise<CommitOutcome> {
  const { startTs, primary, secondaries, hints } = writeSet
  const ended = () => context.liveness.endedCommit(startTs)
  let isLocked = false
  let isBeingFinished = false
  context.liveness.startedCommit(startTs, primaryHeartbeat(context, writeSet))
  try {
    // Together, where the paper locks the primary first: who meets a secondary before its primary has a lock waits
    // while the owner lives, or has the primary refuse a prewrite that comes later (I3).
    await prewriteRows(context, resolver, [primary, ...secondaries], startTs)
    isLocked = true
    await setHints(context, hintsAtStart(hints, startTs))
    // Only after every lock is held, or a reader with a later snapshot could miss a write (I2).
    const stamp = await takeCommitStamp(context, writeSet)
    // Before the commit point, or a crash right after it would lose them.
    await setHints(context, hintsAtCommit(hints, stamp.timestamp))
    const decided = await commitPrimary(context, writeSet, stamp.timestamp) // <- The commit point.
    if (decided === 'unknown') return { kind: 'unknown' }
    isBeingFinished = true
    context.background.start('commit secondaries', () =>
      commitSecondaries(context, writeSet, stamp.timestamp).finally(ended),
    )
    return { kind: 'committed', commitTs: stamp.timestamp }
  } catch (error) {
    // A row that was alone and certainly refused has left no cells, and no other process will look for it.
    const leftNothing = !isLocked && secondaries.length === 0 && !(error instanceof CellStoreError)
    isBeingFinished = storeUnavailableOf(error) !== undefined
    const rollBack = () => rollBackWriteSet(context, writeSet)
    // Its client has waited long enough for a store that does not answer.
    if (isBeingFinished) context.background.start('roll back', () => rollBack().finally(ended))
    else if (!leftNothing) await rollBack()
    return { kind: 'aborted', reason: refusalOf(error) }
  } finally {
    if (!isBeingFinished) ended()
  }
}

/**
 * Takes commitTs with its fences (rule F1). A transaction that changes a table's definition raises that table's
 * schema fence, and the catalog's (F3), twice: before its stamp, so that every writer with the old definition either
 * commits before it or not at all; and to the stamp itself before the commit point, because a snapshot taken in
 * between still reads the old definition. `docs/why/definitions.md` has the reason.
 *
 * The first time the catalog's comes first, and the table's is raised to a stamp that is taken after that (F4). A
 * writer whose stamp came before may go by the definition that it knew, without meeting the lock on the new one; then
 * it began below the table's fence, and will not commit.
 */
async function takeCommitStamp(context: ProtocolContext, writeSet: WriteSet): Promise<Stamp> {
  const { oracle, clock, measures } = context
  const beganMs = clock.monotonicMs()
  const { startTs, schemaScopes, changedSchemas, commitTsMax = Infinity } = writeSet
  const raised = writeSet.changesCatalog ? [...changedSchemas, CATALOG_SCOPE] : changedSchemas
  let catalogFence = 0
  if (writeSet.changesCatalog) {
    catalogFence = (await oracle.next()).timestamp
    await oracle.raiseSchemaFence([CATALOG_SCOPE], catalogFence)
  }
  if (changedSchemas.length > 0) {
    const seen = await oracle.next()
    invariant((seen.catalogFence ?? catalogFence) >= catalogFence, 'F4', { catalogFence, seen })
    await oracle.raiseSchemaFence(changedSchemas, seen.timestamp)
  }
  const stamp = await oracle.next(schemaScopes)
  measures.phaseTook('fence', clock.monotonicMs() - beganMs)
  if (stamp.safePoint > startTs) throw snapshotTooOld(startTs, stamp.safePoint)
  if (stamp.timestamp > commitTsMax) throw tookTooLong(startTs)
  if (raised.length > 0) await oracle.raiseSchemaFence(raised, stamp.timestamp)
  if (changedSchemas.length === 0 && stamp.schemaFence > startTs) {
    throw schemaChanged(startTs, stamp.schemaFence)
  }
  return stamp
}

function tookTooLong(startTs: Timestamp): StorageError {
  return new StorageError(
    'transaction_rolled_back',
    'Locking the rows of this transaction took too long, and the feed would miss its changes.',
    { startTimestamp: startTs },
  )
}

/**
 * Renews the wall time in the primary lock. Conditional on the lock: a late, unconditional heartbeat would restore the
 * lock of a transaction that has been rolled back.
 */
export function primaryHeartbeat(context: ProtocolContext, writeSet: WriteSet): Heartbeat {
  const { primary, primaryColumn, startTs } = writeSet
  const found = primary.columns.find(({ column }) => column === primaryColumn)
  return async () => {
    if (found === undefined) return
    const lock = { ...found.lock, wallMicros: context.liveness.wallMicros() }
    await context.cellStore.checkAndMutateRow(primary.row, {
      when: [lockOf(primaryColumn, startTs)],
      ifMatched: [setLock(primaryColumn, lock)],
      otherwise: [],
      step: 'heartbeat',
    })
  }
}

/**
 * Sets the notify cells that a commit adds to its rows; repeating it is harmless. They may stay whatever the outcome of
 * the commit: a run that finds nothing to do clears them. Rejects with CellStoreError when one may be missing.
 */
async function setHints(context: ProtocolContext, steps: readonly RowStep[]): Promise<void> {
  if (steps.length === 0) return
  const entries = steps.map(({ row, otherwise }) => ({
    row,
    mutations: otherwise,
    step: 'notify' as const,
  }))
  const backoff = new Backoff(context, HINT_RETRY)
  for (;;) {
    const error = await trySetting(context, entries)
    if (error === undefined) return
    if (!mayBeSentAgain(error) || !(await backoff.wait())) throw error
  }
}

async function trySetting(
  { cellStore }: ProtocolContext,
  entries: Parameters<typeof cellStore.mutateRows>[0],
): Promise<unknown> {
  try {
    const answers = await cellStore.mutateRows(entries)
    return answers.find((answer) => answer !== null) ?? undefined
  } catch (error) {
    return error
  }
}

const HINT_RETRY = { firstMs: 10, totalMs: 5_000 }
