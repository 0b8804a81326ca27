// SPDX-License-Identifier: Apache-2.0

import type { Clock } from '../storage/clock.ts'
import { nextTurn } from '../storage/turns/turns.ts'

type Sleeper = { readonly wakeAtMs: number; readonly wake: () => void }

/**
 * A clock that stands still until a test moves it. Sleepers wake in the order of their times, inside
 * the `advance` that reaches them.
 *
 *     const clock = new ManualClock()
 *     const rest = clock.sleep(500)
 *     await clock.advance(500)      // `rest` is resolved, and what it set off has run.
 */
export class ManualClock implements Clock {
  #monotonicMs = 0
  #wallMicros: number
  #sleepers: Sleeper[] = []

  constructor(options: { readonly wallMicros?: number } = {}) {
    this.#wallMicros = options.wallMicros ?? Date.UTC(2026, 0, 1) * 1000
  }

  wallMicros(): number {
    return this.#wallMicros
  }

  monotonicMs(): number {
    return this.#monotonicMs
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason)
      const refuse = () => {
        this.#sleepers = this.#sleepers.filter((other) => other !== sleeper)
        reject(signal?.reason)
      }
      const wake = () => {
        signal?.removeEventListener('abort', refuse)
        resolve()
      }
      const sleeper: Sleeper = { wakeAtMs: this.#monotonicMs + ms, wake }
      this.#sleepers.push(sleeper)
      signal?.addEventListener('abort', refuse, { once: true })
    })
  }

  /** How many calls of `sleep` are under way. */
  get sleeping(): number {
    return this.#sleepers.length
  }

  /**
   * Moves both clocks forward. At each sleeper's own time it is woken, and one turn of the event loop
   * is left to what it does next, so a loop that sleeps again is woken again within one `advance`.
   */
  async advance(ms: number): Promise<void> {
    const untilMs = this.#monotonicMs + ms
    for (;;) {
      await nextTurn()
      const next = this.#earliestSleeper()
      if (next === undefined || next.wakeAtMs > untilMs) break
      this.#moveTo(Math.max(next.wakeAtMs, this.#monotonicMs))
      this.#sleepers = this.#sleepers.filter((other) => other !== next)
      next.wake()
    }
    this.#moveTo(untilMs)
    await nextTurn()
  }

  /** Moves the wall clock alone, either way, as an operator or a bad time server does. */
  jumpWall(ms: number): void {
    this.#wallMicros += ms * 1000
  }

  #earliestSleeper(): Sleeper | undefined {
    let earliest: Sleeper | undefined
    for (const sleeper of this.#sleepers) {
      if (earliest === undefined || sleeper.wakeAtMs < earliest.wakeAtMs) earliest = sleeper
    }
    return earliest
  }

  #moveTo(monotonicMs: number): void {
    this.#wallMicros += Math.round((monotonicMs - this.#monotonicMs) * 1000)
    this.#monotonicMs = monotonicMs
  }
}
