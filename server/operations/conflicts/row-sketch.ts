// SPDX-License-Identifier: Apache-2.0
import { keyString } from '../../../storage/storage.ts'

/** What is known of the conflicts on one row. */
export type RowCount = {
  readonly row: Uint8Array
  /** At most this many, and at least `overcount` less. */
  readonly conflicts: number
  readonly overcount: number
  /** Those after which the server ran the transaction again, as far as they were counted. */
  readonly retried: number
  /** When the last one was, in microseconds since 1970. */
  readonly lastAt: number
}

type Counter = { -readonly [name in keyof RowCount]: RowCount[name] }

/**
 * The rows with the most conflicts of a stream that may name any number of rows, by so many counters: Space-Saving
 * (Metwally, Agrawal, El Abbadi: Efficient Computation of Frequent and Top-k Elements in Data Streams, 2005). A row
 * that has no counter takes over the smallest one, with its count.
 *
 *     2 counters    bob 3, joe 1        ann comes: joe's goes to her     bob 3, ann 2 (1 of them may be another's)
 *
 * With n conflicts and k counters no count is more than n / k too large, and each row with more than n / k conflicts
 * has a counter.
 */
export class RowSketch {
  readonly #countersMax: number
  readonly #counters = new Map<string, Counter>()

  constructor(countersMax: number) {
    this.#countersMax = countersMax
  }

  /** Copies the bytes of a row that it has not seen. */
  add(row: Uint8Array, at: number): void {
    const text = keyString(row)
    const known = this.#counters.get(text)
    if (known !== undefined) {
      known.conflicts += 1
      known.lastAt = at
      return
    }
    const overcount = this.#removeSmallest()
    const counted = { conflicts: overcount + 1, overcount, retried: 0, lastAt: at }
    this.#counters.set(text, { row: row.slice(), ...counted })
  }

  /** The transaction that met a conflict on this row was run again. */
  retried(row: Uint8Array): void {
    const known = this.#counters.get(keyString(row))
    if (known !== undefined) known.retried += 1
  }

  /** How many conflicts a row without a counter may have had. */
  get missedMax(): number {
    return this.#isFull ? (this.#smallest()?.[1].conflicts ?? 0) : 0
  }

  entries(): MapIterator<[string, RowCount]> {
    return this.#counters.entries()
  }

  get(text: string): RowCount | undefined {
    return this.#counters.get(text)
  }

  get #isFull(): boolean {
    return this.#counters.size >= this.#countersMax
  }

  /** Returns what its counter had; 0 while there is room. */
  #removeSmallest(): number {
    const smallest = this.#isFull ? this.#smallest() : undefined
    if (smallest === undefined) return 0
    const [text, { conflicts }] = smallest
    this.#counters.delete(text)
    return conflicts
  }

  #smallest(): [string, RowCount] | undefined {
    let smallest: [string, RowCount] | undefined
    for (const entry of this.#counters) {
      if (smallest === undefined || entry[1].conflicts < smallest[1].conflicts) smallest = entry
    }
    return smallest
  }
}
