// SPDX-License-Identifier: Apache-2.0
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import type { BeginOptions, BulkLoader, Engine, Session, Transaction } from '../engine.ts'
import { createIndexStatements, createTableStatements } from '../schema/create-statements.ts'
import { type ColumnOf, columnsOf, type IndexOf, type TableName } from '../schema/schema.ts'
import type { Value } from '../schema/table-shape.ts'
import {
  type AnyRead,
  type AnyRow,
  BufferedTransaction,
  type Write,
} from './buffered-transaction.ts'
import {
  assertOneRow,
  keyColumns,
  selectByKey,
  selectRange,
  writeStatement,
} from './sql-statements.ts'

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

// Without the plus SQLite plans again for each value of a parameter.
const parameter = () => '+?'

/** Each text is prepared once for a connection. */
class SqliteStatements {
  readonly #database: Database.Database
  readonly #byText = new Map<string, Database.Statement<unknown[], AnyRow>>()

  constructor(database: Database.Database) {
    this.#database = database
  }

  /** How many rows it changed. */
  run({ text, values }: { readonly text: string; readonly values: readonly Value[] }): number {
    return this.#prepared(text).run(...values).changes
  }

  answer(read: AnyRead): unknown {
    const { table, columns } = read
    switch (read.kind) {
      case 'get':
        return this.#prepared(selectByKey(table, columns, parameter)).get(...read.key)
      case 'getMany': {
        const statement = this.#prepared(selectByKey(table, columns, parameter))
        return read.keys.map((key) => statement.get(...key))
      }
      case 'scan': {
        const { text, values } = selectRange(read, parameter)
        return this.#prepared(text).all(...values)
      }
      case 'scanEach':
        return read.firsts.map((first) => {
          const { text, values } = selectRange(
            { ...read, kind: 'scan', prefix: [first] },
            parameter,
          )
          return this.#prepared(text).all(...values)
        })
    }
  }

  #prepared(text: string): Database.Statement<unknown[], AnyRow> {
    let statement = this.#byText.get(text)
    if (statement === undefined) {
      statement = this.#database.prepare<unknown[], AnyRow>(text)
      this.#byText.set(text, statement)
    }
    return statement
  }
}

/** Lets one in at a time, in the order in which they came. */
class Turnstile {
  #last: Promise<void> = Promise.resolve()

  /** Resolves to what lets the next one in. */
  async enter(): Promise<() => void> {
    const before = this.#last
    let leave = () => {}
    this.#last = new Promise((resolve) => {
      leave = resolve
    })
    await before
    return leave
  }
}

/** Makes the tables, fills them in one transaction for each batch, and makes the indexes. */
async function loadSqlite(
  database: Database.Database,
  fill: (loader: BulkLoader) => Promise<unknown>,
): Promise<void> {
  for (const statement of createTableStatements('sqlite')) database.exec(statement)
  await fill({
    async insertRows(table, rows) {
      const columns = columnsOf(table)
      const places = columns.map(() => '?').join(', ')
      const insert = database.prepare<Value[]>(`INSERT INTO ${table} VALUES (${places})`)
      database.transaction(() => {
        for (const row of rows) insert.run(...columns.map((column) => row[column] as Value))
      })()
    },
  })
  for (const statement of createIndexStatements()) database.exec(statement)
  database.exec('ANALYZE')
}
