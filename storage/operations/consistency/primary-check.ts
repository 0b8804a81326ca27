// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from '../../cells/cell-store.ts'
import { InvariantViolation } from '../../invariant.ts'
import { readTransactionStatus } from '../../transactions/percolator/transaction-status.ts'
import { isPrimaryOf, type LockedColumn } from '../../transactions/records/lock.ts'
import { cellOfLock } from './column-history.ts'
import type { ConsistencyProblem } from './consistency-report.ts'
import { problemAt } from './row-image.ts'

/**
 * I6: a lock's primary can be read, and a lock there names itself. It may know nothing of the transaction: its prewrite
 * is on the way, or its gateway died before; then whoever meets the lock rolls it back.
 */
export async function checkPrimary(
  cellStore: CellStore,
  row: Uint8Array,
  locking: LockedColumn,
): Promise<ConsistencyProblem[]> {
  const { column, lock } = locking
  if (isPrimaryOf(lock, { row, column })) return []
  try {
    await readTransactionStatus(cellStore, lock)
    return []
  } catch (error) {
    if (!(error instanceof InvariantViolation)) throw error
    const message = `Its primary cannot be read: ${error.message}`
    return [problemAt(row, cellOfLock(locking), error.rule, message)]
  }
}
