// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '../../../storage/storage.ts'

/** Wakes all who wait when there may be something to do. */
export class Wakes {
  readonly #clock: Pick<Clock, 'sleep'>
  #count = 0
  #next = Promise.withResolvers<void>()

  constructor(clock: Pick<Clock, 'sleep'>) {
    this.#clock = clock
  }

  get count(): number {
    return this.#count
  }

  wake(): void {
    this.#count += 1
    this.#next.resolve()
    this.#next = Promise.withResolvers()
  }

  /** Resolves when it was woken after that count, or so much time has passed. Rejects with the signal's reason. */
  async wait(seen: number, ms: number, signal: AbortSignal): Promise<void> {
    if (this.#count !== seen) return
    const ending = new AbortController()
    const ended = AbortSignal.any([signal, ending.signal])
    const slept = this.#clock.sleep(ms, ended).catch(() => undefined)
    await Promise.race([this.#next.promise, slept])
    ending.abort()
    signal.throwIfAborted()
  }
}
