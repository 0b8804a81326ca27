// SPDX-License-Identifier: Apache-2.0
import type { Database, Statement } from 'better-sqlite3'
import type { Cell, Family } from '../../cell.ts'
import type { CellSelector, RowFilter } from '../../row-filter.ts'
import { statementTexts } from '../statements.ts'
import { END_OF_TIME, type SqliteRowReader } from './row-reader.ts'

/** A row of a family, its key in hexadecimal: such keys are equal and sort as the bytes do. */
export type FamilyRow = {
  readonly key: string
  /** The row's newest cell as a walk saw it, null if it has none; absent if it was not read. */
  readonly newest?: string | null
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

type WalkedCell = [key: string, seen: string | null]
type WalkedRow = { readonly key: string; newest: string | null }

type ListStatements = {
  readonly rows: Statement<unknown[], string>
  readonly walk: Statement<unknown[], WalkedCell>
}

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
    const prepare = (rows: string, walk: string): ListStatements => ({
      rows: database.prepare<unknown[], string>(rows).pluck(),
      walk: database.prepare<unknown[], WalkedCell>(walk).raw(),
    })
    this.#forward = prepare(texts.rowsForward, texts.walkForward)
    this.#backward = prepare(texts.rowsBackward, texts.walkBackward)
  }

  /** The first rows of the range, or of its reverse, in that order, by one seek for each. */
  list({ start, end, reverse, count }: RowRange): FamilyRow[] {
    const { rows } = reverse ? this.#backward : this.#forward
    return rows.all(start, end, reverse ? start : end, count).map((key) => ({ key }))
  }

  /**
   * The same by a walk from cell to cell, which costs half as much if rows have few cells. A row that the walk may not
   * have read completely is left out.
   */
  walk({ start, end, reverse }: RowRange, newest: NewestOfColumn, cellsMax: number): Walk {
    const { walk } = reverse ? this.#backward : this.#forward
    const { from = 0, until = END_OF_TIME } = newest.timestamps ?? {}
    const cells = walk.all(newest.qualifier, from, until, start, end, cellsMax)
    const rows = rowsOfCells(cells, reverse)
    const isWhole = cells.length < cellsMax
    if (!isWhole) rows.pop()
    return { rows, cellCount: cells.length, isWhole }
  }

  /** The cells that the filter leaves of the row, which was listed for this filter. */
  cellsOf({ newest }: FamilyRow, key: Uint8Array, filter: RowFilter): readonly Cell[] {
    if (newest === null) return []
    if (newest === undefined || newest.endsWith('-')) return this.#rowReader.readRow(key, filter)
    const space = newest.indexOf(' ')
    const { qualifier = '' } = filter[0] as CellSelector
    const timestamp = Number(newest.slice(0, space))
    const value = Buffer.from(newest.slice(space + 1), 'hex')
    return [{ family: this.family, qualifier, timestamp, value }]
  }
}

/** The newest of a row's selected cells comes first, and last in reverse. */
function rowsOfCells(cells: readonly WalkedCell[], reverse: boolean): FamilyRow[] {
  const rows: WalkedRow[] = []
  let row: WalkedRow | undefined
  for (const [key, seen] of cells) {
    if (row?.key !== key) {
      row = { key, newest: seen }
      rows.push(row)
    } else if (seen !== null && (reverse || row.newest === null)) row.newest = seen
  }
  return rows
}

/** The filter's only selector, if it asks for one column's newest cell; else undefined. The filter is of one family. */
export function newestOfColumn(filter: RowFilter): NewestOfColumn | undefined {
  const [selector] = filter
  if (filter.length !== 1 || selector?.newest !== 1 || selector.values !== undefined)
    return undefined
  return selector.qualifier === undefined ? undefined : (selector as NewestOfColumn)
}
