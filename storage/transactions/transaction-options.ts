// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cells/cell.ts'
import type { StorageError } from '../errors.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { NotifiedRow } from './buffer/buffered-notifications.ts'
import type { BufferBudget, ByteBudget } from './buffer/write-buffer.ts'
import type { TransactionEnd, TransactionProtocol } from './protocol/transaction-protocol.ts'

/** Of a transaction, which is of the type `Own`. */
export type TransactionDependencies<Own> = {
  readonly protocol: TransactionProtocol
  readonly budget: BufferBudget
  /** The longest value that the store keeps; some engines keep less than a row may have. */
  readonly cellBytesMax: number
  /** Whether a commit locks each row that it writes, since others write to the store as well. */
  readonly locksRows: boolean
  /** Called once, when the transaction ends, whatever the outcome. */
  readonly ended: (transaction: Own, end: TransactionEnd) => void
  /** The error for writes that make the store larger; undefined while the disk has space. */
  readonly roomRefusal?: () => StorageError | undefined
  /** Called when the commit has ended with nothing written. */
  readonly refused?: (reason: StorageError, transaction: Own) => void
  /** Called when the transaction has changed the catalog, for itself so far; the store has the feature at once. */
  readonly changedSchema?: (changing: Own, feature?: 'decimal') => MaybePromise<void>
  /** Called before `ended`, when the transaction has committed and notified observers. */
  readonly notified?: (rows: readonly NotifiedRow[], transaction: Own, commitTs: Timestamp) => void
}

export type TransactionOptions = {
  /** Makes the id; called once at most, and never if the id is not used. */
  readonly newId: () => string
  readonly startTs: Timestamp
  /** The time, for now(); `startTs` by default. */
  readonly now?: Timestamp | undefined
  readonly readOnly: boolean
  /** Why it may not write, where `startTs` is not its own (`TimestampOracle.nextToRead`). */
  /** The catalog's fence as of the stamp of its beginning; undefined where it did not come with one. */
  readonly catalogFence?: Timestamp | undefined
  readonly writeRefusal?: StorageError | undefined
  /** Whether the outcome can be asked for by the id after the process has ended. */
  readonly keepsOutcome: boolean
  /** The bound on its buffered bytes; by default, the budget that all others share. */
  readonly budget?: ByteBudget | undefined
}

/** What ends the waits of a statement, and what it asks after each before it goes on. */
export type StatementWaits = {
  readonly signal?: AbortSignal | undefined
  /** Many may have waited for the same latch, or the same answer of the store, and would all go on in one turn. */
  readonly turns?: { rejoin(): Promise<void> } | undefined
}

/** What was read; where that was waited for, when the statement may go on. */
export function rejoined<T>(read: MaybePromise<T>, { turns }: StatementWaits): MaybePromise<T> {
  if (!(read instanceof Promise) || turns === undefined) return read
  return read.then(async (found) => {
    await turns.rejoin()
    return found
  })
}
