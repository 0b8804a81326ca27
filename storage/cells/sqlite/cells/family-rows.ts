// SPDX-License-Identifier: Apache-2.0
import type { Database, Statement } from 'better-sqlite3'
import type { Cell, Family } from '../../cell.ts'
import type { CellSelector, RowFilter } from '../../row-filter.ts'
import { keyString } from '../../row-key.ts'
import { damaged } from '../error.ts'
import { PACKED_BYTES_MAX, statementTexts } from '../statements.ts'
import { END_OF_TIME, type SqliteRowReader } from './row-reader.ts'

/** A row of a family, its key as a `keyString`. */
export type FamilyRow = {
  readonly key: string
  /** The row's newest cell as a walk saw it, null if it has none; absent if it was not read. */
  newest?: Pick<Cell, 'timestamp' | 'value'> | null | undefined
}

export type RowRange = {
  readonly start: Uint8Array
  readonly end: Uint8Array
  readonly reverse: boolean
  readonly count: number
}

/** The rows that a walk has read completely. */
export type Walk = {
  readonly rows: readonly FamilyRow[]
  readonly cellCount: number
  /** Whether it reached the end of the range. */
  readonly isWhole: boolean
}

/** As `PACKED` says; all null where there is none. */
type PackedCells = [keys: Buffer, heads: string | null, values: Buffer]

type ListStatements = Readonly<Record<'rows' | 'walk', Statement<unknown[], PackedCells>>>

/** The part of a filter that asks for one column's newest cell, when that is all it asks of the family. */
export type NewestOfColumn = CellSelector & { readonly qualifier: string }

/** Lists the rows of a range that have cells of one family, and reads what a filter asks of this family. */
export class SqliteFamilyRows {
  readonly family: Family
  readonly #rowReader: SqliteRowReader
  readonly #forward: ListStatements
  readonly #backward: ListStatements

  constructor(database: Database, family: Family, rowReader: SqliteRowReader) {
    this.family = family
    this.#rowReader = rowReader
    const texts = statementTexts(family)
    const prepare = (sql: string) => database.prepare<unknown[], PackedCells>(sql).raw()
    this.#forward = { rows: prepare(texts.rowsForward), walk: prepare(texts.walkForward) }
    this.#backward = { rows: prepare(texts.rowsBackward), walk: prepare(texts.walkBackward) }
  }

  /** The first rows of the range, or of its reverse, in that order, by a few seeks for each. */
  list({ start, end, reverse, count }: RowRange, newest: NewestOfColumn | undefined): FamilyRow[] {
    const { rows } = reverse ? this.#backward : this.#forward
    const column = newest?.qualifier ?? null
    const { from = 0, until = END_OF_TIME } = newest?.timestamps ?? {}
    const bounds = [start, end, reverse ? start : end, count]
    const cells = rows.get(...bounds, column, column, from, until) as PackedCells
    const found = rowsOfCells(cells, reverse).rows
    return newest === undefined ? found.map(({ key }) => ({ key })) : found
  }

  /**
   * The same by a walk from cell to cell, which costs half as much if rows have few cells. A row that the walk may not
   * have read completely is left out.
   */
  walk({ start, end, reverse }: RowRange, newest: NewestOfColumn, cellsMax: number): Walk {
    const { walk } = reverse ? this.#backward : this.#forward
    const { from = 0, until = END_OF_TIME } = newest.timestamps ?? {}
    const cells = walk.get(newest.qualifier, from, until, start, end, cellsMax) as PackedCells
    const { rows, cellCount } = rowsOfCells(cells, reverse)
    const isWhole = cellCount < cellsMax
    if (!isWhole) rows.pop()
    return { rows, cellCount, isWhole }
  }

  /** The cells that the filter leaves of the row, which was listed for this filter. */
  cellsOf({ newest }: FamilyRow, key: Uint8Array, filter: RowFilter): readonly Cell[] {
    if (newest === null) return []
    if (newest === undefined) return this.#rowReader.readRow(key, filter)
    const { qualifier = '' } = filter[0] as CellSelector
    return [{ family: this.family, qualifier, ...newest }]
  }
}

function rowsOfCells([keys, heads, values]: PackedCells, reverse: boolean) {
  const rows: FamilyRow[] = []
  if (heads === null) return { rows, cellCount: 0 }
  const keyStrings = keyString(keys)
  const numbers = heads.split(' ')
  let row: FamilyRow | undefined
  let [keyAt, valueAt, newestAt] = [0, 0, -1]
  for (let at = 0; at < numbers.length; at += 3) {
    const key = keyStrings.slice(keyAt, keyAt + Number(numbers[at]))
    keyAt += key.length
    if (row?.key !== key) {
      // SQLite promises no order of what it aggregates.
      if (row !== undefined && row.key < key === reverse) throw damaged('Cells are not in order.')
      row = { key, newest: null }
      rows.push(row)
      newestAt = -1
    }
    if (numbers[at + 2] === '') continue
    const [timestamp, size] = [Number(numbers[at + 1]), Number(numbers[at + 2])]
    const isShort = size <= PACKED_BYTES_MAX
    if (timestamp > newestAt) {
      const value = values.subarray(valueAt, valueAt + size)
      row.newest = isShort ? { timestamp, value } : undefined
      newestAt = timestamp
    }
    if (isShort) valueAt += size
  }
  return { rows, cellCount: numbers.length / 3 }
}

/** The filter's only selector, if it asks for one column's newest cell; else undefined. The filter is of one family. */
export function newestOfColumn(filter: RowFilter): NewestOfColumn | undefined {
  const [selector] = filter
  if (filter.length !== 1 || selector?.newest !== 1 || selector.values !== undefined)
    return undefined
  return selector.qualifier === undefined ? undefined : (selector as NewestOfColumn)
}
