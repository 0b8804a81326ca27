// SPDX-License-Identifier: Apache-2.0
import Database from 'better-sqlite3'
import { FIELD_NAMES, type FieldChange, type Fields } from './record.ts'
import { missingRecord, type YcsbStore } from './store.ts'

const COLUMNS = FIELD_NAMES.join(', ')
const CREATE = `CREATE TABLE IF NOT EXISTS usertable (ycsb_key TEXT PRIMARY KEY, ${FIELD_NAMES.map((name) => `${name} TEXT`).join(', ')})`
const PAGE_CACHE_KIB = 64 * 1024

/**
 * SQLite within the driver's own process: no network, no other process, one writer, and each
 * commit synced by itself. Its calls do not wait, so clients take turns.
 */
export async function openSqliteStore({ file }: { readonly file: string }): Promise<YcsbStore> {
  const database = new Database(file)
  database.pragma('journal_mode = WAL')
  database.pragma('synchronous = FULL')
  database.pragma(`cache_size = -${PAGE_CACHE_KIB}`)
  database.exec(CREATE)
  const select = database
    .prepare<[string], string[]>(`SELECT ${COLUMNS} FROM usertable WHERE ycsb_key = ?`)
    .raw()
  const scan = database
    .prepare(`SELECT * FROM usertable WHERE ycsb_key >= ? ORDER BY ycsb_key LIMIT ?`)
    .raw()
  const insert = database.prepare(
    `INSERT INTO usertable VALUES (?, ${FIELD_NAMES.map(() => '?').join(', ')})`,
  )
  const updates = new Map<string, Database.Statement>()
  const update = (key: string, changes: readonly FieldChange[]) => {
    const names = changes.map(([index]) => `${FIELD_NAMES[index]} = ?`).join(', ')
    let statement = updates.get(names)
    if (statement === undefined) {
      statement = database.prepare(`UPDATE usertable SET ${names} WHERE ycsb_key = ?`)
      updates.set(names, statement)
    }
    statement.run(...changes.map(([, text]) => text), key)
  }
  const read = (key: string): Fields => {
    const fields = select.get(key)
    if (fields === undefined) throw missingRecord(key)
    return fields
  }
  const modify = database.transaction((key: string, changes: readonly FieldChange[]) => {
    read(key)
    update(key, changes)
  })
  const insertMany = database.transaction((records: Parameters<YcsbStore['insertMany']>[0]) => {
    for (const { key, fields } of records) insert.run(key, ...fields)
  })
  return {
    read: async (_client, key) => read(key),
    update: async (_client, key, changes) => update(key, changes),
    insert: async (_client, { key, fields }) => void insert.run(key, ...fields),
    scan: async (_client, key, count) => scan.all(key, count).length,
    async modify(_client, key, changes) {
      modify.immediate(key, changes)
    },
    // There is one writer.
    takeRetries: () => 0,
    async create() {},
    insertMany: async (records) => insertMany(records),
    async close() {
      database.close()
    },
  }
}
