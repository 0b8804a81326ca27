// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { CheckAndMutate } from '../../cells/cell-store.ts'
import type { Mutation } from '../../cells/mutation.ts'
import type { LockedColumn, RowGroup } from './lock.ts'
import { eraseGuardsBefore, eraseLock, lockOf, setGuard, setWrite } from './percolator-columns.ts'

/**
 * The step that replaces the locks of a row group by write records (Percolator 2.2, Figure 6, lines 54-57 and 61-63):
 * the commit of the primary, of a secondary, and of a secondary that another process rolls forward. Conditional on
 * the lock, also for secondaries: repeated after a long pause it would otherwise bring back a version that garbage
 * collection has erased (I5).
 */
export function commitRow(
  group: RowGroup,
  stamps: {
    readonly conditionColumn: string
    readonly startTs: Timestamp
    readonly commitTs: Timestamp
    readonly step: 'commit' | 'commitSecondary' | 'rollForward'
  },
): CheckAndMutate {
  return {
    when: [lockOf(stamps.conditionColumn, stamps.startTs)],
    ifMatched: group.columns.flatMap((column) => commitColumn(column, stamps)),
    otherwise: [],
    step: stamps.step,
  }
}

function commitColumn(
  { column, lock }: LockedColumn,
  { startTs, commitTs }: { readonly startTs: Timestamp; readonly commitTs: Timestamp },
): Mutation[] {
  return lock.content.kind === 'guard'
    ? [
        eraseGuardsBefore(column, commitTs),
        setGuard(column, { startTs, commitTs }),
        eraseLock(column, startTs),
      ]
    : [setWrite(column, commitTs, { startTs, content: lock.content }), eraseLock(column, startTs)]
}
