// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cell-store/cell.ts'
import type { StorageError } from '../errors.ts'
import type { ByteBudget } from './buffer/write-buffer.ts'

export type TransactionOptions = {
  /** Makes the id; asked for once at most, and never by a transaction that nobody names. */
  readonly newId: () => string
  readonly startTs: Timestamp
  /** The time, for now(); `startTs` where nothing is said. */
  readonly now?: Timestamp | undefined
  readonly readOnly: boolean
  /** Why it may not write, where `startTs` is not its own (`TimestampOracle.nextToRead`). */
  readonly writeRefusal?: StorageError | undefined
  /** Whether the outcome can be asked for by the id after the process has ended. */
  readonly keepsOutcome: boolean
  /** What bounds its buffered bytes; without it, the budget of all that have none of their own. */
  readonly budget?: ByteBudget | undefined
}
