// SPDX-License-Identifier: Apache-2.0

/**
 * Numbers of new records, and how many of them have been stored: with several clients a later one may
 * be acknowledged before an earlier one, and then it may not be read yet as the newest.
 */
export class InsertCounter {
  #next: number
  #acknowledged: number
  readonly #ahead = new Set<number>()

  /** `first` records are there already. */
  constructor(first: number) {
    this.#next = first
    this.#acknowledged = first
  }

  /** All records with smaller numbers are stored. */
  get acknowledged(): number {
    return this.#acknowledged
  }

  next(): number {
    return this.#next++
  }

  acknowledge(number: number): void {
    this.#ahead.add(number)
    while (this.#ahead.delete(this.#acknowledged)) this.#acknowledged += 1
  }
}
