// SPDX-License-Identifier: Apache-2.0
import { compareRowKeys } from '../../../../storage/storage.ts'

type Range<T> = {
  readonly start: Uint8Array
  readonly end: Uint8Array
  readonly value: T
  /** Stays among the sorted ones until they are sorted again. */
  isGone: boolean
}

/** So many changes at least are made before the ranges are sorted again. */
const CHANGES_MIN = 32

/**
 * Ranges of keys, and which of them hold a key: an interval tree in an array. The ranges stand in the
 * order of their starts, the middle of each part is its root, and each root knows the largest end in
 * its part, so that parts that end before a key are not looked into. Ranges that are new are looked through one by one,
 * until they are many beside the root of the number of all: then all are sorted.
 */
export class RangeIndex<T> {
  readonly #byValue = new Map<T, ReadonlyArray<Range<T>>>()
  #sorted: ReadonlyArray<Range<T>> = []
  #ends: Uint8Array[] = []
  #added: Array<Range<T>> = []
  #changes = 0

  /** `start` is inclusive and `end` exclusive; the ranges of one value are disjoint. */
  add(value: T, ranges: ReadonlyArray<Pick<Range<T>, 'start' | 'end'>>): void {
    const own = ranges.map(({ start, end }) => ({ start, end, value, isGone: false }))
    this.#byValue.set(value, own)
    for (const range of own) this.#added.push(range)
    this.#changes += own.length
  }

  delete(value: T): void {
    const own = this.#byValue.get(value) ?? []
    this.#byValue.delete(value)
    for (const range of own) range.isGone = true
    this.#changes += own.length
  }

  /** Calls back with the value of each range that holds the key. */
  find(key: Uint8Array, found: (value: T) => void): void {
    if (this.#changes > CHANGES_MIN + 2 * Math.sqrt(this.#sorted.length)) this.#sort()
    this.#findIn(this.#sorted, 0, this.#sorted.length, key, found)
    for (const range of this.#added) {
      if (!range.isGone && isIn(range, key)) found(range.value)
    }
  }

  has(key: Uint8Array): boolean {
    let isFound = false
    this.find(key, () => {
      isFound = true
    })
    return isFound
  }

  #sort(): void {
    const ranges = [...this.#byValue.values()].flat()
    ranges.sort((a, b) => compareRowKeys(a.start, b.start))
    this.#sorted = ranges
    this.#ends = new Array(ranges.length)
    this.#largestEnd(ranges, 0, ranges.length)
    this.#added = []
    this.#changes = 0
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
    const range = sorted[middle] as Range<T>
    if (compareRowKeys(range.start, key) > 0) return
    if (!range.isGone && compareRowKeys(range.end, key) > 0) found(range.value)
    this.#findIn(sorted, middle + 1, to, key, found)
  }
}

function isIn({ start, end }: Pick<Range<unknown>, 'start' | 'end'>, key: Uint8Array): boolean {
  return compareRowKeys(start, key) <= 0 && compareRowKeys(key, end) < 0
}
