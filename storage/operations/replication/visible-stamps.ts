// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { Clock } from '../../clock.ts'
import { StorageError } from '../../errors.ts'
import { andThen, type MaybePromise } from '../../maybe-promise.ts'
import type { ReadStamp, TimestampOracle } from '../../transactions/oracle/timestamp-oracle.ts'
import { unlessAborted } from '../../unless-aborted.ts'
import type { Standby } from './standby.ts'

/** Up to which timestamp a store can be read, and what waits until it can be read further. */
export interface VisibleStamps {
  /** Every snapshot that begins from now on is at least this new. */
  readonly newest: Timestamp

  /**
   * Resolves when every snapshot that begins afterwards is at least this new; undefined where that is so already.
   * Throws or rejects with StorageError `timestamp_in_future` for a timestamp that no server of this history can have
   * issued, and with the signal's reason.
   */
  reached(timestamp: Timestamp, signal: AbortSignal): MaybePromise<void>
}

type Dependencies = {
  readonly oracle: Pick<TimestampOracle, 'approximateNow' | 'lastSeen' | 'nextToRead'>
  readonly clock: Clock
  /** The next stamp, in this turn; undefined when it must be waited for. */
  readonly stampNow: () => ReadStamp | undefined
}

/**
 * Of a store that issues timestamps itself. A snapshot is newer than all that was issued before, so there is nothing to
 * wait for but the time of a stamp from a clock that is ahead:
 *
 *     issued up to 700; the clock shows 710; asked for 650     visible
 *     asked for 705                                            visible: the next stamp is 710
 *     asked for 800, as a predecessor with another clock gave  waits until the clock shows 800
 *     asked for 10,000,711                                     timestamp_in_future
 */
export class OwnStamps implements VisibleStamps {
  readonly #deps: Dependencies

  constructor(deps: Dependencies) {
    this.#deps = deps
  }

  get newest(): Timestamp {
    return this.#deps.oracle.lastSeen()
  }

  reached(timestamp: Timestamp, signal: AbortSignal): MaybePromise<void> {
    if (timestamp <= this.newest) return undefined
    return andThen(this.#next(signal), (newest) => this.#unlessPassed(timestamp, newest, signal))
  }

  #unlessPassed(timestamp: Timestamp, newest: Timestamp, signal: AbortSignal): MaybePromise<void> {
    if (timestamp <= newest) return undefined
    // While the disk is full no newer timestamp is issued, and the time passes all the same.
    const nowMicros = Math.max(newest, this.#deps.oracle.approximateNow())
    const aheadMicros = timestamp - nowMicros
    if (aheadMicros > CLOCKS_APART_MICROS_MAX) throw inFuture(timestamp, newest)
    const restMs = Math.min(Math.max(aheadMicros / 1_000, LOOK_MS_MIN), LOOK_MS_MAX)
    return this.#deps.clock.sleep(restMs, signal).then(() => this.reached(timestamp, signal))
  }

  #next(signal: AbortSignal): MaybePromise<Timestamp> {
    const stamp = this.#deps.stampNow()
    if (stamp !== undefined) return stamp.timestamp
    const coming = unlessAborted(signal, this.#deps.oracle.nextToRead())
    return coming.then(({ timestamp }) => timestamp)
  }
}

/** Of a store that follows another: what that one said is whole here. */
export class FollowedStamps implements VisibleStamps {
  readonly #standby: Pick<Standby, 'visible' | 'reached'>
  readonly #oracle: Pick<TimestampOracle, 'approximateNow'>

  constructor(
    standby: Pick<Standby, 'visible' | 'reached'>,
    oracle: Pick<TimestampOracle, 'approximateNow'>,
  ) {
    this.#standby = standby
    this.#oracle = oracle
  }

  get newest(): Timestamp {
    return this.#standby.visible
  }

  reached(timestamp: Timestamp, signal: AbortSignal): MaybePromise<void> {
    if (timestamp <= this.newest) return undefined
    const aheadMicros = timestamp - this.#oracle.approximateNow()
    if (aheadMicros > CLOCKS_APART_MICROS_MAX) throw inFuture(timestamp, this.newest)
    return this.#standby.reached(timestamp, signal)
  }
}

function inFuture(minTimestamp: Timestamp, newest: Timestamp): StorageError {
  const message = `The timestamp ${minTimestamp} is newer than any that this store can have issued; the newest is ${newest}.`
  return new StorageError('timestamp_in_future', message, { minTimestamp, newest })
}

/** How far the clocks of two servers of one history, of which the second took over from the first, may be apart. */
const CLOCKS_APART_MICROS_MAX = 10_000_000
const LOOK_MS_MIN = 2
const LOOK_MS_MAX = 500
