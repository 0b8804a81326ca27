// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import SqliteDatabase from 'better-sqlite3'
import { makeFormat5 } from '../../../test/storage/earlier-format.ts'
import { testFolder } from '../../../test/test-folder.ts'
import type { CellStore } from '../cell-store.ts'
import type { Mutation } from '../mutation.ts'
import { openSqliteCellStore } from './sqlite-cell-store.ts'

/** A new store, closed. */
async function given(t: TestContext) {
  const dataDirectory = join(await testFolder(t, 'schema'), 'data')
  await (await openSqliteCellStore({ dataDirectory })).close()
  return { dataDirectory, path: join(dataDirectory, 'cells.db') }
}

function setCell(row: string, text: string) {
  const cell = { family: 'data', qualifier: '0', timestamp: 1, value: Buffer.from(text) } as const
  const mutations: Mutation[] = [{ kind: 'setCell', ...cell }]
  return { row: Buffer.from(row), mutations }
}

async function valuesOf(store: CellStore): Promise<string[]> {
  const filter = [{ family: 'data' }] as const
  const rows = await Array.fromAsync(store.scanRows({ start: new Uint8Array(), filter }))
  return rows.flatMap((row) => row.cells.map((cell) => Buffer.from(cell.value).toString()))
}

test('a store file that is damaged, of another program or of a newer version is refused', async (t) => {
  const { dataDirectory, path } = await given(t)
  const refused = async (text: RegExp) => {
    const attempt = openSqliteCellStore({ dataDirectory })
    await assert.rejects(attempt, { code: 'data_directory_unusable', message: text })
  }
  const change = (sql: string) => {
    const database = new SqliteDatabase(path)
    database.exec(sql)
    database.close()
  }
  change('PRAGMA user_version = 8')
  await refused(/has format 8; this version reads formats up to 7/)
  change('PRAGMA user_version = 7; PRAGMA application_id = 7')
  await refused(/another program/)
  await rm(path)
  change('CREATE TABLE account (id INTEGER)')
  await refused(/another program/)
  await writeFile(path, 'This is a text and no database at all. '.repeat(200))
  await refused(/not a database/)
  // A refusal leaves the directory free.
  await rm(path)
  await (await openSqliteCellStore({ dataDirectory })).close()
})

test('a store of an older format is opened, and from then on refused by servers that know no newer', async (t) => {
  const { dataDirectory, path } = await given(t)
  const database = new SqliteDatabase(path)
  makeFormat5(database)
  database.exec('DROP TABLE redo; PRAGMA user_version = 1')
  const store = await openSqliteCellStore({ dataDirectory, redoLog: 'always' })
  await store.mutateRows([setCell('a', 'one')])
  assert.deepEqual(await valuesOf(store), ['one'])
  await store.close()
  assert.equal(database.pragma('user_version', { simple: true }), 7)
  database.close()
})

test('a new file has pages of 8 KiB, and one that has others keeps them', async (t) => {
  const { dataDirectory, path } = await given(t)
  const pageBytes = () => {
    const database = new SqliteDatabase(path)
    const bytes = database.pragma('page_size', { simple: true })
    database.close()
    return bytes
  }
  assert.equal(pageBytes(), 8192)
  const earlier = new SqliteDatabase(path)
  earlier.exec('PRAGMA journal_mode = DELETE; PRAGMA page_size = 4096; VACUUM')
  earlier.close()
  const store = await openSqliteCellStore({ dataDirectory, redoLog: 'always' })
  const long = 'x'.repeat(10_000)
  await store.mutateRows([setCell('a', 'one'), setCell('b', long)])
  await store.close()
  const reopened = await openSqliteCellStore({ dataDirectory })
  assert.deepEqual(await valuesOf(reopened), ['one', long])
  await reopened.close()
  assert.equal(pageBytes(), 4096)
})

test('a file with a trigger, an index, a view or a foreign virtual table is refused', async (t) => {
  const foreign = {
    trigger: 'CREATE TRIGGER x AFTER INSERT ON cell_data BEGIN DELETE FROM cell_lock; END',
    index: 'CREATE INDEX x ON cell_data (timestamp)',
    view: 'CREATE VIEW x AS SELECT 1',
    table: 'CREATE VIRTUAL TABLE x USING fts5(y)',
  }
  for (const [type, sql] of Object.entries(foreign)) {
    const { dataDirectory, path } = await given(t)
    const database = new SqliteDatabase(path)
    database.exec(sql)
    database.close()
    const message = new RegExp(`not of its format: the ${type} x`)
    const attempt = openSqliteCellStore({ dataDirectory })
    await assert.rejects(attempt, { code: 'data_directory_unusable', message })
  }
  // Statistics change no answer.
  const { dataDirectory, path } = await given(t)
  const database = new SqliteDatabase(path)
  database.exec('ANALYZE')
  database.close()
  await (await openSqliteCellStore({ dataDirectory })).close()
})

test('a file with the two tables of Litestream is opened, and with anything else of their names is not', async (t) => {
  const tables = [
    'CREATE TABLE IF NOT EXISTS _litestream_seq (id INTEGER PRIMARY KEY, seq INTEGER);',
    'CREATE TABLE IF NOT EXISTS _litestream_lock (id INTEGER);',
  ]
  const { dataDirectory, path } = await given(t)
  const open = () => openSqliteCellStore({ dataDirectory })
  const database = new SqliteDatabase(path)
  database.exec(`${tables.join('')} INSERT INTO _litestream_seq (id, seq) VALUES (1, 1)`)
  await (await open()).close()
  const refusal = { code: 'data_directory_unusable', message: /not of its format/ }
  database.exec('CREATE TRIGGER x AFTER UPDATE ON _litestream_seq BEGIN DELETE FROM cell_lock; END')
  await assert.rejects(open(), refusal)
  database.exec('DROP TRIGGER x; DROP TABLE _litestream_lock')
  await (await open()).close()
  database.exec('CREATE VIEW _litestream_lock AS SELECT 1')
  await assert.rejects(open(), refusal)
  database.close()
})
