// SPDX-License-Identifier: Apache-2.0
import { CUSTOMER_WEIGHTS, type CustomerCall } from '../transaction-names.ts'

const CARDS: readonly CustomerCall[] = Object.entries(CUSTOMER_WEIGHTS).flatMap(([name, weight]) =>
  Array.from({ length: weight }, () => name as CustomerCall),
)

/** A deck of 890 cards, drawn without putting back, so that the mix of every full deck is exact. */
export class Deck {
  readonly #random: { below(count: number): number }
  #left: CustomerCall[] = []

  constructor(random: { below(count: number): number }) {
    this.#random = random
  }

  draw(): CustomerCall {
    if (this.#left.length === 0) this.#left = [...CARDS]
    const at = this.#random.below(this.#left.length)
    const last = this.#left.pop() as CustomerCall
    if (at === this.#left.length) return last
    const drawn = this.#left[at] as CustomerCall
    this.#left[at] = last
    return drawn
  }
}
