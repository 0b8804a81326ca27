// SPDX-License-Identifier: Apache-2.0
import type { Random } from '../load/random.ts'
import { fnvHash64, remainder } from './fnv-hash.ts'
import { Zipfian } from './zipfian.ts'

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
