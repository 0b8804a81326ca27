// SPDX-License-Identifier: Apache-2.0
import type { Database, Statement } from 'better-sqlite3'
import { type Cell, FAMILIES, type Family } from '../../cell.ts'
import type { DeleteFromColumn } from '../../mutation.ts'
import { inlineValueBytesMax } from '../schema.ts'
import { SET_LONG_CELL, SET_VALUE, statementTexts } from '../statements.ts'
import { SqliteCellInserts } from './cell-inserts.ts'
import { END_OF_TIME } from './row-reader.ts'

type FamilyWrites = {
  readonly inserts: SqliteCellInserts
  /** Parameters: row, qualifier, from, until. */
  readonly deleteFromColumn: Statement<unknown[]>
}

/**
 * Changes the cells of all families over one connection. What is set may wait here until it is settled; a cell with a
 * long value does not.
 */
export class SqliteCellWrites {
  readonly #writes: Readonly<Record<Family, FamilyWrites>>
  readonly #setValue: Statement<unknown[]>
  readonly #setLong: Statement<unknown[]>
  readonly #inlineBytesMax: number

  constructor(database: Database) {
    const entries = FAMILIES.map((family): [Family, FamilyWrites] => {
      const deleteFromColumn = database.prepare(statementTexts(family).deleteFromColumn)
      return [family, { inserts: new SqliteCellInserts(database, family), deleteFromColumn }]
    })
    this.#writes = Object.fromEntries(entries) as Record<Family, FamilyWrites>
    this.#setValue = database.prepare(SET_VALUE)
    this.#setLong = database.prepare(SET_LONG_CELL)
    this.#inlineBytesMax = inlineValueBytesMax(database)
  }

  set(row: Uint8Array, { family, qualifier, timestamp, value }: Cell): void {
    const { inserts } = this.#writes[family]
    if (family !== 'data' || value.length <= this.#inlineBytesMax) {
      inserts.set(row, qualifier, timestamp, value)
      return
    }
    inserts.settleRow(row)
    this.#setValue.run(row, qualifier, timestamp, value)
    this.#setLong.run(row, qualifier, timestamp)
  }

  deleteFromColumn(
    row: Uint8Array,
    { family, qualifier, timestamps }: Omit<DeleteFromColumn, 'kind'>,
  ): void {
    const { inserts, deleteFromColumn } = this.#writes[family]
    inserts.settleRow(row)
    const { from = 0, until = END_OF_TIME } = timestamps
    deleteFromColumn.run(row, qualifier, from, until)
  }

  /** Writes what was set in a row of the family to the database, so that it can be read. */
  settleRow(row: Uint8Array, family: Family): void {
    this.#writes[family].inserts.settleRow(row)
  }

  /** Writes everything that was set to the database. */
  settle(): void {
    for (const family of FAMILIES) this.#writes[family].inserts.settle()
  }

  /** Drops what waits, after its transaction was undone. */
  forget(): void {
    for (const family of FAMILIES) this.#writes[family].inserts.forget()
  }
}
