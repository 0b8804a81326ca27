// SPDX-License-Identifier: Apache-2.0

import { STORAGE_LIMITS } from '../../storage/storage.ts'
import { indexSpace } from '../../storage/tables/tables.ts'
import type { StatementTransaction } from './rows/execution-context.ts'

/** What a statement read, for EXPLAIN ANALYZE. */
export type ReadFigures = {
  /** Rows of tables that were there. */
  rows: number
  /** Entries of indexes that were there. */
  entries: number
  /** Values of families and of entries. */
  cells: number
  /** Multi-gets, and pages of ranges. */
  roundTrips: number
}

const [INDEX_SPACE] = indexSpace(0)

/** A transaction that counts what is read through it. */
export class CountingTransaction implements StatementTransaction {
  readonly figures: ReadFigures = { rows: 0, entries: 0, cells: 0, roundTrips: 0 }
  readonly #transaction: StatementTransaction

  constructor(transaction: StatementTransaction) {
    this.#transaction = transaction
  }

  getRow: StatementTransaction['getRow'] = async (key, columns) => {
    const [row] = await this.getRows([key], columns)
    return row ?? null
  }

  getRows: StatementTransaction['getRows'] = async (keys, columns) => {
    const rows = await this.#transaction.getRows(keys, columns)
    this.figures.roundTrips += 1
    for (const row of rows) if (row !== null) this.#count(row.key, row.columns.size)
    return rows
  }

  /** One by one, so that rows after the end of the walk do not count. */
  async *scanBatches(range: Parameters<StatementTransaction['scanBatches']>[0]) {
    let rows = 0
    for await (const batch of this.#transaction.scanBatches(range)) {
      for (const row of batch) {
        if (rows % STORAGE_LIMITS.scanPageRows === 0) this.figures.roundTrips += 1
        rows += 1
        this.#count(row.key, row.columns.size)
        yield [row]
      }
    }
    // Also finding nothing takes a look.
    if (rows === 0) this.figures.roundTrips += 1
  }

  requireRoom: StatementTransaction['requireRoom'] = () => this.#transaction.requireRoom()
  put: StatementTransaction['put'] = (...write) => this.#transaction.put(...write)
  delete: StatementTransaction['delete'] = (...write) => this.#transaction.delete(...write)
  guard: StatementTransaction['guard'] = (...write) => this.#transaction.guard(...write)
  notify: StatementTransaction['notify'] = (...of) => this.#transaction.notify(...of)
  dependOnSchema: StatementTransaction['dependOnSchema'] = (id) =>
    this.#transaction.dependOnSchema(id)
  statementWrite: StatementTransaction['statementWrite'] = (...at) =>
    this.#transaction.statementWrite(...at)

  statement: StatementTransaction['statement'] = (...of) => this.#transaction.statement(...of)

  #count(key: Uint8Array, cells: number): void {
    if (key[0] === INDEX_SPACE) this.figures.entries += 1
    else this.figures.rows += 1
    this.figures.cells += cells
  }
}
