// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRealServer } from '../test/client-sdk/real-server.ts'
import { inBatches } from './batches.ts'
import { PercoliteError } from './client.ts'
import { deleteMany, insertMany, putMany } from './many.ts'

const { db } = await startRealServer('--engine', 'memory')
await db.query('CREATE TABLE item (id INTEGER PRIMARY KEY, n INTEGER, t TEXT)')
await db.query(
  'CREATE TABLE "a ""pair""" (a INTEGER, "b c" TEXT, n INTEGER, PRIMARY KEY (a, "b c"))',
)

async function count(table: string): Promise<unknown> {
  const { rows } = await db.query(`SCAN COUNT(*) AS n FROM ${table} USE PRIMARY KEY`)
  return rows[0]?.n
}

function* items(from: number, to: number) {
  for (let id = from; id < to; id += 1) yield { id: BigInt(id), n: id % 7 }
}

test('what fits is one transaction, and what does not is refused where it has to be', async () => {
  const whole = { oneTransaction: true }
  await assert.rejects(insertMany(db, 'item', items(0, 10_001), whole), { code: 'limit_exceeded' })
  assert.equal(await count('item'), 0)
  await insertMany(db, 'item', items(0, 50), whole)
  const one = await putMany(db, 'item', items(25, 100), whole)
  assert.deepEqual(one, { rows: 75, rowsAffected: 75, transactions: 1 })
  const all = Array.from({ length: 200 }, (_, id) => id)
  const gone = await deleteMany(db, 'item', all, whole)
  assert.deepEqual(gone, { rows: 200, rowsAffected: 100, transactions: 1 })
})

test('more are several transactions: an error says what is done, and the same call with its key goes on without doing it twice', async () => {
  await putMany(db, 'item', [{ id: 10_000, n: 0 }])
  const call = () => insertMany(db, 'item', items(0, 10_100), { idempotencyKey: 'again' })
  const done = { rows: 10_000, rowsAffected: 10_000, transactions: 1 }
  await assert.rejects(call(), (error) => {
    assert.ok(error instanceof PercoliteError)
    assert.deepEqual([error.code, error.fields.done], ['already_exists', done])
    return true
  })
  await deleteMany(db, 'item', [10_000n])
  const { rows, rowsAffected } = await call()
  assert.deepEqual([rows, rowsAffected, await count('item')], [10_100, 10_100, 10_100])
})

test('what is more than a transaction takes is halved, and one row is not', async () => {
  const sent: number[][] = []
  const send = async (batch: readonly number[], first: number) => {
    sent.push([first, ...batch])
    if (batch.length > 2 || batch[0] === 7)
      throw new PercoliteError({ code: 'limit_exceeded', message: 'too many' })
    return 1
  }
  const done = await inBatches([1, 2, 3, 4, 5, 6], { rowsMax: 5 }, send)
  assert.deepEqual(done, { rows: 6, rowsAffected: 4, transactions: 4 })
  const first = [0, 1, 2, 3, 4, 5]
  assert.deepEqual(sent, [first, [0, 1, 2, 3], [0, 1, 2], [2, 3], [3, 4, 5], [5, 6]])
  const alone = inBatches([7], { rowsMax: 5 }, send)
  await assert.rejects(alone, { code: 'limit_exceeded' })
})

test('rows of a key of several columns are deleted by names in quotes', async () => {
  const table = 'a "pair"'
  const rows = Array.from({ length: 1_500 }, (_, a) => ({ a, 'b c': `'${a % 3}`, n: 1 }))
  await insertMany(db, table, rows)
  const keys = rows.map((row) => [row.a, row['b c']])
  const gone = await deleteMany(db, table, keys)
  assert.deepEqual(gone, { rows: 1_500, rowsAffected: 1_500, transactions: 2 })
})
