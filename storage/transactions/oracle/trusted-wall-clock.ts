// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '../../clock.ts'
import type { StorageLog } from '../../storage-log.ts'

const JUMP_MICROS_MAX = 10_000_000
/** How long a wall clock that has jumped must run evenly with the monotonic one. */
const TRIAL_MS = 60_000
/** How far it may deviate meanwhile: time servers let a clock run faster or slower to put it right. */
const UNEVEN_MICROS_MAX = 1_000_000
/** One that leaps further ahead is not followed while the process runs; the next start asks for a flag. */
export const AHEAD_MICROS_MAX = 30 * 24 * 3600 * 1_000_000

/** The time as the store takes it. */
export interface TrustedClock {
  /** Whole microseconds since 1970. */
  micros(): number
  /** By how much the wall clock is ahead of it; 0 while it is followed. */
  readonly offsetMicros: number
  /** By how much it is ahead of the other processes of the store, and not followed; absent where there are none. */
  readonly aheadMicros?: number
}

/**
 * The wall clock as far as it is to be believed. One that jumps is followed when it has run evenly with the
 * monotonic clock for a minute, and until then the monotonic clock alone says how time goes on: a leap ahead
 * that is taken back soon after must not leave timestamps in the future.
 *
 *     monotonic  0 s   wall 12:00:00   -> 12:00:00
 *     monotonic  5 s   wall 13:00:05   -> 12:00:05, and a warning (a laptop that slept, or a wrong time server)
 *     monotonic 64 s   wall 13:01:04   -> 12:01:04
 *     monotonic 65 s   wall 13:01:05   -> 13:01:05, and it is said that it is followed again
 *
 * A clock that falls back is treated the same. Timestamps never fall back: the oracle continues from its last one.
 */
export class TrustedWallClock implements TrustedClock {
  readonly #clock: Clock
  readonly #log: StorageLog
  /** The last moment at which both clocks agreed. */
  #agreedWallMicros: number
  #agreedMonotonicMs: number
  /** A wall clock that has jumped, and how it has stood to the monotonic one since then. */
  #trial: { readonly sinceMs: number; readonly offsetMicros: number } | undefined
  #offsetMicros = 0

  constructor(clock: Clock, log: StorageLog) {
    this.#clock = clock
    this.#log = log
    this.#agreedWallMicros = clock.wallMicros()
    this.#agreedMonotonicMs = clock.monotonicMs()
  }

  get offsetMicros(): number {
    this.micros()
    return this.#offsetMicros
  }

  micros(): number {
    const wallMicros = this.#clock.wallMicros()
    // The wall clock goes on once in a millisecond, and a timestamp takes a fraction of a microsecond.
    if (wallMicros === this.#agreedWallMicros && this.#trial === undefined) return wallMicros
    const monotonicMs = this.#clock.monotonicMs()
    const elapsedMicros = (monotonicMs - this.#agreedMonotonicMs) * 1000
    const expectedMicros = Math.floor(this.#agreedWallMicros + elapsedMicros)
    const aheadMicros = wallMicros - expectedMicros
    if (Math.abs(aheadMicros) <= JUMP_MICROS_MAX || this.#isTried(aheadMicros, monotonicMs)) {
      if (this.#trial !== undefined) this.#log.info({}, 'the wall clock is followed again')
      this.#trial = undefined
      this.#offsetMicros = 0
      this.#agreedWallMicros = wallMicros
      this.#agreedMonotonicMs = monotonicMs
      return wallMicros
    }
    this.#offsetMicros = aheadMicros
    return expectedMicros
  }

  /** Whether a clock that has jumped has run evenly for long enough. */
  #isTried(aheadMicros: number, monotonicMs: number): boolean {
    const trial = this.#trial
    if (trial === undefined) this.#say(aheadMicros)
    const isEven =
      trial !== undefined && Math.abs(aheadMicros - trial.offsetMicros) <= UNEVEN_MICROS_MAX
    if (!isEven) {
      this.#trial = { sinceMs: monotonicMs, offsetMicros: aheadMicros }
      return false
    }
    return monotonicMs - trial.sinceMs >= TRIAL_MS && aheadMicros <= AHEAD_MICROS_MAX
  }

  #say(aheadMicros: number): void {
    const seconds = Math.round(aheadMicros / 1_000_000)
    const when =
      aheadMicros <= AHEAD_MICROS_MAX
        ? 'it is followed when it has run evenly for a minute'
        : 'it is not followed; a start with --accept-clock takes it'
    this.#log.warn({ seconds }, `the wall clock has jumped; ${when}`)
  }
}
