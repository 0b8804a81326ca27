// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from './cell-store/cell.ts'
import type { StorageError } from './errors.ts'
import type { ReadStamp, TimestampOracle } from './oracle/timestamp-oracle.ts'
import type { Randomness } from './randomness.ts'
import type { BeginOptions } from './storage-options.ts'
import type { Catalog } from './tables/catalog/catalog.ts'
import { snapshotInFuture, snapshotTooOld } from './transaction/protocol/snapshot-age.ts'
import type { SnapshotReads } from './transaction/protocol/transaction-protocol.ts'
import { newTransactionId } from './transaction/records/transaction-id.ts'
import type { TransactionOptions } from './transaction/transaction-options.ts'

/** A moment at which a transaction begins. */
export type TransactionStart = {
  readonly readTs: Timestamp
  /** The time, for now(). */
  readonly now: Timestamp
  /** Why nothing may be written by it, where that is so. */
  readonly writeRefusal?: StorageError | undefined
}

/** What can be read of a snapshot in the turn that began it. */
export type SnapshotNow = TransactionStart & {
  readonly catalog: Catalog
  readonly reads: Pick<SnapshotReads, 'getRowsNow'>
}

/** Makes what a transaction begins with of a stamp of the oracle. */
export class TransactionStarts {
  readonly #outside: { readonly oracle: TimestampOracle; readonly randomness: Randomness }

  constructor(outside: { readonly oracle: TimestampOracle; readonly randomness: Randomness }) {
    this.#outside = outside
  }

  /**
   * Throws StorageError `snapshot_too_old` or `timestamp_in_future` when `asOf` lies outside what can be
   * read. What is read as of a moment is to be as it was then, now() too.
   */
  at(stamp: ReadStamp, options: BeginOptions): TransactionOptions {
    const { asOf } = options
    const readTs = asOf ?? stamp.timestamp
    if (readTs > stamp.timestamp) throw snapshotInFuture(readTs, stamp.timestamp)
    if (readTs < stamp.safePoint) throw snapshotTooOld(readTs, stamp.safePoint)
    const start = asOf === undefined ? this.startOf(stamp) : { readTs, now: asOf }
    return this.optionsOf(start, options)
  }

  optionsOf({ readTs, now, writeRefusal }: TransactionStart, options: BeginOptions) {
    const { randomness } = this.#outside
    return {
      startTs: readTs,
      now,
      newId: () => newTransactionId(readTs, randomness),
      readOnly: options.readOnly === true || options.asOf !== undefined,
      keepsOutcome: options.keepsOutcome === true,
      budget: options.budget,
      writeRefusal,
    } satisfies TransactionOptions
  }

  /**
   * Of a stamp that was taken just now. Its timestamp is the time, unless it lies further from the clock than
   * crashes and busy moments explain: where the clock was ahead once, or the disk is full.
   */
  startOf({ timestamp, writeRefusal }: ReadStamp): TransactionStart {
    const micros = this.#outside.oracle.wallClock.micros()
    const now = Math.abs(timestamp - micros) <= STAMP_OFF_MICROS_MAX ? timestamp : micros
    return { readTs: timestamp, now, writeRefusal }
  }
}

const STAMP_OFF_MICROS_MAX = 10_000_000
