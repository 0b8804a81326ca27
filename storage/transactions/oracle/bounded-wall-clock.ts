// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { Clock } from '../../clock.ts'
import type { TrustedClock, TrustedWallClock } from './trusted-wall-clock.ts'

/** By how much clocks of machines that share a store may differ. */
const SLACK_MICROS = 1_000_000

type Anchor = { readonly timestamp: Timestamp; readonly monotonicMs: number }

/**
 * The wall clock of a process that shares its store, as far as the time of the store bears it out: not further ahead
 * of a timestamp that others had reached than what has passed since on the monotonic clock, and a second. Else one
 * gateway whose clock is two days ahead would move all of them there, and everything they hold would count as old.
 *
 *     the counter is at 12:00:00, the clock of this machine at 12:00:00 two days later
 *     10 s later       the time is 12:00:11, and timestamps follow that
 *
 * Who is alone has nothing to compare its clock with, and follows it; `store-time.ts` finds out.
 */
export class BoundedWallClock implements TrustedClock {
  readonly #clock: Clock
  readonly #wall: TrustedWallClock
  #anchor: Anchor

  constructor(clock: Clock, wall: TrustedWallClock) {
    this.#clock = clock
    this.#wall = wall
    this.#anchor = { timestamp: wall.micros(), monotonicMs: clock.monotonicMs() }
  }

  micros(): number {
    return Math.min(this.#wall.micros(), this.#latest)
  }

  get offsetMicros(): number {
    return this.#wall.offsetMicros
  }

  /** By how much the wall clock is ahead of what the store bears out; 0 while it is followed. */
  get aheadMicros(): number {
    return Math.max(0, this.#wall.micros() - this.#latest)
  }

  /**
   * A timestamp of the store was seen. It counts where this clock agrees with it, so that the two clocks of a machine
   * may drift; and where others have raised it, as it is ahead of all that this process may raise it to.
   */
  saw(timestamp: Timestamp): void {
    const agrees = Math.abs(this.#wall.micros() - timestamp) <= SLACK_MICROS
    if (agrees || timestamp > this.#latest + SLACK_MICROS / 2) this.reached(timestamp)
  }

  /** The store has got to this timestamp now, and no further as far as is known. */
  reached(timestamp: Timestamp): void {
    this.#anchor = { timestamp, monotonicMs: this.#clock.monotonicMs() }
  }

  /** Nobody else uses the store. */
  isAlone(): void {
    this.reached(this.#wall.micros())
  }

  /** A whole number of microseconds. */
  get #latest(): Timestamp {
    const { timestamp, monotonicMs } = this.#anchor
    const passedMicros = (this.#clock.monotonicMs() - monotonicMs) * 1_000
    return Math.floor(timestamp + passedMicros + SLACK_MICROS)
  }
}
