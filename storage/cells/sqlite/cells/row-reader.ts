// SPDX-License-Identifier: Apache-2.0
import type { Database, Statement } from 'better-sqlite3'
import { type Cell, FAMILIES, type Family } from '../../cell.ts'
import type { CellSelector, RowFilter } from '../../row-filter.ts'
import { isChosenValue, uniteChosen } from '../../row-filter-evaluation.ts'
import { damaged } from '../error.ts'
import { statementTexts } from '../statements.ts'

const NO_LIMIT = -1

/** Above every timestamp; the exclusive end of an open range of them. */
export const END_OF_TIME = Number.MAX_SAFE_INTEGER + 1

const NO_CELLS: readonly Cell[] = Object.freeze([])

/** The value is null if the cell names one that does not exist. */
type VersionRecord = [timestamp: number, value: Buffer | null]
type CellRecord = [qualifier: string, ...VersionRecord]

type ReadStatements = {
  readonly newestOfColumn: Statement<unknown[], VersionRecord>
  readonly cellsOfColumn: Statement<unknown[], VersionRecord>
  readonly cellsOfRow: Statement<unknown[], CellRecord>
  readonly firstColumn: Statement<unknown[], string>
  readonly nextColumn: Statement<unknown[], string>
}

/**
 * Evaluates filters on one row over one connection, by seeking to what a selector asks for: the newest cell of a column
 * with 100,000 versions costs as much as that of one with two.
 *
 * The caller holds a transaction open around each call, so that a row is one atomic image.
 */
export class SqliteRowReader {
  readonly #statements: Readonly<Record<Family, ReadStatements>>

  constructor(database: Database) {
    const entries = FAMILIES.map((family) => [family, prepareReads(database, family)] as const)
    this.#statements = Object.fromEntries(entries) as Record<Family, ReadStatements>
  }

  /** The cells that the filter leaves of the row, in the order of the contract. */
  readRow(row: Uint8Array, filter: RowFilter): readonly Cell[] {
    const [first] = filter
    if (first === undefined) return NO_CELLS
    if (filter.length === 1) return this.#chosenBy(row, first)
    return uniteChosen(filter.map((selector) => this.#chosenBy(row, selector)))
  }

  /** Whether the filter leaves at least one cell of the row. */
  matches(row: Uint8Array, filter: RowFilter): boolean {
    // `newest` makes no difference to it, and of those that are chosen by value the newest may not be the one.
    return filter.some(
      (selector) =>
        this.#chosenBy(row, selector.values ? selector : { ...selector, newest: 1 }).length > 0,
    )
  }

  #chosenBy(row: Uint8Array, selector: CellSelector): readonly Cell[] {
    const { family, qualifier, newest, values } = selector
    if (qualifier !== undefined) {
      return newest === 1 && values === undefined
        ? this.#newestOfColumn(row, selector, qualifier)
        : this.#chosenOfColumn(row, selector, qualifier)
    }
    if (newest !== undefined) return this.#newestOfEachColumn(row, selector)
    const { from = 0, until = END_OF_TIME } = selector.timestamps ?? {}
    const chosen: Cell[] = []
    const { cellsOfRow } = this.#statements[family]
    for (const [qualifier, timestamp, value] of cellsOfRow.all(row, from, until, NO_LIMIT)) {
      const cell = cellOf(family, qualifier, timestamp, value)
      if (isChosenValue(cell.value, values)) chosen.push(cell)
    }
    return chosen
  }

  /** The most frequent read: what a snapshot asks of each column. */
  #newestOfColumn(row: Uint8Array, selector: CellSelector, qualifier: string): readonly Cell[] {
    const { family, timestamps } = selector
    const found = this.#statements[family].newestOfColumn.get(
      row,
      qualifier,
      timestamps?.from ?? 0,
      timestamps?.until ?? END_OF_TIME,
    )
    return found === undefined ? NO_CELLS : [cellOf(family, qualifier, ...found)]
  }

  #chosenOfColumn(row: Uint8Array, selector: CellSelector, qualifier: string): readonly Cell[] {
    const { family, newest = NO_LIMIT, values } = selector
    const { from = 0, until = END_OF_TIME } = selector.timestamps ?? {}
    const { cellsOfColumn } = this.#statements[family]
    const chosen: Cell[] = []
    for (const [timestamp, value] of cellsOfColumn.all(row, qualifier, from, until, newest)) {
      const cell = cellOf(family, qualifier, timestamp, value)
      if (isChosenValue(cell.value, values)) chosen.push(cell)
    }
    return chosen
  }

  #newestOfEachColumn(row: Uint8Array, selector: CellSelector): Cell[] {
    const { firstColumn, nextColumn } = this.#statements[selector.family]
    const chosen: Cell[] = []
    let qualifier = firstColumn.get(row)
    while (qualifier !== undefined) {
      for (const cell of this.#chosenBy(row, { ...selector, qualifier })) chosen.push(cell)
      qualifier = nextColumn.get(row, qualifier)
    }
    return chosen
  }
}

function cellOf(family: Family, qualifier: string, ...[timestamp, value]: VersionRecord): Cell {
  if (value === null) throw damaged('The file has no value for a cell that names one.')
  return { family, qualifier, timestamp, value }
}

function prepareReads(database: Database, family: Family): ReadStatements {
  const texts = statementTexts(family)
  return {
    newestOfColumn: database.prepare<unknown[], VersionRecord>(texts.newestOfColumn).raw(),
    cellsOfColumn: database.prepare<unknown[], VersionRecord>(texts.cellsOfColumn).raw(),
    cellsOfRow: database.prepare<unknown[], CellRecord>(texts.cellsOfRow).raw(),
    firstColumn: database.prepare<unknown[], string>(texts.firstColumn).pluck(),
    nextColumn: database.prepare<unknown[], string>(texts.nextColumn).pluck(),
  }
}
