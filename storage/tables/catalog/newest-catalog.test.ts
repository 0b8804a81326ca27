// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { MemoryCellStore } from '../../cells/memory/memory-cell-store.ts'
import { type BeginOptions, Storage } from '../../storage.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import { createTable } from '../tables.ts'
import { createCatalog } from './catalog.ts'
import { NewestCatalog } from './newest-catalog.ts'

const old = createCatalog(40, [])
const changed = createCatalog(140, [])
// Told apart by which one they are, and never looked into.
const change = {} as Transaction
const other = {} as Transaction

suite('the newest catalog of the only owner', () => {
  test('a snapshot after one that was read has its catalog, one before it is not known', () => {
    const newest = new NewestCatalog(90)
    assert.equal(newest.at(100), undefined)
    newest.wasRead(100, old)
    assert.equal(newest.at(99), undefined)
    assert.equal(newest.at(100), old)
    assert.equal(newest.at(120), old)
  })

  test('a snapshot of before the store was opened does not tell the newest catalog', () => {
    const newest = new NewestCatalog(90)
    newest.wasRead(80, old)
    assert.equal(newest.at(100), undefined)
    newest.wasRead(100, changed)
    assert.equal(newest.at(100), changed)
  })

  test('while a change is made nothing is known, and nothing is learned', () => {
    const newest = new NewestCatalog(90)
    newest.wasRead(100, old)
    newest.isChangedBy(change)
    assert.equal(newest.at(120), undefined)
    newest.wasRead(130, old)
    assert.equal(newest.at(150), undefined)
  })

  test('after a change, what was read at a snapshot before it is not the newest', () => {
    const newest = new NewestCatalog(90)
    newest.isChangedBy(change)
    newest.ended(change, { kind: 'committed', commitTs: 140 })
    newest.wasRead(139, old)
    assert.equal(newest.at(150), undefined)
    newest.wasRead(150, changed)
    assert.equal(newest.at(150), changed)
  })

  test('of two changes at once, the second to end is waited for too', () => {
    const newest = new NewestCatalog(90)
    newest.isChangedBy(change)
    newest.isChangedBy(other)
    newest.ended(change, { kind: 'committed', commitTs: 140 })
    newest.wasRead(150, changed)
    assert.equal(newest.at(150), undefined)
    newest.ended(other, { kind: 'rolledBack', reason: 'write_conflict' })
    newest.wasRead(151, changed)
    assert.equal(newest.at(151), changed)
  })

  test('after a change whose outcome is not known every snapshot reads for itself', () => {
    const newest = new NewestCatalog(90)
    newest.isChangedBy(change)
    newest.ended(change, { kind: 'unknown' })
    newest.wasRead(150, old)
    assert.equal(newest.at(150), undefined)
  })

  test('the end of a transaction that changed nothing leaves what is known', () => {
    const newest = new NewestCatalog(90)
    newest.wasRead(100, old)
    newest.ended(other, { kind: 'committed', commitTs: 110 })
    assert.equal(newest.at(120), old)
  })
})

test('a store that is opened again and asked for its past first has its newest definitions', async () => {
  const cellStore = new MemoryCellStore()
  const before = await Storage.open(cellStore, { owner: 'exclusive' })
  const define = async (name: string) => {
    const transaction = await before.begin()
    const columns = [{ name: 'id', type: 'TEXT', notNull: true }]
    const primaryKey = [{ column: 'id', descending: false }]
    await transaction.statement(async () =>
      createTable(
        transaction,
        await before.catalog(transaction),
        { name, columns, primaryKey },
        { ifNotExists: false },
      ),
    )
    await transaction.commit()
    return (await before.begin()).startTs
  }
  const past = await define('early')
  await define('late')
  // The first process is never closed: it has died.
  const storage = await Storage.open(cellStore, { owner: 'exclusive' })
  const tablesAt = async (options: BeginOptions) => {
    const catalog = await storage.catalog(await storage.begin(options))
    return catalog.tables().map(({ name }) => name)
  }
  assert.deepEqual(await tablesAt({ asOf: past }), ['early'])
  assert.deepEqual(await tablesAt({}), ['early', 'late'])
  await storage.close()
})
