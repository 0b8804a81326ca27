// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from '../cell-store/cell-store.ts'
import { InvariantViolation } from '../invariant.ts'
import { readTransactionStatus } from '../transaction/percolator/transaction-status.ts'
import { isPrimaryOf, type LockedColumn } from '../transaction/records/lock.ts'
import { cellOfLock } from './column-history.ts'
import type { ConsistencyProblem } from './consistency-report.ts'
import { problemAt } from './row-image.ts'
import { readFences } from './store-rows.ts'

/**
 * I6: a lock's primary names itself, or has been decided. The primary is read after the lock was:
 * what decides it stands there until no lock of the transaction is left, so that while the store is
 * written nothing is taken for a problem that is none.
 */
export async function checkPrimary(
  cellStore: CellStore,
  row: Uint8Array,
  locking: LockedColumn,
): Promise<ConsistencyProblem[]> {
  const { column, lock } = locking
  if (isPrimaryOf(lock, { row, column })) return []
  const found = (rule: string, message: string) => [
    problemAt(row, cellOfLock(locking), rule, message),
  ]
  try {
    const status = await readTransactionStatus(cellStore, lock)
    if (status.kind !== 'missing') return []
  } catch (error) {
    if (!(error instanceof InvariantViolation)) throw error
    return found(error.rule, `Its primary cannot be read: ${error.message}`)
  }
  const { safePoint } = await readFences(cellStore)
  if (lock.startTs < safePoint) return []
  return found('I6', 'Its primary has neither a lock nor a record of its transaction.')
}
