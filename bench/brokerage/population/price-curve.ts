// SPDX-License-Identifier: Apache-2.0

/** In cents. */
export const PRICE_MIN = 2_000
export const PRICE_MAX = 3_000

const PRICE_SPAN = PRICE_MAX - PRICE_MIN
/** Multiples of the golden ratio spread over a circle evenly, however many there are. */
const PHASE_STEP = (Math.sqrt(5) - 1) / 2

/**
 * What securities cost at a time: each goes up from 20.00 to 30.00 in the first half of a period and
 * down again in the second, and begins somewhere else in it. Times are trading milliseconds.
 *
 *     a period of 900 s:   0 s  20.00   225 s  25.00   450 s  30.00   675 s  25.00   900 s  20.00
 */
export class PriceCurve {
  readonly #periodMs: number

  constructor({ pricePeriodMs }: { readonly pricePeriodMs: number }) {
    this.#periodMs = pricePeriodMs
  }

  /** In cents. */
  priceAt(security: number, ms: number): number {
    const part = this.#placeAt(security, ms) / this.#periodMs
    const height = part < 0.5 ? 2 * part : 2 - 2 * part
    return PRICE_MIN + Math.round(PRICE_SPAN * height)
  }

  /** The first millisecond from then on at which it costs at most so much; undefined when it never does. */
  firstAtMost(security: number, price: number, fromMs: number): number | undefined {
    const isReached = (ms: number) => this.priceAt(security, ms) <= price
    if (isReached(fromMs)) return fromMs
    if (price < PRICE_MIN) return undefined
    // Prices are rounded: on the way down this one begins half a cent above itself.
    const part = 1 - (price + 0.5 - PRICE_MIN) / PRICE_SPAN / 2
    return firstFrom(this.#shortBefore(security, fromMs, part), isReached)
  }

  /** The first millisecond from then on at which it costs at least so much; undefined when it never does. */
  firstAtLeast(security: number, price: number, fromMs: number): number | undefined {
    const isReached = (ms: number) => this.priceAt(security, ms) >= price
    if (isReached(fromMs)) return fromMs
    if (price > PRICE_MAX) return undefined
    const part = (price - 0.5 - PRICE_MIN) / PRICE_SPAN / 2
    return firstFrom(this.#shortBefore(security, fromMs, part), isReached)
  }

  /** At most two milliseconds before the security is next at this part of its period. */
  #shortBefore(security: number, fromMs: number, part: number): number {
    const aheadMs = part * this.#periodMs - this.#placeAt(security, fromMs)
    const nextMs = fromMs + (aheadMs < 0 ? aheadMs + this.#periodMs : aheadMs)
    return Math.max(fromMs, Math.floor(nextMs) - 1)
  }

  #placeAt(security: number, ms: number): number {
    return (ms + ((security * PHASE_STEP) % 1) * this.#periodMs) % this.#periodMs
  }
}

function firstFrom(fromMs: number, isReached: (ms: number) => boolean): number {
  let ms = fromMs
  while (!isReached(ms)) ms += 1
  return ms
}
