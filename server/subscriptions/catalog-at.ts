// SPDX-License-Identifier: Apache-2.0
import type { Catalog, Storage, Timestamp } from '../../storage/storage.ts'

/** The definitions as of a moment, or as they are now. Rejects with StorageError `snapshot_too_old`. */
export async function catalogAt(storage: Storage, asOf?: Timestamp): Promise<Catalog> {
  const moment = asOf === undefined ? { readOnly: true } : { asOf }
  const transaction = await storage.begin(moment)
  try {
    return await storage.catalog(transaction)
  } finally {
    transaction.rollback()
  }
}
