// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRealServer } from '../test/client-sdk/real-server.ts'
import { PercoliteError } from './client.ts'
import { forAll } from './for-all.ts'

const ROWS = 1_050
const SCAN = 'SCAN a, b FROM pair WHERE a >= :from AND n <> 7'
const SET = 'SET n = 7 ON pair WHERE a = :a AND b = :b IF n <> 7'

const { db } = await startRealServer('--engine', 'memory')

test('a statement is run for each row of a SCAN, in batches, and goes on where it failed', async () => {
  await db.query(`CREATE TABLE pair (a INTEGER, b TEXT, n INTEGER, PRIMARY KEY (a, b),
    CONSTRAINT stop CHECK (n <> 7 OR a < 600))`)
  const all = Array.from({ length: ROWS }, (_, a) => ({ a, b: `b${a % 7}`, n: a % 5 }))
  await db.request('POST', '/v1/tables/pair/rows', all)
  const options = { params: { from: 50 }, batch: 100 }
  await assert.rejects(forAll(db, SCAN, SET, options), (error) => {
    assert.ok(error instanceof PercoliteError, `${error}`)
    const done = { rows: 500, rowsAffected: 500, transactions: 5 }
    assert.deepEqual([error.code, error.fields.done], ['check_failed', done])
    return true
  })
  await db.query('ALTER TABLE pair DROP CONSTRAINT stop')
  const rest = await forAll(db, SCAN, SET, options)
  assert.deepEqual(rest, { rows: 500, rowsAffected: 500, transactions: 5 })
  const none = await forAll(db, SCAN, SET, options)
  assert.deepEqual(none, { rows: 0, rowsAffected: 0, transactions: 0 })
  const { rows: left } = await db.query('SCAN COUNT(*) AS n FROM pair USE PRIMARY KEY WHERE n <> 7')
  assert.deepEqual(left, [{ n: 50 }])
  await assert.rejects(forAll(db, SCAN, SET, { batch: 0 }), RangeError)
})
