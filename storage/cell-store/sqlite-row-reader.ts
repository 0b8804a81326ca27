// SPDX-License-Identifier: Apache-2.0
import type { Database, Statement } from 'better-sqlite3'
import { type Cell, FAMILIES, type Family } from './cell.ts'
import type { CellSelector, RowFilter } from './row-filter.ts'
import { isChosenValue, uniteChosen } from './row-filter-evaluation.ts'
import { statementTexts } from './sqlite-schema.ts'

const NO_LIMIT = -1

type VersionRecord = [timestamp: number, value: Buffer]
type CellRecord = [qualifier: string, ...VersionRecord]

type ReadStatements = {
  readonly cellsOfColumn: Statement<unknown[], VersionRecord>
  readonly cellsOfRow: Statement<unknown[], CellRecord>
  readonly firstColumn: Statement<unknown[], string>
  readonly nextColumn: Statement<unknown[], string>
}

/**
 * Evaluates filters on one row over one connection, by seeking to what a selector asks for: a column
 * with 100,000 versions costs as much as one with two when its newest cell is asked.
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
    return uniteChosen(filter.map((selector) => this.#chosenBy(row, selector)))
  }

  /** Whether the filter leaves at least one cell of the row. */
  matches(row: Uint8Array, filter: RowFilter): boolean {
    return filter.some((selector) => {
      // How many of the newest are asked makes no difference to whether there is one at all.
      if (selector.values === undefined) {
        const anyOne = { ...selector, newest: 1 }
        if (selector.qualifier !== undefined) return this.#chosenBy(row, anyOne).length > 0
        const { from, until } = timestampRange(selector)
        return this.#statements[selector.family].cellsOfRow.get(row, from, until, 1) !== undefined
      }
      return this.#chosenBy(row, selector).length > 0
    })
  }

  #chosenBy(row: Uint8Array, selector: CellSelector): Cell[] {
    const { family, qualifier } = selector
    if (qualifier !== undefined) return this.#chosenOfColumn(row, selector, qualifier)
    if (selector.newest !== undefined) return this.#newestOfEachColumn(row, selector)
    const { from, until } = timestampRange(selector)
    const records = this.#statements[family].cellsOfRow.all(row, from, until, NO_LIMIT)
    return records
      .map(([qualifier, timestamp, value]) => ({ family, qualifier, timestamp, value }))
      .filter((cell) => isChosenValue(cell.value, selector.values))
  }

  #chosenOfColumn(row: Uint8Array, selector: CellSelector, qualifier: string): Cell[] {
    const { family, newest = NO_LIMIT } = selector
    const { from, until } = timestampRange(selector)
    const chosen: Cell[] = []
    const { cellsOfColumn } = this.#statements[family]
    for (const [timestamp, value] of cellsOfColumn.all(row, qualifier, from, until, newest)) {
      if (isChosenValue(value, selector.values))
        chosen.push({ family, qualifier, timestamp, value })
    }
    return chosen
  }

  #newestOfEachColumn(row: Uint8Array, selector: CellSelector): Cell[] {
    const { firstColumn, nextColumn } = this.#statements[selector.family]
    const chosen: Cell[] = []
    let qualifier = firstColumn.get(row)
    while (qualifier !== undefined) {
      for (const cell of this.#chosenOfColumn(row, selector, qualifier)) chosen.push(cell)
      qualifier = nextColumn.get(row, qualifier)
    }
    return chosen
  }
}

function timestampRange(selector: CellSelector): { from: number; until: number } {
  const { from = 0, until = Number.MAX_SAFE_INTEGER + 1 } = selector.timestamps ?? {}
  return { from, until }
}

function prepareReads(database: Database, family: Family): ReadStatements {
  const texts = statementTexts(family)
  return {
    cellsOfColumn: database.prepare<unknown[], VersionRecord>(texts.cellsOfColumn).raw(),
    cellsOfRow: database.prepare<unknown[], CellRecord>(texts.cellsOfRow).raw(),
    firstColumn: database.prepare<unknown[], string>(texts.firstColumn).pluck(),
    nextColumn: database.prepare<unknown[], string>(texts.nextColumn).pluck(),
  }
}
