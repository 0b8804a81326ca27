// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from './cells/cell.ts'
import type { Randomness } from './randomness.ts'
import type { BeginOptions } from './storage-options.ts'
import type { ReadStamp, TimestampOracle } from './transactions/oracle/timestamp-oracle.ts'
import type { Liveness } from './transactions/protocol/liveness.ts'
import { snapshotInFuture, snapshotTooOld } from './transactions/protocol/snapshot-age.ts'
import { newTransactionId } from './transactions/records/transaction-id.ts'
import type { TransactionOptions } from './transactions/transaction-options.ts'

type Dependencies = {
  readonly oracle: TimestampOracle
  readonly randomness: Randomness
  readonly liveness: Pick<Liveness, 'incarnation'>
}

/** Makes what a transaction begins with of a stamp of the oracle. */
export class TransactionStarts {
  readonly #deps: Dependencies

  constructor(deps: Dependencies) {
    this.#deps = deps
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
    const { randomness, liveness } = this.#deps
    return {
      startTs: readTs,
      now: asOf ?? this.#timeOf(stamp),
      newId: () => newTransactionId(readTs, liveness.incarnation, randomness),
      readOnly: options.readOnly === true || asOf !== undefined,
      keepsOutcome: options.keepsOutcome === true,
      budget: options.budget,
      writeRefusal: asOf === undefined ? stamp.writeRefusal : undefined,
      catalogFence: stamp.catalogFence,
    }
  }

  /**
   * The time, for now(): the timestamp of a stamp that was taken just now, unless it lies further from the clock than
   * crashes and busy moments explain: where the clock was ahead once, or the disk is full.
   */
  #timeOf({ timestamp }: ReadStamp): Timestamp {
    const micros = this.#deps.oracle.wallClock.micros()
    return Math.abs(timestamp - micros) <= STAMP_OFF_MICROS_MAX ? timestamp : micros
  }
}

const STAMP_OFF_MICROS_MAX = 10_000_000
