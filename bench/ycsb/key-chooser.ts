// SPDX-License-Identifier: Apache-2.0
import type { Random } from '../load/random.ts'

/** Which record the next request is for, as a number below the count of records. */
export type KeyChooser = (random: Random) => number

export type KeyDistribution = 'zipfian' | 'uniform' | 'latest'

// YCSB draws ranks over so many items, whose zeta it knows, and scatters them over the records.
const SCRAMBLED_ITEMS = 1e10
const SCRAMBLED_ZETA = 26.46902820178302

/**
 * What workloads call zipfian: ranks scattered by their hash, so that the hot records do not lie side
 * by side. With inserts, `room` numbers beyond `stored()` are drawn too, and drawn again while there
 * is no such record, so that the hot records stay the same when more come.
 */
export function scrambledZipfian(stored: () => number, room = 0): KeyChooser {
  const ranks = new Zipfian(SCRAMBLED_ITEMS, SCRAMBLED_ZETA)
  const numbers = stored() + room
  return (random) => {
    for (;;) {
      const number = remainder(fnvHash64(ranks.next(random)), numbers)
      if (number < stored()) return number
    }
  }
}

/** All records alike. */
export function uniform(stored: () => number): KeyChooser {
  return (random) => random.below(stored())
}

/** The newest record is the hottest, the one before it the next. */
export function latest(stored: () => number): KeyChooser {
  const ranks = new Zipfian(stored())
  return (random) => {
    ranks.growTo(stored())
    return stored() - 1 - ranks.next(random)
  }
}

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

/** 64 bits as two unsigned halves. */
type Hash64 = { readonly high: number; readonly low: number }

// The offset basis of FNV with 64 bits. Its prime is 2^40 + 0x1b3.
const BASIS_HIGH = 0xcbf29ce4
const BASIS_LOW = 0x84222325
const PRIME_LOW = 0x1b3

/**
 * FNV-1a over the eight octets of a number, the lowest first, as YCSB scatters its keys; then, as
 * there, without the sign of a 64-bit integer. Halves and not a BigInt: this is done for each request.
 *
 * @param value a whole number from 0 to 2^53 - 1
 */
export function fnvHash64(value: number): Hash64 {
  let high = BASIS_HIGH
  let low = BASIS_LOW
  let rest = value
  for (let octet = 0; octet < 8; octet += 1) {
    low = (low ^ (rest % 256)) >>> 0
    rest = Math.floor(rest / 256)
    // hash * 2^40 moves the low half up by eight bits; hash * 0x1b3 stays below 2^53 in each half.
    const product = low * PRIME_LOW
    const carry = Math.floor(product / 2 ** 32)
    high = (high * PRIME_LOW + carry + ((low << 8) >>> 0)) % 2 ** 32
    low = product % 2 ** 32
  }
  return withoutSign(high, low)
}

/** The remainder of a division; `divisor` is at most 90 million, so that no product exceeds 2^53. */
export function remainder(hash: Hash64, divisor: number): number {
  return ((hash.high % divisor) * (2 ** 32 % divisor) + (hash.low % divisor)) % divisor
}

function withoutSign(high: number, low: number): Hash64 {
  if (high < 2 ** 31) return { high, low }
  // Two's complement; the smallest integer, whose negative does not exist, stays what it is.
  const negatedLow = (~low + 1) >>> 0
  const negatedHigh = (~high + (negatedLow === 0 ? 1 : 0)) >>> 0
  return { high: negatedHigh, low: negatedLow }
}
