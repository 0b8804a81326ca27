// SPDX-License-Identifier: Apache-2.0

import type { Timestamp } from '../../cells/cell.ts'
import { CellStoreError, type CheckAndMutate, requireAnswers } from '../../cells/cell-store.ts'
import type { Mutation } from '../../cells/mutation.ts'
import { invariant } from '../../invariant.ts'
import type { ProtocolContext } from '../protocol/protocol-context.ts'
import type { ColumnAddress, RowGroup } from '../records/lock.ts'
import { eraseNotify } from '../records/notify-cell.ts'
import {
  eraseData,
  eraseLock,
  exactLock,
  lockOf,
  setRollback,
  writeRecordOf,
} from '../records/percolator-columns.ts'
import { inPages } from './in-pages.ts'
import type { WriteSet } from './write-set.ts'

/**
 * Rolling back (Percolator 2.2: erasing the locks). Beyond the paper, the primary keeps a rollback record, because a
 * delayed prewrite may still arrive: it finds the record and is refused (I3). Secondaries need none, since their
 * outcome is read from the primary.
 *
 *     bob  7: lock (primary), data     ->   bob  7: rollback
 *     joe  7: lock -> bob, data        ->   (nothing)
 */

/**
 * Rolls back a transaction of this process, the primary first. What fails because the store does not respond is left to
 * those that meet the locks: their owner is no longer committing.
 */
export async function rollBackWriteSet(
  { cellStore, liveness, log }: ProtocolContext,
  { primary, primaryColumn, secondaries, startTs }: WriteSet,
): Promise<void> {
  const owner = {
    primary: { row: primary.row, column: primaryColumn },
    startTs,
    by: Buffer.from(liveness.incarnation, 'hex'),
  }
  try {
    const isCommitted = await cellStore.checkAndMutateRow(
      primary.row,
      rollBackOwnPrimary(primary, owner),
    )
    invariant(!isCommitted, 'I3', { startTs })
    await inPages(secondaries, async (page) => {
      const steps = page.map((group) => ({ row: group.row, ...rollBackSecondary(group, startTs) }))
      requireAnswers(await cellStore.checkAndMutateRows(steps))
    })
  } catch (error) {
    if (!(error instanceof CellStoreError)) throw error
    log.info({ startTs, reason: error.message }, 'a rollback was left to a resolver')
  }
}

/** The step for the transaction's own coordinator. If its condition matches, the transaction is committed instead. */
function rollBackOwnPrimary(
  group: RowGroup,
  owner: { readonly primary: ColumnAddress; readonly startTs: Timestamp; readonly by: Uint8Array },
): CheckAndMutate {
  return {
    when: [writeRecordOf(owner.primary.column, owner.startTs)],
    ifMatched: [],
    otherwise: [
      ...eraseGroup(group, owner.startTs),
      setRollback(owner.primary.column, owner.startTs, owner.by),
    ],
    step: 'rollBack',
  }
}

/** The step for a resolver that saw the lock: only while its bytes are unchanged, so a heartbeat prevents it. */
export function rollBackSeenPrimary(
  seen: { readonly group: RowGroup; readonly lockBytes: Uint8Array },
  owner: { readonly primary: ColumnAddress; readonly startTs: Timestamp; readonly by: Uint8Array },
): CheckAndMutate {
  return {
    when: [exactLock(owner.primary.column, owner.startTs, seen.lockBytes)],
    ifMatched: [
      ...eraseGroup(seen.group, owner.startTs),
      setRollback(owner.primary.column, owner.startTs, owner.by),
    ],
    otherwise: [],
    step: 'rollBack',
  }
}

/**
 * The step for a resolver that saw no primary lock. The absence of the lock is part of the condition: a prewrite that
 * arrives in between must be seen whole, or the other columns of its row group would stay locked for ever.
 */
export function rollBackUnseenPrimary(owner: {
  readonly primary: ColumnAddress
  readonly startTs: Timestamp
  readonly by: Uint8Array
}): CheckAndMutate {
  return {
    when: [
      writeRecordOf(owner.primary.column, owner.startTs),
      lockOf(owner.primary.column, owner.startTs),
    ],
    ifMatched: [],
    otherwise: [setRollback(owner.primary.column, owner.startTs, owner.by)],
    step: 'rollBack',
  }
}

export function rollBackSecondary(group: RowGroup, startTs: Timestamp): CheckAndMutate {
  return {
    when: [lockOf(group.columns[0].column, startTs)],
    ifMatched: eraseGroup(group, startTs),
    otherwise: [],
    step: 'rollBack',
  }
}

/** Nobody else would look for its notify cells, because the log does not name what was rolled back. */
function eraseGroup({ columns, notified = [] }: RowGroup, startTs: Timestamp): Mutation[] {
  const locks = columns.flatMap(({ column, lock }) =>
    lock.content.kind === 'data'
      ? [eraseLock(column, startTs), eraseData(column, startTs)]
      : [eraseLock(column, startTs)],
  )
  return [...locks, ...notified.map((observerId) => eraseNotify(observerId, startTs + 1, startTs))]
}
