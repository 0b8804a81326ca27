// SPDX-License-Identifier: Apache-2.0
import type { Cell } from './cell.ts'
import type { RowFilter } from './row-filter.ts'
import { keyAfter } from './row-key.ts'
import type { FamilyRow, RowRange, SqliteFamilyRows } from './sqlite-family-rows.ts'

/**
 * How many rows are listed at first; then four times as many each time. A chunk of large values ends
 * after a row or two, and a step down the tree passes by such values: it reads them to compare keys.
 */
const LISTED_FIRST = 4

/** The rows of one family that a chunk has still to take, listed some at a time. */
export class SqliteFamilyLane {
  readonly #source: SqliteFamilyRows
  readonly #filter: RowFilter
  #rest: RowRange
  #rows: readonly FamilyRow[] = []
  #at = 0
  #listed = LISTED_FIRST / 4

  /** Gives at most `range.count` rows; `filter` is of the source's family. */
  constructor(source: SqliteFamilyRows, filter: RowFilter, range: RowRange) {
    this.#source = source
    this.#filter = filter
    this.#rest = range
  }

  /** The key in hexadecimal of the row that comes next in the direction of the range. */
  nextKey(): string | undefined {
    if (this.#at === this.#rows.length && this.#rest.count > 0) this.#list()
    return this.#rows[this.#at]?.key
  }

  /** What the filter leaves of the next row, whose key is handed in; moves past it. */
  take(key: Uint8Array): readonly Cell[] {
    const row = this.#rows[this.#at] as FamilyRow
    this.#at += 1
    return this.#source.cellsOf(row, key, this.#filter)
  }

  #list(): void {
    this.#listed *= 4
    const count = Math.min(this.#listed, this.#rest.count)
    this.#rows = this.#source.list({ ...this.#rest, count }, this.#filter)
    this.#at = 0
    const last = this.#rows.at(-1)
    if (last === undefined || this.#rows.length < count) {
      this.#rest = { ...this.#rest, count: 0 }
      return
    }
    const key = Buffer.from(last.key, 'hex')
    const bound = this.#rest.reverse ? { end: key } : { start: keyAfter(key) }
    this.#rest = { ...this.#rest, ...bound, count: this.#rest.count - count }
  }
}
