// SPDX-License-Identifier: Apache-2.0
import type { Transaction } from '../../../storage/storage.ts'
import { type Catalog, tableIdOf } from '../../../storage/tables/tables.ts'
import type { Turns } from '../../guard/budgets/turns.ts'
import { type IndexedStatement, statementKind } from '../prepared/script.ts'

type RowsByTable = ReadonlyArray<{ readonly table: string; readonly rows: number }>

/** Rows that are counted between two looks at the clock. */
const ROWS_A_LOOK = 1_000

/**
 * What a transaction over several requests has done, for those who list them. Of its statements it keeps no text and no
 * value; its rows are counted when somebody asks, each once.
 */
export class SessionWork {
  #statements = 0
  #last: string | undefined
  #countedRows = 0
  readonly #rowsByTableId = new Map<number, number>()

  /** These statements have run. */
  ran(statements: readonly IndexedStatement[], catalog: Catalog): void {
    const last = statements.at(-1)?.statement
    if (last === undefined) return
    this.#statements += statements.length
    this.#last = statementKind(last, catalog)
  }

  get statements(): number {
    return this.#statements
  }

  /** `SET account`; undefined where none has run. */
  get last(): string | undefined {
    return this.#last
  }

  /**
   * How many rows of each table the transaction has written or guarded; entries of indexes are none. Counts those that
   * were added since it was asked last. Rejects as `Turns.pause`.
   */
  async writes(transaction: Transaction, catalog: Catalog, turns: Turns): Promise<RowsByTable> {
    for (;;) {
      const key = transaction.written?.keyAt(this.#countedRows)
      if (key === undefined) break
      this.#countedRows += 1
      const tableId = tableIdOf(key)
      if (tableId !== undefined) {
        this.#rowsByTableId.set(tableId, (this.#rowsByTableId.get(tableId) ?? 0) + 1)
      }
      if (this.#countedRows % ROWS_A_LOOK === 0 && turns.isDue) await turns.pause()
    }
    return catalog.tables().flatMap(({ id, name: table }) => {
      const rows = this.#rowsByTableId.get(id)
      return rows === undefined ? [] : [{ table, rows }]
    })
  }
}
