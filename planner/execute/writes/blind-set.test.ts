// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { afterEach, beforeEach } from 'node:test'
import { planError, SqlSession } from '../../../test/sql-session.ts'

let session: SqlSession
beforeEach(async () => {
  session = await SqlSession.open(
    'CREATE TABLE pair (id TEXT PRIMARY KEY, a INTEGER NOT NULL, b INTEGER)',
    'CREATE TABLE indexed (id TEXT PRIMARY KEY, a INTEGER)',
    'CREATE INDEX byA ON indexed (a)',
    `CREATE TABLE parted (id TEXT PRIMARY KEY, a INTEGER, b INTEGER, FAMILY second (b))`,
  )
})
afterEach(() => session.close())

const roundTrips = async (text: string): Promise<number> => {
  const { rows } = await session.run(`EXPLAIN ANALYZE ${text}`)
  return JSON.parse(rows[0]?.[1] as string).measured.roundTrips
}

test('a SET that says all of the row does not read it', async () => {
  assert.equal(await roundTrips("SET a = 1, b = 2 ON pair WHERE id = 'x'"), 0)
  assert.equal(await roundTrips("SET a = 1, b = 2 ON parted WHERE id = 'x' RETURNING *"), 0)
})

test('a SET that leaves a column, asks something, or concerns an index, reads its row', async () => {
  const reading = [
    "SET a = 1 ON pair WHERE id = 'x'",
    "SET a = coalesce(a, 1), b = 2 ON pair WHERE id = 'x'",
    "SET a = 1, b = coalesce(a, 0) ON pair WHERE id = 'x'",
    "SET a = 1, b = 2 ON pair WHERE id = 'x' IF NOT EXISTS",
    "SET a = 1 ON indexed WHERE id = 'x'",
    "SET a = 1 ON parted WHERE id = 'x'",
  ]
  for (const text of reading) assert.equal(await roundTrips(text), 1, text)
})

test('the row that was not read is there afterwards, whether or not there was one', async () => {
  for (const b of [2n, null]) {
    const text = `SET a = 1, b = ${b} ON parted WHERE id = 'x' RETURNING *`
    const { rows, rowsAffected } = await session.run(text)
    assert.deepEqual([rows, rowsAffected], [[['x', 1n, b]], 1])
    assert.deepEqual((await session.run("GET * FROM parted WHERE id = 'x'")).rows, rows)
  }
})

test('it refuses NULL as any SET does, and changes nothing', async () => {
  const text = "SET a = NULL, b = 2 ON pair WHERE id = 'x'"
  await assert.rejects(session.run(text), planError('not_null_violation', { column: 9 }))
  assert.deepEqual((await session.run('SCAN * FROM pair')).rows, [])
})
