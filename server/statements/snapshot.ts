// SPDX-License-Identifier: Apache-2.0
import type { Catalog, Storage, Timestamp, Transaction } from '../../storage/storage.ts'

export type Snapshot = { readonly transaction: Transaction; readonly catalog: Catalog }

/**
 * Reads as of a moment, which is said to be of a history, or as it is now. Rejects with StorageError
 * `history_replaced` and `snapshot_too_old`.
 */
export async function inSnapshot<T>(
  storage: Storage,
  asOf: Timestamp | undefined,
  work: (snapshot: Snapshot) => T | Promise<T>,
  history?: string,
): Promise<T> {
  const named = history === undefined ? {} : { history }
  const moment = asOf === undefined ? {} : { asOf, ...named }
  const transaction = await storage.begin({ readOnly: true, ...moment })
  try {
    return await work({ transaction, catalog: await storage.catalog(transaction) })
  } finally {
    transaction.rollback()
  }
}

/** The definitions as of a moment, or as they are now. */
export async function catalogAt(storage: Storage, asOf?: Timestamp): Promise<Catalog> {
  return await inSnapshot(storage, asOf, ({ catalog }) => catalog)
}
