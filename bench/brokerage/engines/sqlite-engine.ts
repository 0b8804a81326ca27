// SPDX-License-Identifier: Apache-2.0
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { BeginOptions, BulkLoader, Engine, Session, Transaction } from '../engine.ts'
import { loadSqlite } from '../loading/sqlite-loader.ts'
import type { ColumnOf, IndexOf, TableName } from '../schema/schema.ts'
import { BufferedTransaction, type Write } from './buffered-transaction.ts'
import { keyColumns } from './key-order.ts'
import { assertOneRow, writeStatement } from './sql-statements.ts'
import { parameter, SqliteStatements } from './sqlite-statements.ts'
import { Turnstile } from './turnstile.ts'

const PAGE_CACHE_KIB = 64 * 1024
const WALK_ROWS = 1_000

export type SqliteSettings = {
  readonly folder: string
  /** FULL is on disk when the commit ends; NORMAL is not, but never breaks. */
  readonly synchronous: 'FULL' | 'NORMAL'
}

/** SQLite within this process, without any server: one writer at a time, readers beside it. */
export class SqliteEngine implements Engine {
  readonly name: string
  readonly description: string
  readonly processIds = [process.pid]
  readonly #file: string
  readonly #synchronous: 'FULL' | 'NORMAL'
  readonly #writing = new Turnstile()
  readonly #connections: Database.Database[] = []

  constructor({ folder, synchronous }: SqliteSettings) {
    this.#file = join(folder, 'brokerage.db')
    this.#synchronous = synchronous
    this.name = synchronous === 'FULL' ? 'sqlite' : 'sqlite-normal'
    this.description = `better-sqlite3 in the driver's own process, WAL, synchronous ${synchronous}, one writer at a time (BEGIN IMMEDIATE), readers of a snapshot; its CPU includes the driver's`
  }

  async load(fill: (loader: BulkLoader) => Promise<void>): Promise<void> {
    const database = this.#open()
    await loadSqlite(database, fill)
    database.pragma('wal_checkpoint(TRUNCATE)')
  }

  async connect(): Promise<Session> {
    return new SqliteSession(this.#open(), this.#writing)
  }

  async *walk<T extends TableName, C extends ColumnOf<T>>(
    table: T,
    columns: readonly C[],
    { index }: { readonly index?: IndexOf<T> } = {},
  ) {
    const database = this.#open()
    const by = index === undefined ? '' : ` INDEXED BY ${index}`
    const order = keyColumns(table, index).join(', ')
    const text = `SELECT ${columns.join(', ')} FROM ${table}${by} ORDER BY ${order}`
    let batch: unknown[] = []
    for (const row of database.prepare(text).iterate()) {
      if (batch.push(row) < WALK_ROWS) continue
      yield batch as never
      batch = []
    }
    yield batch as never
  }

  async diskBytes(): Promise<number> {
    const sizes = [this.#file, `${this.#file}-wal`].map(async (file) => {
      return (await stat(file).catch(() => ({ size: 0 }))).size
    })
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  }

  async close(): Promise<void> {
    for (const database of this.#connections.splice(0)) database.close()
  }

  #open(): Database.Database {
    const database = new Database(this.#file)
    this.#connections.push(database)
    database.pragma('journal_mode = WAL')
    database.pragma(`synchronous = ${this.#synchronous}`)
    database.pragma(`cache_size = -${PAGE_CACHE_KIB}`)
    return database
  }
}

class SqliteSession implements Session {
  readonly #statements: SqliteStatements
  readonly #writing: Turnstile

  constructor(database: Database.Database, writing: Turnstile) {
    this.#statements = new SqliteStatements(database)
    this.#writing = writing
  }

  async begin({ readOnly = false }: BeginOptions): Promise<Transaction> {
    const statements = this.#statements
    const leave = readOnly ? () => {} : await this.#writing.enter()
    statements.run({ text: readOnly ? 'BEGIN' : 'BEGIN IMMEDIATE', values: [] })
    const end = (text: 'COMMIT' | 'ROLLBACK') => {
      try {
        statements.run({ text, values: [] })
      } finally {
        leave()
      }
    }
    return new BufferedTransaction({
      read: async (reads) => reads.map((read) => statements.answer(read)),
      async commit(writes: readonly Write[]) {
        try {
          for (const write of writes) {
            const statement = writeStatement(write, parameter)
            assertOneRow(statements.run(statement), statement)
          }
        } catch (error) {
          end('ROLLBACK')
          throw error
        }
        end('COMMIT')
      },
      rollback: async () => end('ROLLBACK'),
    })
  }

  async close(): Promise<void> {}
}
