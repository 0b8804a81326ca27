// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cells/cell.ts'
import type { StorageError } from '../errors.ts'
import type { MaybePromise } from '../maybe-promise.ts'
import type { ByteBudget } from './buffer/write-buffer.ts'

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
