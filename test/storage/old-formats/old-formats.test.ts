// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import SqliteDatabase from 'better-sqlite3'
import { FORMAT_VERSION } from '../../../storage/cells/sqlite/schema.ts'
import { checkDataDirectory } from '../../../storage/operations/operations.ts'
import { startTestServer } from '../../server/test-server.ts'
import { testFolder } from '../../test-folder.ts'

// What servers of each earlier format wrote and left at kill -9, from format 3 on with a redo log to be recovered. The
// files are texts of SQL, because a database is no text.

const TEXTS = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.sql'))

function formatOf(file: string): number {
  const database = new SqliteDatabase(file, { readonly: true })
  try {
    return database.pragma('user_version', { simple: true }) as number
  } finally {
    database.close()
  }
}

test('there is a file of each format before that of now', () => {
  const expected = Array.from(
    { length: FORMAT_VERSION - 1 },
    (_, index) => `format-${index + 1}.sql`,
  )
  assert.deepEqual(TEXTS.toSorted(), expected)
})

for (const name of TEXTS.toSorted()) {
  test(`what a server of ${name.replace('.sql', '')} had written is there`, async (t) => {
    const data = await testFolder(t, 'format')
    mkdirSync(data, { recursive: true })
    const file = join(data, 'cells.db')
    const database = new SqliteDatabase(file)
    database.exec(readFileSync(join(import.meta.dirname, name), 'utf8'))
    database.close()
    assert.equal(`format-${formatOf(file)}.sql`, name)

    const server = await startTestServer(t, { flags: { engine: 'sqlite', data } })
    const rows = async (sql: string) => (await server.query(sql)).body.results.at(-1).rows
    assert.deepEqual(await rows('SCAN id, owner, balance FROM account USE PRIMARY KEY'), [
      { id: 'a1', owner: 'ann', balance: 7 },
      { id: 'a2', owner: 'ann', balance: 5 },
      { id: 'a3', owner: 'ann', balance: 3 },
      { id: 'a4', owner: 'ann', balance: 4 },
      { id: 'long', owner: 'bob', balance: 7 },
    ])
    const byOwner = "SCAN id FROM account WHERE owner = 'ann' AND balance >= 4"
    assert.deepEqual(await rows(byOwner), [{ id: 'a4' }, { id: 'a2' }, { id: 'a1' }])
    const [long] = await rows("GET note, at, rate FROM account WHERE id = 'long'")
    assert.deepEqual(long, {
      note: { text: 'x'.repeat(3_000) },
      at: '2026-11-22T10:00:00.000000Z',
      rate: null,
    })
    // It is written as a store of today is, beside what it had.
    await server.query("SET balance = balance + 1 ON account WHERE id = 'a1'")
    await server.query("INSERT INTO account (id, owner, balance) VALUES ('new', 'ann', 9)")
    assert.deepEqual(await rows(byOwner), [{ id: 'a4' }, { id: 'a2' }, { id: 'a1' }, { id: 'new' }])
    await server.server.close()
    assert.equal(formatOf(file), FORMAT_VERSION)
    assert.deepEqual((await checkDataDirectory(data)).problems, [])
  })
}
