// SPDX-License-Identifier: Apache-2.0
import type { SqlType, SqlValue } from '../../storage/values/values.ts'
import { type Comparison, comparisonOf } from '../expressions/value-work.ts'
import { NODE_UNITS, type WorkMeter } from '../expressions/work-meter.ts'
import { bytesOfValues, type HeldBytes, keptValue } from './held-bytes.ts'

/** One value of what rows are ordered by. */
export type SortKey = { readonly type: SqlType; readonly descending: boolean }

type Kept<T> = { readonly values: readonly SqlValue[]; readonly what: T; readonly bytes: number }

/** What is kept of a row, and about how many bytes that takes beside the values that it is ordered by. */
export type KeptOfRow<T> = { readonly what: T; readonly bytes: number }

/**
 * The first `count` of rows that come in any order: a heap whose root is the last of them. NULL comes first in
 * ascending order and last in descending order, as in an index. It knows nothing of where the rows are from.
 */
export class TopRows<T> {
  readonly #comparisons: ReadonlyArray<{ readonly compare: Comparison; readonly sign: 1 | -1 }>
  readonly #count: number
  readonly #held: HeldBytes
  readonly #heap: Kept<T>[] = []

  /** `keys` make no two rows equal, so that the answer does not depend on the order in which they come. */
  constructor(keys: readonly SortKey[], count: number, held: HeldBytes) {
    this.#comparisons = keys.map(({ type, descending }) => ({
      compare: comparisonOf(type),
      sign: descending ? -1 : 1,
    }))
    this.#count = count
    this.#held = held
  }

  get size(): number {
    return this.#heap.length
  }

  /** `values` are those of the keys; `keep` is asked only for a row that is among the first so far. */
  offer(values: readonly SqlValue[], keep: () => KeptOfRow<T>, work: WorkMeter): void {
    const [last] = this.#heap
    const isFull = this.#heap.length >= this.#count
    if (isFull && (last === undefined || this.#compare(values, last.values, work) >= 0)) return
    const own = values.map((value) => keptValue(value, work))
    const { what, bytes: beside } = keep()
    const bytes = bytesOfValues(own) + beside
    this.#held.change(bytes - (isFull ? (last as Kept<T>).bytes : 0))
    const kept = { values: own, what, bytes }
    if (isFull) this.#sink(kept, work)
    else this.#rise(kept, work)
  }

  /** Takes away the last one; to be called until there is none. */
  takeLast(
    work: WorkMeter,
  ): { readonly values: readonly SqlValue[]; readonly what: T } | undefined {
    const [last] = this.#heap
    const moved = this.#heap.pop()
    if (moved !== undefined && moved !== last) this.#sink(moved, work)
    return last
  }

  /** Puts it at the end and moves it up. */
  #rise(kept: Kept<T>, work: WorkMeter): void {
    let at = this.#heap.push(kept) - 1
    while (at > 0) {
      const parent = (at - 1) >> 1
      const above = this.#heap[parent] as Kept<T>
      if (this.#compare(kept.values, above.values, work) <= 0) break
      this.#heap[at] = above
      at = parent
    }
    this.#heap[at] = kept
  }

  /** Puts it at the root and moves it down. */
  #sink(kept: Kept<T>, work: WorkMeter): void {
    const heap = this.#heap
    let at = 0
    for (;;) {
      const left = 2 * at + 1
      if (left >= heap.length) break
      const right = left + 1
      const below = right < heap.length && this.#isAfter(right, left, work) ? right : left
      const child = heap[below] as Kept<T>
      if (this.#compare(child.values, kept.values, work) <= 0) break
      heap[at] = child
      at = below
    }
    heap[at] = kept
  }

  #isAfter(one: number, other: number, work: WorkMeter): boolean {
    const [a, b] = [this.#heap[one] as Kept<T>, this.#heap[other] as Kept<T>]
    return this.#compare(a.values, b.values, work) > 0
  }

  #compare(a: readonly SqlValue[], b: readonly SqlValue[], work: WorkMeter): number {
    for (let index = 0; index < this.#comparisons.length; index += 1) {
      const { compare, sign } = this.#comparisons[index] as { compare: Comparison; sign: 1 | -1 }
      work.spend(NODE_UNITS)
      const order = compare(a[index] as SqlValue, b[index] as SqlValue, work)
      if (order !== 0) return order * sign
    }
    return 0
  }
}
