// SPDX-License-Identifier: Apache-2.0
import type {
  BeginOptions,
  MaybePromise,
  Storage,
  Timestamp,
  Transaction,
} from '../storage/storage.ts'
import type { Catalog } from '../storage/tables/tables.ts'

export type Snapshot = { readonly transaction: Transaction; readonly catalog: Catalog }

/**
 * A transaction of the server itself, or one that a client only looks through: resolves to what `work` made in it. What
 * it has not committed is rolled back. `turns` are of whoever else may have waited for the same timestamp.
 */
export async function inTransaction<T>(
  storage: Pick<Storage, 'begin'>,
  options: BeginOptions,
  work: (transaction: Transaction) => MaybePromise<T>,
  turns?: { rejoin(): Promise<void> },
): Promise<T> {
  const begun = storage.begin(options)
  const transaction = await begun
  try {
    if (begun instanceof Promise) await turns?.rejoin()
    return await work(transaction)
  } finally {
    // Of no effect on one that has committed.
    transaction.rollback()
  }
}

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
  return await inTransaction(storage, { readOnly: true, ...moment }, async (transaction) =>
    work({ transaction, catalog: await storage.catalog(transaction) }),
  )
}

/** The definitions as of a moment, or as they are now. */
export async function catalogAt(storage: Storage, asOf?: Timestamp): Promise<Catalog> {
  return await inSnapshot(storage, asOf, ({ catalog }) => catalog)
}
