// SPDX-License-Identifier: Apache-2.0
import type { Cell, Timestamp } from '../../cells/cell.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import { intact, invariant } from '../../invariant.ts'
import {
  type ColumnAddress,
  decodeLock,
  isPrimaryOf,
  type Lock,
  type RowGroup,
  rowGroupOfCells,
} from '../records/lock.ts'
import { rollbackOf, rowGroupOf, writeRecordOf } from '../records/percolator-columns.ts'

/**
 * What the primary says of its transaction; it alone decides (Percolator 2.2). `missing`: neither a lock nor a record;
 * its prewrite may still be on the way.
 */
export type TransactionStatus =
  | { readonly kind: 'committed'; readonly commitTs: Timestamp }
  | { readonly kind: 'rolledBack' }
  | {
      readonly kind: 'locked'
      readonly lock: Lock
      /** The bytes of the primary lock as they were read, for a condition on exactly them. */
      readonly lockBytes: Uint8Array
      readonly group: RowGroup
    }
  | { readonly kind: 'missing' }

/** Reads the primary's row once. Rejects with CellStoreError. */
export async function readTransactionStatus(
  cellStore: CellStore,
  transaction: { readonly primary: ColumnAddress; readonly startTs: Timestamp },
): Promise<TransactionStatus> {
  const { primary, startTs } = transaction
  const [row] = await cellStore.readRows(
    [primary.row],
    [
      writeRecordOf(primary.column, startTs),
      rollbackOf(primary.column, startTs),
      ...rowGroupOf(startTs),
    ],
  )
  return statusOfCells(row?.cells ?? [], transaction)
}

/** Pure: the decision on the cells of the primary's row that concern this transaction. */
function statusOfCells(
  cells: readonly Cell[],
  { primary, startTs }: { readonly primary: ColumnAddress; readonly startTs: Timestamp },
): TransactionStatus {
  const ofPrimary = cells.filter((cell) => cell.qualifier === primary.column)
  const write = ofPrimary.find((cell) => cell.family === 'write')
  const rollback = ofPrimary.find((cell) => cell.family === 'rollback')
  invariant(write === undefined || rollback === undefined, 'I3', { startTs })
  // The commit record comes first: even if there is also a lock, the transaction is committed, and rolling forward
  // repairs the row.
  if (write !== undefined) return { kind: 'committed', commitTs: write.timestamp }
  if (rollback !== undefined) return { kind: 'rolledBack' }
  const lockCell = ofPrimary.find((cell) => cell.family === 'lock')
  const group = rowGroupOfCells(primary.row, cells)
  if (lockCell === undefined || group === undefined) return { kind: 'missing' }
  const lock = decodeLock(startTs, lockCell.value)
  intact(isPrimaryOf(lock, primary), 'I6', { startTs, column: primary.column })
  return { kind: 'locked', lock, lockBytes: lockCell.value, group }
}
