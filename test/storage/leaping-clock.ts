// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '../../storage/clock.ts'

/** A clock on which every sleep is over at once, though not before other work had its turn. */
export class LeapingClock implements Clock {
  #monotonicMs = 0

  wallMicros(): number {
    return Math.floor(this.#monotonicMs * 1000)
  }

  monotonicMs(): number {
    return this.#monotonicMs
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    this.#monotonicMs += ms
    await new Promise((resolve) => setImmediate(resolve))
    signal?.throwIfAborted()
  }
}
