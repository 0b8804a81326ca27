// SPDX-License-Identifier: Apache-2.0
import type { RowRandom } from './counter-random.ts'
import { type Customer, customerOfRank, type Population } from './population.ts'

/**
 * How often a customer of this rank is chosen, as a piecewise linear density over ranks 0 to 1000: the
 * tiers have 10, 60 and 30 percent of all choices.
 */
const DENSITY = [
  { from: 0, to: 200, atFrom: 0.6, atTo: 1.4 },
  { from: 200, to: 800, atFrom: 1.4, atTo: 2.6 },
  { from: 800, to: 1_000, atFrom: 2.6, atTo: 3.4 },
] as const
const FULL_UNIT = 1_000

/** Who trades next: any load unit, and in it the customers of higher rank more often. */
export class CustomerChoice {
  readonly #population: Population
  /** The share of all choices up to and with each rank. */
  readonly #shares: Float64Array

  constructor(population: Population) {
    this.#population = population
    const { loadUnit } = population.profile
    const shares = new Float64Array(loadUnit)
    let sum = 0
    for (let rank = 0; rank < loadUnit; rank += 1) {
      sum += densityAt(((rank + 0.5) * FULL_UNIT) / loadUnit)
      shares[rank] = sum
    }
    this.#shares = shares.map((share) => share / sum)
  }

  choose(random: Pick<RowRandom, 'below' | 'next'>): Customer {
    const { profile } = this.#population
    const unit = random.below(profile.loadUnits)
    const rank = this.#rankAt(random.next())
    return this.#population.customer(unit * profile.loadUnit + customerOfRank(profile, unit, rank))
  }

  #rankAt(share: number): number {
    let low = 0
    let high = this.#shares.length - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#shares[middle] as number) > share) high = middle
      else low = middle + 1
    }
    return low
  }
}

function densityAt(rank: number): number {
  const piece = DENSITY.find(({ to }) => rank < to) ?? DENSITY[2]
  const part = (rank - piece.from) / (piece.to - piece.from)
  return piece.atFrom + part * (piece.atTo - piece.atFrom)
}
