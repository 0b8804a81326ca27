// SPDX-License-Identifier: Apache-2.0
import type { Database, Statement } from 'better-sqlite3'
import type { Cell, Family } from './cell.ts'
import { compareRowKeys, keyAfter } from './row-key.ts'
import { statementTexts } from './sqlite-schema.ts'

/** A family with more cells than this in one row is not swept through that row. */
const SWEPT_CELLS_MAX = 16

type RangeRecord = [row: Buffer, qualifier: string, timestamp: number, value: Buffer]

/** Walks the cells of one family in the order of their rows, over one statement that it opens and closes. */
export class SqliteFamilyCursor {
  readonly #family: Family
  readonly #statement: Statement<unknown[], RangeRecord>
  #records: IterableIterator<RangeRecord> | undefined
  #next: RangeRecord | undefined
  #end: Uint8Array = new Uint8Array()

  constructor(database: Database, family: Family) {
    this.#family = family
    const text = statementTexts(family).cellsOfRange
    this.#statement = database.prepare<unknown[], RangeRecord>(text).raw()
  }

  /** Stands before the first cell of [start, end). */
  seek(start: Uint8Array, end: Uint8Array): void {
    this.close()
    this.#end = end
    this.#records = this.#statement.iterate(start, end)
    this.#step()
  }

  /** The row of the cell that comes next; absent at the end of the range. */
  get row(): Uint8Array | undefined {
    return this.#next?.[0]
  }

  /**
   * Appends the family's cells of row `key`, if it is the next row, and moves past that row. Answers
   * false, with only some of the cells appended, when the row is too large to be swept.
   */
  takeRow(key: Uint8Array, cells: Cell[]): boolean {
    const family = this.#family
    for (let taken = 0; this.#next !== undefined; taken++) {
      const [row, qualifier, timestamp, value] = this.#next
      if (compareRowKeys(row, key) !== 0) return true
      if (taken === SWEPT_CELLS_MAX) {
        this.seek(keyAfter(key), this.#end)
        return false
      }
      cells.push({ family, qualifier, timestamp, value })
      this.#step()
    }
    return true
  }

  close(): void {
    this.#records?.return?.()
    this.#records = undefined
    this.#next = undefined
  }

  #step(): void {
    const step = this.#records?.next()
    this.#next = step === undefined || step.done ? undefined : step.value
  }
}
