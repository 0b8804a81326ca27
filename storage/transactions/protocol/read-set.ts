// SPDX-License-Identifier: Apache-2.0
import { bufferOf, compareRowKeys, keyAfter, keyString } from '../../cells/row-key.ts'

/** Keys and ranges that a read set has at most; beyond them each space is one range. */
const PARTS_MAX = 1_000

/** The bytes of a key that say which table or index it is of. */
const SPACE_BYTES = 5

/** No table and no index has a key from here on. */
const LAST_KEY = Uint8Array.of(0xff)

/** Rows from `start` up to `end`, which is excluded, of which these columns were read. */
export type ReadRange = {
  readonly start: Uint8Array
  readonly end: Uint8Array
  readonly columns: readonly string[]
}

/** As a scan names it; without an end it is the rest of the store. */
type OpenRange = Omit<ReadRange, 'end'> & { readonly end?: Uint8Array | undefined }

/** The table or index of a key, as a text. */
export function spaceOf(key: Uint8Array): string {
  return keyString(bufferOf(key).subarray(0, SPACE_BYTES))
}

/**
 * Every key and range of keys that an evaluation has looked at, of tables and of indexes, whether or not there was a
 * row. A later commit that writes none of these columns there leaves the answer as it is. It may hold more than was
 * read, and never less.
 */
export class ReadSet {
  /** How many rows have been handed out. */
  rows = 0
  #ranges: ReadRange[] = []

  get ranges(): readonly ReadRange[] {
    return this.#ranges
  }

  /** About how many bytes it takes. */
  get bytes(): number {
    return this.#ranges.reduce((sum, { start, end }) => sum + start.length + end.length + 200, 0)
  }

  addKey(key: Uint8Array, columns: readonly string[]): void {
    this.rows += 1
    this.add({ start: key, end: keyAfter(key), columns })
  }

  add({ end = LAST_KEY, ...begun }: OpenRange): void {
    const range = { ...begun, end }
    if (compareRowKeys(range.start, range.end) >= 0) return
    const last = this.#ranges.at(-1)
    if (last !== undefined && isSameRange(last, range)) return
    this.#ranges.push(range)
    if (this.#ranges.length > 2 * PARTS_MAX) this.settle()
  }

  /** Puts together what overlaps, and makes each space one range where there are too many. */
  settle(): void {
    this.#ranges = united(this.#ranges, (one, next) => compareRowKeys(next.start, one.end) <= 0)
    if (this.#ranges.length <= PARTS_MAX) return
    this.#ranges = united(this.#ranges, (one, next) => spaceOf(one.start) === spaceOf(next.start))
  }
}

/** Ranges of the same columns, in the order of their starts; neighbours are one where `belong` says so. */
function united(
  ranges: readonly ReadRange[],
  belong: (one: ReadRange, next: ReadRange) => boolean,
): ReadRange[] {
  const found: ReadRange[] = []
  for (const same of Map.groupBy(ranges, ({ columns }) => columns.join()).values()) {
    let last: ReadRange | undefined
    for (const next of same.toSorted((a, b) => compareRowKeys(a.start, b.start))) {
      if (last !== undefined && belong(last, next)) {
        const end = compareRowKeys(last.end, next.end) < 0 ? next.end : last.end
        last = { ...last, end }
        found[found.length - 1] = last
      } else {
        last = next
        found.push(next)
      }
    }
  }
  return found
}

function isSameRange(one: ReadRange, other: ReadRange): boolean {
  if (one.columns !== other.columns) return false
  return compareRowKeys(one.start, other.start) === 0 && compareRowKeys(one.end, other.end) === 0
}
