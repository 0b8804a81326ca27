// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { testFolder } from '../../../../test/test-folder.ts'
import { openWriterConnection } from '../file/connection.ts'
import { SqliteTransactions } from '../groups/transactions.ts'
import { PAGE_BYTES } from '../schema.ts'
import { reclaimPages } from './free-pages.ts'

/** A file of which some hundred pages are free. */
async function given(t: TestContext) {
  const database = openWriterConnection(join(await testFolder(t, 'free'), 'cells.db'))
  t.after(() => database.close())
  database.exec('CREATE TABLE filler (bytes BLOB); INSERT INTO filler VALUES (zeroblob(2000000))')
  database.exec('DROP TABLE filler')
  const freePages = () => database.pragma('freelist_count', { simple: true }) as number
  assert.ok(freePages() > 200)
  return { database, freePages }
}

test('free pages are given back, in a transaction of their own', async (t) => {
  const { database, freePages } = await given(t)
  const { failure, bytes } = reclaimPages(database, new SqliteTransactions(database))
  assert.equal(failure, null)
  assert.ok(bytes > 200 * PAGE_BYTES)
  assert.equal(freePages(), 0)
  assert.equal(database.inTransaction, false)
})

test('no space is given back on a connection whose COMMIT is in doubt', async (t) => {
  const { database, freePages } = await given(t)
  const transactions = new SqliteTransactions(database)
  // A constraint that is checked at COMMIT makes exactly that statement fail.
  database.exec(`
    CREATE TABLE parent (id INTEGER PRIMARY KEY);
    CREATE TABLE child (id INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED);`)
  database.pragma('foreign_keys = ON')
  const failing = () => database.exec('INSERT INTO child VALUES (1)')
  assert.equal(transactions.inOne(failing).done, false)
  database.exec('ROLLBACK')
  const before = freePages()
  const { failure, bytes } = reclaimPages(database, transactions)
  assert.equal(failure?.kind, 'notApplied')
  assert.equal(bytes, 0)
  assert.equal(freePages(), before)
})
