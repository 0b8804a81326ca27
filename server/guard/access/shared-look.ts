// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '../../../storage/storage.ts'

/** Looks at something for all who wait for it, as often as anyone asks, and no more often than it may. */
export class SharedLook {
  readonly #clock: Clock
  readonly #everyMs: number
  readonly #look: () => Promise<void>
  #beganMs = Number.NEGATIVE_INFINITY
  #next: Promise<void> | undefined

  constructor(clock: Clock, everyMs: number, look: () => Promise<void>) {
    this.#clock = clock
    this.#everyMs = everyMs
    this.#look = look
  }

  /** Resolves after a look that has begun since; rejects as it does. */
  wait(): Promise<void> {
    this.#next ??= this.#begin()
    return this.#next
  }

  async #begin(): Promise<void> {
    const waitMs = this.#beganMs + this.#everyMs - this.#clock.monotonicMs()
    await (waitMs > 0 ? this.#clock.sleep(waitMs) : undefined)
    this.#next = undefined // Who comes from now on is told by the look after this one.
    this.#beganMs = this.#clock.monotonicMs()
    await this.#look()
  }
}
