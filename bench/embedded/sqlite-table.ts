// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path'
import SqliteDatabase, { type Database } from 'better-sqlite3'
import { rowKey, rowValue, TRANSACTION_TABLE } from './rows.ts'

/**
 * The ceiling: one table of keys and values in better-sqlite3, with the same journal and the same
 * syncing as the cell store, and nothing else. Its calls block the event loop and its writer has no
 * thread of its own; no server could work like this.
 */
export class SqliteTable {
  readonly rows: number
  readonly #database: Database
  /** Writes the rows in one COMMIT, which syncs. */
  readonly putGroup: (writes: ReadonlyArray<readonly [row: number, sequence: number]>) => void

  constructor(folder: string, rows: number) {
    this.rows = rows
    this.#database = new SqliteDatabase(join(folder, 'table.db'))
    this.#database.pragma('journal_mode = WAL')
    this.#database.pragma('synchronous = FULL')
    this.#database.exec('CREATE TABLE cell (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID')
    const put = this.#database.prepare('INSERT OR REPLACE INTO cell (key, value) VALUES (?, ?)')
    this.putGroup = this.#database.transaction((writes) => {
      for (const [row, sequence] of writes)
        put.run(rowKey(TRANSACTION_TABLE, row), rowValue(sequence))
    })
    this.putGroup(Array.from({ length: rows }, (_, row) => [row, row] as const))
  }

  close(): void {
    this.#database.close()
  }
}
