// SPDX-License-Identifier: Apache-2.0
import type { Database, Statement } from 'better-sqlite3'
import type { Family, Timestamp } from '../../cell.ts'
import { compareRowKeys } from '../../row-key.ts'
import { isDuplicate } from '../error.ts'
import { CELLS_AT_ONCE, statementTexts } from '../statements.ts'

const COLUMNS = 4

/**
 * Sets cells of one family, eight per statement: calling a statement costs as much as inserting a cell. Until there are
 * eight they wait here, so code that reads a row of the family or deletes in it settles that row first, and COMMIT
 * settles all of them. Throws what SQLite throws; then the transaction is undone.
 *
 * `OR REPLACE` for several rows would make SQLite copy each page that they change, to be able to undo the statement
 * alone. `OR FAIL` keeps the rows before the one that already exists, and then each row is set again by a statement of
 * its own, which changes nothing in those.
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

  /** Writes everything that was set in the row to the database; most waiting cells are of other rows. */
  settleRow(row: Uint8Array): void {
    if (this.#hasWaiting(row)) this.settle()
  }

  /** Writes everything that was set to the database. */
  settle(): void {
    if (this.#waiting.length > 0) this.#setOneByOne()
  }

  /** Drops what waits, after its transaction was undone. */
  forget(): void {
    this.#waiting = []
  }

  /** They are few, and a set of the texts of their keys would cost more than comparing them. */
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
