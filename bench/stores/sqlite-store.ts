// SPDX-License-Identifier: Apache-2.0
import Database from 'better-sqlite3'
import { fieldsOf, type SqlRow, sqlStore, sqlTexts } from './sql-store.ts'
import {
  type Change,
  type Store,
  type StoreRecord,
  type Table,
  transactionsBy,
  type Value,
} from './store.ts'

const PAGE_CACHE_KIB = 64 * 1024

/**
 * SQLite within the driver's own process: no network, no other process, one writer, and each
 * commit synced by itself. Its calls do not wait, so clients take turns.
 */
export function openSqliteStore({ file }: { readonly file: string }, table: Table): Store {
  const database = new Database(file)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.pragma(`cache_size = -${PAGE_CACHE_KIB}`)
  const texts = sqlTexts(table, () => '?')
  const statements = new Map<string, Database.Statement>()
  const run = (sql: string, values: readonly Value[]): readonly SqlRow[] => {
    let statement = statements.get(sql)
    if (statement === undefined) {
      statement = database.prepare(sql)
      if (statement.reader) statement.raw()
      statements.set(sql, statement)
    }
    if (statement.reader) return statement.all(...values) as SqlRow[]
    statement.run(...values)
    return []
  }
  const transaction = database.transaction((keys: readonly string[], change: Change) => {
    const changed = change(keys.map((key) => fieldsOf(run(texts.get, [key]), key)))
    for (const [at, key] of keys.entries()) {
      const { sql, values } = texts.update(key, changed[at] ?? [])
      run(sql, values)
    }
  })
  const insertMany = database.transaction((records: readonly StoreRecord[]) => {
    for (const { key, fields } of records) run(texts.insert, [key, ...fields])
  })
  return {
    ...sqlStore(texts, async (_client, sql, values) => run(sql, values)),
    ...transactionsBy(async (_client, keys, change) => {
      transaction.immediate(keys, change)
      return true
    }),
    insertMany: async (records) => insertMany(records),
    async close() {
      database.close()
    },
  }
}
