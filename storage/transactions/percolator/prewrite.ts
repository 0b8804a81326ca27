// SPDX-License-Identifier: Apache-2.0
import type { Cell, Timestamp } from '../../cells/cell.ts'
import {
  type CellStore,
  CellStoreError,
  type CheckAndMutate,
  mayBeSentAgain,
  type RowStep,
  type StepAnswer,
} from '../../cells/cell-store.ts'
import type { Mutation } from '../../cells/mutation.ts'
import { StorageError } from '../../errors.ts'
import { Backoff } from '../protocol/backoff.ts'
import { WriteConflict } from '../protocol/commit-refusal.ts'
import type { ProtocolContext } from '../protocol/protocol-context.ts'
import { decodeLock, type Lock } from '../records/lock.ts'
import { setNotify } from '../records/notify-cell.ts'
import {
  anyLock,
  guardsFrom,
  rollbackOf,
  setData,
  setLock,
  writesFrom,
} from '../records/percolator-columns.ts'
import { inPages } from './in-pages.ts'
import type { LockResolver } from './lock-resolver.ts'
import type { PrewriteGroup } from './write-set.ts'

/**
 * Phase one on one row (Percolator 2.2, Figure 6, lines 27-39): locks every column of the group unless another
 * transaction wrote or guarded one of them since the snapshot or holds any lock on one, or this transaction has been
 * rolled back. The observers of the row are notified by the same mutation, so that a lock that becomes a write record
 * is never without its notify cells (O1).
 */
export function prewriteStep(group: PrewriteGroup, startTs: Timestamp): CheckAndMutate {
  return {
    when: group.columns.flatMap(({ column }) => [
      writesFrom(column, startTs),
      guardsFrom(column, startTs),
      anyLock(column), // Its own too: a delayed repetition must not overwrite a later heartbeat.
      rollbackOf(column, startTs),
    ]),
    ifMatched: [],
    otherwise: prewriteMutations(group, startTs),
    step: 'prewrite',
  }
}

/** Locks, long values, and the notify cells of the row's observers. */
function prewriteMutations(group: PrewriteGroup, startTs: Timestamp): Mutation[] {
  const locks = group.columns.flatMap(({ column, lock }) => {
    const value = group.values.get(column)
    return value === undefined
      ? [setLock(column, lock)]
      : [setData(column, startTs, value), setLock(column, lock)]
  })
  return [...locks, ...(group.notified ?? []).map((observerId) => setNotify(observerId, startTs))]
}

/**
 * Prewrites the rows, a page of them by one call of the store. Rejects as `prewriteRow`, when no prewrite is under way
 * any more.
 */
export async function prewriteRows(
  context: ProtocolContext,
  resolver: LockResolver,
  groups: readonly PrewriteGroup[],
  startTs: Timestamp,
): Promise<void> {
  await inPages(groups, async (page) => {
    const steps = page.map((group) => ({ row: group.row, ...prewriteStep(group, startTs) }))
    const answers = await answersTo(context.cellStore, steps)
    const ended = await Promise.allSettled(
      page.map((group, at) => prewriteRow(context, resolver, group, startTs, answers[at])),
    )
    const refusal = ended.find((one) => one.status === 'rejected')
    if (refusal !== undefined) throw refusal.reason
  })
}

/** A call that fails as a whole has failed for each. */
async function answersTo(cellStore: CellStore, steps: readonly RowStep[]): Promise<StepAnswer[]> {
  try {
    return await cellStore.checkAndMutateRows(steps)
  } catch (error) {
    if (error instanceof CellStoreError) return steps.map(() => error)
    throw error
  }
}

/**
 * Prewrites one row, or finds out why that is not possible. Locks of dead owners are cleared and the step is repeated;
 * a living owner's lock is a conflict, because no transaction waits for a lock while holding one.
 *
 * Rejects with StorageError `write_conflict` (`row`, `conflictingTimestamp`) or `transaction_rolled_back`, and with
 * CellStoreError when the store does not respond: then the row may or may not be locked, and the transaction must be
 * rolled back. `first` is what the store has said to its step already.
 */
export async function prewriteRow(
  context: ProtocolContext,
  resolver: LockResolver,
  group: PrewriteGroup,
  startTs: Timestamp,
  first?: StepAnswer,
): Promise<void> {
  const step = { row: group.row, ...prewriteStep(group, startTs) }
  const backoff = new Backoff(context, PREWRITE_RETRY)
  for (let answer = first; ; answer = undefined) {
    const foundSomething = await checkAndMutateRepeatedly(context, step, backoff, answer)
    if (!foundSomething) return
    const [row] = await context.cellStore.readRows([group.row], step.when)
    const obstacle = decidePrewrite(row?.cells ?? [], startTs)
    switch (obstacle.kind) {
      case 'ownLock':
        return
      case 'rolledBack':
        throw new StorageError('transaction_rolled_back', 'The transaction was rolled back.')
      case 'conflict':
        throw new WriteConflict(group.row, obstacle.conflictingTs, obstacle.met)
      case 'foreignLock': {
        const resolution = await resolver.resolve(group.row, obstacle.lock)
        if (resolution.kind === 'alive') {
          throw new WriteConflict(group.row, obstacle.lock.startTs, 'lock')
        }
      }
    }
  }
}

/** Pure: the decision on the cells of a row whose prewrite was not applied. */
function decidePrewrite(
  cells: readonly Cell[],
  startTs: Timestamp,
):
  | { readonly kind: 'ownLock' | 'rolledBack' | 'gone' }
  | {
      readonly kind: 'conflict'
      readonly conflictingTs: Timestamp
      readonly met: 'write' | 'guard'
    }
  | { readonly kind: 'foreignLock'; readonly lock: Lock } {
  const find = (...families: Array<Cell['family']>) =>
    cells.find((cell) => families.includes(cell.family))
  const locks = cells.filter((cell) => cell.family === 'lock')
  // An earlier attempt whose answer was lost had succeeded.
  if (locks.some((cell) => cell.timestamp === startTs)) return { kind: 'ownLock' }
  if (find('rollback') !== undefined) return { kind: 'rolledBack' }
  const newer = find('write', 'guard')
  if (newer !== undefined) {
    const met = newer.family === 'guard' ? 'guard' : 'write'
    return { kind: 'conflict', conflictingTs: newer.timestamp, met }
  }
  const [lock] = locks
  if (lock === undefined) return { kind: 'gone' } // It was cleared between the step and this look.
  return { kind: 'foreignLock', lock: decodeLock(lock.timestamp, lock.value) }
}

/** Sends the step again while its answer is lost; it is harmless to apply it twice. */
async function checkAndMutateRepeatedly(
  context: ProtocolContext,
  step: RowStep,
  backoff: Backoff,
  first: StepAnswer | undefined,
): Promise<boolean> {
  for (let answer = first; ; answer = undefined) {
    try {
      if (answer instanceof CellStoreError) throw answer
      return answer ?? (await context.cellStore.checkAndMutateRow(step.row, step))
    } catch (error) {
      if (!mayBeSentAgain(error) || !(await backoff.wait())) throw error
    }
  }
}

const PREWRITE_RETRY = { firstMs: 10, totalMs: 5_000 }
