// SPDX-License-Identifier: Apache-2.0
import Database from 'better-sqlite3'
import { createText, sqlTexts } from './sql-texts.ts'
import {
  type Change,
  type FieldChange,
  type Fields,
  missingRecord,
  type Store,
  type StoreRecord,
  type Table,
  transactionsBy,
} from './store.ts'

const PAGE_CACHE_KIB = 64 * 1024

/**
 * SQLite within the driver's own process: no network, no other process, one writer, and each
 * commit synced by itself. Its calls do not wait, so clients take turns.
 */
export async function openSqliteStore(
  { file }: { readonly file: string },
  table: Table,
): Promise<Store> {
  const database = new Database(file)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.pragma(`cache_size = -${PAGE_CACHE_KIB}`)
  database.exec(createText(table).replace('TABLE', 'TABLE IF NOT EXISTS'))
  const texts = sqlTexts(table, () => '?')
  const select = database.prepare<[string], [string, ...Fields]>(texts.get(1)).raw()
  const scan = database.prepare(texts.scan).raw()
  const insert = database.prepare(texts.insert)
  const put = database.prepare(texts.put)
  const updates = new Map<string, Database.Statement>()
  const update = (key: string, changes: readonly FieldChange[]) => {
    const indexes = changes.map(([index]) => index)
    const name = indexes.join()
    const statement = updates.get(name) ?? database.prepare(texts.update(indexes))
    updates.set(name, statement)
    statement.run(...changes.map(([, value]) => value), key)
  }
  const get = (key: string): Fields => {
    const row = select.get(key)
    if (row === undefined) throw missingRecord(key)
    return row.slice(1)
  }
  const transaction = database.transaction((keys: readonly string[], change: Change) => {
    const changed = change(keys.map(get))
    for (const [at, key] of keys.entries()) update(key, changed[at] ?? [])
  })
  const insertMany = database.transaction((records: readonly StoreRecord[]) => {
    for (const { key, fields } of records) insert.run(key, ...fields)
  })
  return {
    get: async (_client, key) => get(key),
    put: async (_client, { key, fields }) => void put.run(key, ...fields),
    insert: async (_client, { key, fields }) => void insert.run(key, ...fields),
    update: async (_client, key, changes) => update(key, changes),
    scan: async (_client, key, count) => scan.all(key, count),
    ...transactionsBy(async (_client, keys, change) => {
      transaction.immediate(keys, change)
      return true
    }),
    async create() {},
    insertMany: async (records) => insertMany(records),
    async close() {
      database.close()
    },
  }
}
