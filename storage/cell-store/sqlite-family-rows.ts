// SPDX-License-Identifier: Apache-2.0
import type { Database, Statement } from 'better-sqlite3'
import type { Cell, Family } from './cell.ts'
import type { CellSelector, RowFilter } from './row-filter.ts'
import { END_OF_TIME, type SqliteRowReader } from './sqlite-row-reader.ts'
import { statementTexts } from './sqlite-schema.ts'

/** A row of a family, its key in hexadecimal: such keys are equal and sort as the bytes do. */
export type FamilyRow = {
  readonly key: string
  /** What the list says of the row's newest cell, when it was made for that. */
  readonly newest: string | null | undefined
}

export type RowRange = {
  readonly start: Uint8Array
  readonly end: Uint8Array
  readonly reverse: boolean
  readonly count: number
}

type ListRecord = [key: string, newest?: string | null]

type ListStatements = {
  readonly rows: Statement<unknown[], ListRecord>
  readonly newest: Statement<unknown[], ListRecord>
}

/** The part of a filter that asks for one column's newest cell, when that is all it asks of the family. */
type NewestOfColumn = CellSelector & { readonly qualifier: string }

/** Lists rows of one family of a range, and reads of each of them what a filter asks of this family. */
export class SqliteFamilyRows {
  readonly family: Family
  readonly #rowReader: SqliteRowReader
  readonly #forward: ListStatements
  readonly #backward: ListStatements

  constructor(database: Database, family: Family, rowReader: SqliteRowReader) {
    this.family = family
    this.#rowReader = rowReader
    const texts = statementTexts(family)
    const prepare = (text: string) => database.prepare<unknown[], ListRecord>(text).raw()
    this.#forward = { rows: prepare(texts.rowsForward), newest: prepare(texts.newestForward) }
    this.#backward = { rows: prepare(texts.rowsBackward), newest: prepare(texts.newestBackward) }
  }

  /** The first rows of the range, or of its reverse, in that order; `filter` is of this family. */
  list({ start, end, reverse, count }: RowRange, filter: RowFilter): FamilyRow[] {
    const { rows, newest } = reverse ? this.#backward : this.#forward
    const bound = reverse ? start : end
    const selector = newestOfColumn(filter)
    if (selector === undefined) return rows.all(start, end, bound, count).map(familyRow)
    const { from = 0, until = END_OF_TIME } = selector.timestamps ?? {}
    return newest.all(start, end, bound, count, selector.qualifier, from, until).map(familyRow)
  }

  /** The cells that the filter, which the list was made for, leaves of a row of the list. */
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

function familyRow([key, newest]: ListRecord): FamilyRow {
  return { key, newest }
}

function newestOfColumn(filter: RowFilter): NewestOfColumn | undefined {
  const [selector] = filter
  if (filter.length !== 1 || selector?.newest !== 1 || selector.values !== undefined)
    return undefined
  return selector.qualifier === undefined ? undefined : (selector as NewestOfColumn)
}
