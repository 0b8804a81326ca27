// SPDX-License-Identifier: Apache-2.0
import type { Cell } from '../../cell.ts'
import type { RowFilter } from '../../row-filter.ts'
import { keyAfter } from '../../row-key.ts'
import {
  type FamilyRow,
  type NewestOfColumn,
  newestOfColumn,
  type RowRange,
  type SqliteFamilyRows,
} from './family-rows.ts'

/**
 * Rows listed at first; then four times as many each time. A chunk of large values ends after a row or two, and a seek
 * in the tree reads such values on its way to compare keys.
 */
const LISTED_FIRST = 4

/** Most cells per walk. */
const WALKED_MAX = 64

/** With more cells per row than this, one seek per row is cheaper than a walk. */
const WALKED_CELLS_A_ROW = 4

/** The rows of one family that a chunk has still to take, listed in parts. */
export class SqliteFamilyLane {
  /** That of the row that `nextKey` has found, as a `keyString`; undefined at the end. */
  key: string | undefined
  readonly #source: SqliteFamilyRows
  readonly #filter: RowFilter
  readonly #column: NewestOfColumn | undefined
  /** Whether rows are listed by a walk, and not by seeks. */
  #walks = true
  #rest: RowRange
  #rows: readonly FamilyRow[] = []
  #at = 0
  #listed = LISTED_FIRST / 4

  /** Takes at most `range.count` rows; `filter` is of the source's family. */
  constructor(source: SqliteFamilyRows, filter: RowFilter, range: RowRange) {
    this.#source = source
    this.#filter = filter
    this.#column = newestOfColumn(filter)
    this.#rest = range
  }

  /** Looks for the next row in the direction of the range; returns its `key`. */
  nextKey(): string | undefined {
    if (this.#at === this.#rows.length && this.#rest.count > 0) this.#list()
    this.key = this.#rows[this.#at]?.key
    return this.key
  }

  /** The cells that the filter leaves of the row that `nextKey` has found, whose key this is; moves past it. */
  take(key: Uint8Array): readonly Cell[] {
    const row = this.#rows[this.#at] as FamilyRow
    this.#at += 1
    return this.#source.cellsOf(row, key, this.#filter)
  }

  #list(): void {
    const isWhole = this.#walk() ?? this.#step()
    this.#at = 0
    const last = this.#rows.at(-1)
    const count = this.#rest.count - this.#rows.length
    if (isWhole || last === undefined || count === 0) {
      this.#rest = { ...this.#rest, count: 0 }
      return
    }
    const key = Buffer.from(last.key, 'latin1')
    const bound = this.#rest.reverse ? { end: key } : { start: keyAfter(key) }
    this.#rest = { ...this.#rest, ...bound, count }
  }

  /** Whether the range has no more rows; undefined if seeks have to find out. */
  #walk(): boolean | undefined {
    if (!this.#walks || this.#column === undefined) return undefined
    // Some more than the rows wanted, because of older versions.
    const { count } = this.#rest
    const cellsMax = Math.min(count + Math.max(2, count >> 2), WALKED_MAX)
    const { rows, cellCount, isWhole } = this.#source.walk(this.#rest, this.#column, cellsMax)
    if (rows.length * WALKED_CELLS_A_ROW < cellCount) this.#walks = false
    this.#rows = rows.length > this.#rest.count ? rows.slice(0, this.#rest.count) : rows
    return rows.length === 0 && !isWhole ? undefined : isWhole
  }

  #step(): boolean {
    this.#listed *= 4
    const count = Math.min(this.#listed, this.#rest.count)
    this.#rows = this.#source.list({ ...this.#rest, count }, this.#column)
    return this.#rows.length < count
  }
}
