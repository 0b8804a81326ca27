// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import SqliteDatabase, { type Database } from 'better-sqlite3'
import { makeFormat5 } from '../../../../test/storage/earlier-format.ts'
import { testFolder } from '../../../../test/test-folder.ts'
import type { CellStore } from '../../cell-store.ts'
import type { Mutation } from '../../mutation.ts'
import { findFileProblems } from '../file/integrity.ts'
import { openSqliteCellStore } from '../sqlite-cell-store.ts'

const LONG = 'long '.repeat(400)
const LONGER = 'longer '.repeat(3_000)

/** A data folder of a store, which is closed between all steps. */
async function given(t: TestContext) {
  const dataDirectory = join(await testFolder(t, 'values'), 'data')
  const inStore = async <T>(work: (store: CellStore) => Promise<T>) => {
    const store = await openSqliteCellStore({ dataDirectory })
    try {
      return await work(store)
    } finally {
      await store.close()
    }
  }
  const inFile = <T>(work: (database: Database) => T) => {
    const database = new SqliteDatabase(join(dataDirectory, 'cells.db'))
    try {
      return work(database)
    } finally {
      database.close()
    }
  }
  return {
    dataDirectory,
    inFile,
    mutate: (row: string, ...mutations: Mutation[]) =>
      inStore((store) => store.mutateRows([{ row: Buffer.from(row), mutations }])),
    read: (row: string, newest?: number) =>
      inStore(async (store) => {
        const selector = { family: 'data', qualifier: '0', ...(newest && { newest }) } as const
        const [found] = await store.readRows([Buffer.from(row)], [selector])
        return found?.cells.map(({ value }) => Buffer.from(value).toString()) ?? []
      }),
    scan: () =>
      inStore(async (store) => {
        const filter = [{ family: 'data', qualifier: '0', newest: 1 }] as const
        const rows = await Array.fromAsync(store.scanRows({ start: new Uint8Array(), filter }))
        return rows.map(({ cells }) => cells.map(({ value }) => Buffer.from(value).toString()))
      }),
    valuesInFile: () =>
      inFile((database) => database.prepare('SELECT bytes FROM value').pluck().all().map(String)),
  }
}

/** As the columns of the table in docs/storage-format.md. */
const NEWEST = `
  SELECT length(value), value_id, (SELECT length(bytes) FROM value WHERE id = value_id)
  FROM cell_data ORDER BY timestamp DESC LIMIT 1`

const set = (text: string, timestamp = 1): Mutation => {
  const value = Buffer.from(text)
  return { kind: 'setCell', family: 'data', qualifier: '0', timestamp, value }
}
const erased: Mutation = {
  kind: 'deleteFromColumn',
  family: 'data',
  qualifier: '0',
  timestamps: {},
}

test('a long value is one of the file, and goes when its cell is replaced or erased', async (t) => {
  const { dataDirectory, mutate, read, scan, valuesInFile } = await given(t)
  await mutate('a', set(LONG))
  await mutate('b', set('short', 1), set(LONG, 2), set(LONGER, 3))
  assert.deepEqual(await read('b'), [LONGER, LONG, 'short'])
  assert.deepEqual(await scan(), [[LONG], [LONGER]])
  assert.deepEqual(await valuesInFile(), [LONG, LONG, LONGER])
  await mutate('a', set(LONGER))
  assert.deepEqual(await read('a', 1), [LONGER])
  // The number stays, so that a value may be replaced where no page is free.
  assert.deepEqual(await valuesInFile(), [LONGER, LONG, LONGER])
  await mutate('a', set('short'))
  assert.deepEqual(await read('a', 1), ['short'])
  await mutate('b', erased)
  assert.deepEqual(await valuesInFile(), [])
  assert.deepEqual(await scan(), [['short']])
  assert.deepEqual(findFileProblems(dataDirectory), [])
})

test('the tables of docs/storage-format.md are those of a file', async (t) => {
  const { inFile, mutate } = await given(t)
  const page = readFileSync(new URL('../../../../docs/storage-format.md', import.meta.url), 'utf8')
  const [, lines = ''] = /\n\| bytes set .*\n\|---.*\n((?:\|.*\n)+)/.exec(page) ?? []
  const examples = lines.trimEnd().split('\n')
  assert.ok(examples.length > 2)
  for (const [at, example] of examples.entries()) {
    const [bytes, ...expected] = example
      .split('|')
      .slice(1, -1)
      .map((text) => text.trim())
    await mutate('a', set('x'.repeat(Number(bytes)), at))
    const found = inFile((database) => database.prepare(NEWEST).raw().get()) as unknown[]
    const texts = found.map((number) => (number === null ? '' : String(number)))
    assert.deepEqual(texts, expected)
  }
})

test('of the cells that a batch sets at one address the last is kept, be it long or short', async (t) => {
  const { mutate, read, valuesInFile } = await given(t)
  await mutate('a', set('short'), set(LONG))
  await mutate('b', set(LONG), set('short'))
  assert.deepEqual(await read('a'), [LONG])
  assert.deepEqual(await read('b'), ['short'])
  // Eight short cells are inserted at once, unless one of them exists.
  const eight = Array.from({ length: 8 }, (_, at) => set('short', at + 1))
  await mutate('a', ...eight)
  assert.deepEqual(await read('a'), new Array(8).fill('short'))
  assert.deepEqual(await valuesInFile(), [])
})

test('values that an earlier version left inside cells are read until they are replaced', async (t) => {
  const { dataDirectory, inFile, mutate, read, scan, valuesInFile } = await given(t)
  await mutate('a', set('short'))
  inFile((database) => {
    makeFormat5(database)
    const insert = database.prepare("INSERT OR REPLACE INTO cell_data VALUES (?, '0', 1, ?)")
    for (const [row, text] of Object.entries({ a: LONG, b: LONGER, c: LONG }))
      insert.run(Buffer.from(row), Buffer.from(text))
  })
  assert.deepEqual(await scan(), [[LONG], [LONGER], [LONG]])
  assert.deepEqual(await valuesInFile(), [])
  await mutate('a', set(LONGER))
  await mutate('b', erased)
  assert.deepEqual(await scan(), [[LONGER], [LONG]])
  assert.deepEqual(await valuesInFile(), [LONGER])
  assert.deepEqual(await read('c', 1), [LONG])
  assert.deepEqual(findFileProblems(dataDirectory), [])
})

test('the check finds a value that is missing, one of no cell and one of two; no read makes one up', async (t) => {
  const { dataDirectory, inFile, mutate, read, scan } = await given(t)
  for (const row of ['a', 'b', 'c']) await mutate(row, set(`${LONG}${row}`))
  inFile((database) => {
    database.exec('UPDATE cell_data SET value_id = 2 WHERE value_id = 1')
    database.exec('DELETE FROM value WHERE id = 3')
  })
  assert.deepEqual(findFileProblems(dataDirectory), [
    '1 cells name a long value that does not exist',
    '1 long values belong to no cell',
    '1 cells name the long value of another',
  ])
  const damaged = { kind: 'damaged' }
  await assert.rejects(read('c', 1), damaged)
  await assert.rejects(read('c'), damaged)
  await assert.rejects(scan(), damaged)
})
