// SPDX-License-Identifier: Apache-2.0
import { compareRowKeys } from '../../../../storage/storage.ts'

type Range<T> = { readonly start: Uint8Array; readonly end: Uint8Array; readonly value: T }

/**
 * Ranges of keys, and which of them hold a key: an interval tree in an array. The ranges stand in the
 * order of their starts, the middle of each part is its root, and each root knows the largest end in
 * its part, so that parts that end before a key are not looked into. It is made again by the first
 * look after a change.
 */
export class RangeIndex<T> {
  readonly #byValue = new Map<T, ReadonlyArray<Range<T>>>()
  #sorted: ReadonlyArray<Range<T>> | undefined
  #ends: Uint8Array[] = []

  /** `start` is inclusive and `end` exclusive; the ranges of one value are disjoint. */
  add(value: T, ranges: ReadonlyArray<Pick<Range<T>, 'start' | 'end'>>): void {
    const own = ranges.map(({ start, end }) => ({ start, end, value }))
    this.#byValue.set(value, own)
    this.#sorted = undefined
  }

  delete(value: T): void {
    if (this.#byValue.delete(value)) this.#sorted = undefined
  }

  /** Calls back with the value of each range that holds the key. */
  find(key: Uint8Array, found: (value: T) => void): void {
    const sorted = this.#sorted ?? this.#sort()
    this.#findIn(sorted, 0, sorted.length, key, found)
  }

  has(key: Uint8Array): boolean {
    let isIn = false
    this.find(key, () => {
      isIn = true
    })
    return isIn
  }

  #sort(): ReadonlyArray<Range<T>> {
    const ranges = [...this.#byValue.values()].flat()
    ranges.sort((a, b) => compareRowKeys(a.start, b.start))
    this.#sorted = ranges
    this.#ends = new Array(ranges.length)
    this.#largestEnd(ranges, 0, ranges.length)
    return ranges
  }

  #largestEnd(sorted: ReadonlyArray<Range<T>>, from: number, to: number): Uint8Array | undefined {
    if (from >= to) return undefined
    const middle = (from + to) >>> 1
    let largest = (sorted[middle] as Range<T>).end
    for (const end of [
      this.#largestEnd(sorted, from, middle),
      this.#largestEnd(sorted, middle + 1, to),
    ]) {
      if (end !== undefined && compareRowKeys(end, largest) > 0) largest = end
    }
    this.#ends[middle] = largest
    return largest
  }

  #findIn(
    sorted: ReadonlyArray<Range<T>>,
    from: number,
    to: number,
    key: Uint8Array,
    found: (value: T) => void,
  ): void {
    if (from >= to) return
    const middle = (from + to) >>> 1
    if (compareRowKeys(this.#ends[middle] as Uint8Array, key) <= 0) return
    this.#findIn(sorted, from, middle, key, found)
    const { start, end, value } = sorted[middle] as Range<T>
    if (compareRowKeys(start, key) > 0) return
    if (compareRowKeys(end, key) > 0) found(value)
    this.#findIn(sorted, middle + 1, to, key, found)
  }
}
