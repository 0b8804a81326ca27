// SPDX-License-Identifier: Apache-2.0
import type { Database } from 'better-sqlite3'
import type { SqliteTransactions } from '../groups/transactions.ts'
import type { BatchFailure } from '../groups/write-batch.ts'

/** A few milliseconds, in which no group is committed. */
const RECLAIMED_BYTES_MAX = 2 * 2 ** 20

/** What became of an attempt to give space back, and how many bytes were. */
export type Reclaimed = { readonly failure: BatchFailure | null; readonly bytes: number }

/**
 * Gives up to two MiB of free pages back to the file system. It is a transaction like any other, and so nothing
 * happens on a connection whose COMMIT is in doubt.
 */
export function reclaimPages(database: Database, transactions: SqliteTransactions): Reclaimed {
  const setting = (name: string) => database.pragma(name, { simple: true }) as number
  const result = transactions.inOne(() => {
    const before = setting('freelist_count')
    const pageBytes = setting('page_size')
    if (before > 0) database.pragma(`incremental_vacuum(${RECLAIMED_BYTES_MAX / pageBytes})`)
    return (before - setting('freelist_count')) * pageBytes
  })
  if (!result.done) return { failure: result.failure, bytes: 0 }
  return { failure: null, bytes: result.answer }
}
