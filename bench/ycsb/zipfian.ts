// SPDX-License-Identifier: Apache-2.0
import type { Random } from '../load/random.ts'

/** YCSB's skew, in the literature theta. */
const ZIPFIAN_SKEW = 0.99

/**
 * Ranks from 0 on, rank r with a probability proportional to 1 / (r + 1)^skew, by the closed form of
 * Gray et al., "Quickly Generating Billion-Record Synthetic Databases" (SIGMOD 1994): exact for the
 * first two ranks, close for the others, and one random number for each draw.
 */
export class Zipfian {
  #items: number
  #zeta: number
  readonly #zetaOfTwo = zeta(0, 2)

  /** `knownZeta` saves the sum over all items, which takes a minute for 10^10 of them. */
  constructor(items: number, knownZeta?: number) {
    this.#items = items
    this.#zeta = knownZeta ?? zeta(0, items)
  }

  get items(): number {
    return this.#items
  }

  /** More items than before; only the new ones are added to the sum. */
  growTo(items: number): void {
    if (items <= this.#items) return
    this.#zeta += zeta(this.#items, items)
    this.#items = items
  }

  next(random: Random): number {
    const drawn = random.next()
    const scaled = drawn * this.#zeta
    if (scaled < 1) return 0
    if (scaled < 1 + 0.5 ** ZIPFIAN_SKEW) return 1
    const ratio = (2 / this.#items) ** (1 - ZIPFIAN_SKEW)
    const eta = (1 - ratio) / (1 - this.#zetaOfTwo / this.#zeta)
    const exponent = 1 / (1 - ZIPFIAN_SKEW)
    return Math.floor(this.#items * (eta * drawn - eta + 1) ** exponent)
  }
}

/** The sum of 1 / rank^skew over the ranks from `from` + 1 to `to`. */
export function zeta(from: number, to: number): number {
  let sum = 0
  for (let rank = from + 1; rank <= to; rank += 1) sum += 1 / rank ** ZIPFIAN_SKEW
  return sum
}
