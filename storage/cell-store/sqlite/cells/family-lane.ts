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
 * How many rows are listed at first; then four times as many each time. A chunk of large values ends
 * after a row or two, and a step down the tree passes by such values: it reads them to compare keys.
 */
const LISTED_FIRST = 4

/** So many cells are walked over at once; few more than the rows wanted, for those with older versions. */
const WALKED_MAX = 64
const WALKED_BESIDE = 8

/** With more cells a row than this, one step down the tree for each row is cheaper than a walk. */
const WALKED_CELLS_A_ROW = 4

/** The rows of one family that a chunk has still to take, listed some at a time. */
export class SqliteFamilyLane {
  readonly #source: SqliteFamilyRows
  readonly #filter: RowFilter
  /** What a walk looks for; undefined when the rows are to be listed step by step. */
  #walked: NewestOfColumn | undefined
  #rest: RowRange
  #rows: readonly FamilyRow[] = []
  #at = 0
  #listed = LISTED_FIRST / 4

  /** Gives at most `range.count` rows; `filter` is of the source's family. */
  constructor(source: SqliteFamilyRows, filter: RowFilter, range: RowRange) {
    this.#source = source
    this.#filter = filter
    this.#walked = newestOfColumn(filter)
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
    const isWhole = this.#walk() ?? this.#step()
    this.#at = 0
    const last = this.#rows.at(-1)
    const count = this.#rest.count - this.#rows.length
    if (isWhole || last === undefined || count === 0) {
      this.#rest = { ...this.#rest, count: 0 }
      return
    }
    const key = Buffer.from(last.key, 'hex')
    const bound = this.#rest.reverse ? { end: key } : { start: keyAfter(key) }
    this.#rest = { ...this.#rest, ...bound, count }
  }

  /** Whether the range has no more rows; undefined when it has to be found out step by step. */
  #walk(): boolean | undefined {
    if (this.#walked === undefined) return undefined
    const cellsMax = Math.min(this.#rest.count + WALKED_BESIDE, WALKED_MAX)
    const { rows, cellCount, isWhole } = this.#source.walk(this.#rest, this.#walked, cellsMax)
    if (rows.length * WALKED_CELLS_A_ROW < cellCount) this.#walked = undefined
    this.#rows = rows.length > this.#rest.count ? rows.slice(0, this.#rest.count) : rows
    return rows.length === 0 && !isWhole ? undefined : isWhole
  }

  #step(): boolean {
    this.#listed *= 4
    const count = Math.min(this.#listed, this.#rest.count)
    this.#rows = this.#source.list({ ...this.#rest, count })
    return this.#rows.length < count
  }
}
