// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from './cells/cell.ts'
import { IDEMPOTENCY_MS, isIdempotencyRow } from './idempotency-record.ts'
import { isOfObserver } from './observers/observer-rows.ts'
import type { Expendable } from './operations/garbage-collection/row-garbage.ts'
import type { Catalog } from './tables/catalog/catalog.ts'
import { findAbandonedRows, findGoneObservers } from './tables/rows/abandoned-rows.ts'
import { isSharedLogRow } from './transactions/feed/shared-log-row.ts'
import type { TimestampOracle } from './transactions/oracle/timestamp-oracle.ts'
import { isOutcomeRow } from './transactions/records/transaction-id.ts'
import type { Transaction } from './transactions/transaction.ts'

/**
 * What a collection may take as a whole, in a transaction at the safe point: outcomes and notes of commits from before
 * it, answers that were kept for long enough, rows of dropped tables and observers. Rejects with CellStoreError.
 */
export async function findExpendable(
  transaction: Transaction,
  catalog: Catalog,
  oracle: TimestampOracle,
): Promise<Expendable> {
  const isAbandoned = await findAbandonedRows(transaction, catalog)
  const isGone = await findGoneObservers(transaction, catalog)
  const { timestamp: newest } = await oracle.nextToRead()
  // Answers that were kept while timestamps were right are not older than the clock says.
  const answersUntil = Math.min(newest, oracle.wallClock.micros()) - IDEMPOTENCY_MS * 1000
  const row = (rowKey: Uint8Array, commitTs: Timestamp) =>
    isOutcomeRow(rowKey) ||
    isSharedLogRow(rowKey) ||
    isAbandoned(rowKey) ||
    isOfObserver(rowKey, isGone) ||
    (isIdempotencyRow(rowKey) && commitTs < answersUntil)
  return { row, observer: isGone }
}
