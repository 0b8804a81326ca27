// SPDX-License-Identifier: Apache-2.0
import type { Database, Statement } from 'better-sqlite3'
import type { Family, Timestamp } from '../../cell.ts'
import { compareRowKeys } from '../../row-key.ts'
import { isDuplicate } from '../error.ts'
import { CELLS_AT_ONCE, statementTexts } from '../statements.ts'

const COLUMNS = 4

/**
 * Sets cells of one family, eight by one statement where there are so many: to call a statement costs
 * as much as to insert a cell. Until then they wait here, so whoever reads a row of the family or deletes in
 * it settles that row first, and COMMIT all of them. Throws what SQLite throws; the transaction is undone then.
 *
 * `OR REPLACE` for several rows would make SQLite copy each page that they change, to be able to undo
 * the statement by itself. `OR FAIL` leaves the rows before the one that is already there, and setting
 * all of them once more, each by itself, changes nothing in those.
 */
export class SqliteCellInserts {
  readonly #insertSome: Statement<unknown[]>
  readonly #setOne: Statement<unknown[]>
  #waiting: unknown[] = []

  constructor(database: Database, family: Family) {
    const texts = statementTexts(family)
    this.#insertSome = database.prepare(texts.insertCells)
    this.#setOne = database.prepare(texts.setCell)
  }

  set(row: Uint8Array, qualifier: string, timestamp: Timestamp, value: Uint8Array): void {
    this.#waiting.push(row, qualifier, timestamp, value)
    if (this.#waiting.length === CELLS_AT_ONCE * COLUMNS) this.#insert()
  }

  /** Everything that was set in the row is in the database; what waits is mostly of others. */
  settleRow(row: Uint8Array): void {
    if (this.#hasWaiting(row)) this.settle()
  }

  /** Everything that was set is in the database. */
  settle(): void {
    if (this.#waiting.length > 0) this.#setOneByOne()
  }

  /** Of a transaction that was undone. */
  forget(): void {
    this.#waiting = []
  }

  /** They are few, and a set of the texts of their keys would cost more than to compare them. */
  #hasWaiting(row: Uint8Array): boolean {
    for (let at = 0; at < this.#waiting.length; at += COLUMNS) {
      if (compareRowKeys(this.#waiting[at] as Uint8Array, row) === 0) return true
    }
    return false
  }

  #insert(): void {
    try {
      this.#insertSome.run(...this.#waiting)
    } catch (error) {
      if (!isDuplicate(error)) throw error
      this.#setOneByOne()
    }
    this.forget()
  }

  #setOneByOne(): void {
    const waiting = this.#waiting
    for (let at = 0; at < waiting.length; at += COLUMNS) {
      this.#setOne.run(waiting[at], waiting[at + 1], waiting[at + 2], waiting[at + 3])
    }
    this.forget()
  }
}
