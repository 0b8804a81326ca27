// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '../../clock.ts'
import type { Randomness } from '../../randomness.ts'

/**
 * Exponential backoff with full jitter and one total deadline: waiters for one lock do not all retry at the same time.
 */
export class Backoff {
  readonly #clock: Clock
  readonly #randomness: Randomness
  readonly #deadlineMs: number
  #ceilingMs: number

  constructor(
    deps: { readonly clock: Clock; readonly randomness: Randomness },
    bounds: { readonly firstMs: number; readonly totalMs: number },
  ) {
    this.#clock = deps.clock
    this.#randomness = deps.randomness
    this.#ceilingMs = bounds.firstMs
    this.#deadlineMs = deps.clock.monotonicMs() + bounds.totalMs
  }

  /** Sleeps, and resolves to whether there is time for another try; false at once past the deadline. */
  async wait(signal?: AbortSignal): Promise<boolean> {
    const leftMs = this.#deadlineMs - this.#clock.monotonicMs()
    if (leftMs < TELLABLE_MS) return false
    const sleepMs = Math.min(leftMs, this.#randomness.fraction() * this.#ceilingMs)
    this.#ceilingMs = Math.min(this.#ceilingMs * 2, CEILING_MS_MAX)
    await this.#clock.sleep(sleepMs, signal)
    return true
  }
}

const CEILING_MS_MAX = 250
/** A clock of microseconds may not have advanced at all after a shorter sleep. */
const TELLABLE_MS = 0.001
