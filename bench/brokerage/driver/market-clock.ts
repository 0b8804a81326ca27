// SPDX-License-Identifier: Apache-2.0
import { momentOf } from '../population/trading-calendar.ts'

/** The market's time: it goes on where the history ends, as fast as the wall clock. */
export class MarketClock {
  readonly #historyMs: number
  readonly #elapsedMs: () => number
  readonly #startedMs: number

  constructor(historyMs: number, elapsedMs: () => number = () => performance.now()) {
    this.#historyMs = historyMs
    this.#elapsedMs = elapsedMs
    this.#startedMs = elapsedMs()
  }

  /** Whole milliseconds of trading, in which the price curve is asked. */
  tradingMs(): number {
    return this.#historyMs + Math.floor(this.#elapsedMs() - this.#startedMs)
  }

  /** The same as the moment that is stored. */
  now(): number {
    return momentOf(this.tradingMs())
  }
}
