// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '../clock.ts'
import type { StorageLog } from '../storage-log.ts'

const JUMP_MICROS_MAX = 10_000_000

/**
 * The wall clock as far as timestamps follow it. One that leaps ahead is not followed, because a
 * timestamp from a far future would poison the store for ever: no later one could be smaller.
 *
 *     monotonic  0 s   wall 12:00:00   -> 12:00:00
 *     monotonic  5 s   wall 13:00:05   -> 12:00:05, and a warning
 *     monotonic 10 s   wall 12:00:10   -> 12:00:10
 *
 * A wall clock that falls back is answered as it is; the oracle goes on from its last timestamp then.
 */
export class TrustedWallClock {
  readonly #clock: Clock
  readonly #log: StorageLog
  /** The last moment at which both clocks agreed. */
  #agreedWallMicros: number
  #agreedMonotonicMs: number
  #hasJumped = false

  constructor(clock: Clock, log: StorageLog) {
    this.#clock = clock
    this.#log = log
    this.#agreedWallMicros = clock.wallMicros()
    this.#agreedMonotonicMs = clock.monotonicMs()
  }

  /** Whole microseconds since 1970. */
  micros(): number {
    const wallMicros = this.#clock.wallMicros()
    // The wall clock goes on once in a millisecond, and a timestamp takes a fraction of a microsecond.
    if (wallMicros === this.#agreedWallMicros && !this.#hasJumped) return wallMicros
    const monotonicMs = this.#clock.monotonicMs()
    const elapsedMicros = (monotonicMs - this.#agreedMonotonicMs) * 1000
    const expectedMicros = Math.floor(this.#agreedWallMicros + elapsedMicros)
    const aheadMicros = wallMicros - expectedMicros
    if (Math.abs(aheadMicros) <= JUMP_MICROS_MAX) {
      this.#agreedWallMicros = wallMicros
      this.#agreedMonotonicMs = monotonicMs
      this.#hasJumped = false
      return wallMicros
    }
    if (!this.#hasJumped) {
      this.#hasJumped = true
      const seconds = Math.round(aheadMicros / 1_000_000)
      this.#log.warn({ seconds }, 'wall clock jumped; timestamps do not follow it')
    }
    return Math.min(wallMicros, expectedMicros)
  }
}
