// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '../clock.ts'

/** More are forgotten, all at once: then they are watched from the start. */
const VALUES_MAX = 10_000

type Seen = { readonly value: string; readonly sinceMs: number; unchangedMs: number }

/**
 * For how long values in the store are known to have stayed what they are, on the monotonic clock of whoever looks. So
 * one process tells that another one renews its row no more, and clocks of two machines are never compared (L1).
 */
export class UnchangedValues {
  readonly #clock: Clock
  readonly #seen = new Map<string, Seen>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /**
   * To be told of each value that was read, and when it was asked for: it may be as old as that. Returns for how many
   * milliseconds it has been the same, 0 for one that is seen for the first time.
   */
  saw(name: string, value: Uint8Array, askedMs: number): number {
    const text = Buffer.from(value).toString('latin1')
    const seen = this.#seen.get(name)
    if (seen?.value === text) {
      seen.unchangedMs = Math.max(seen.unchangedMs, askedMs - seen.sinceMs)
      return seen.unchangedMs
    }
    if (this.#seen.size >= VALUES_MAX) this.#seen.clear()
    this.#seen.set(name, { value: text, sinceMs: this.#clock.monotonicMs(), unchangedMs: 0 })
    return 0
  }

  /** The same as of the last time that it was seen; 0 for one that never was. */
  unchangedMs(name: string): number {
    return this.#seen.get(name)?.unchangedMs ?? 0
  }
}
