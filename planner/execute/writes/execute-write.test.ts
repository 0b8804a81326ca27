// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { afterEach, beforeEach } from 'node:test'
import { planError, rowsToJson, SqlSession } from '../../../test/sql-session.ts'
import type { PlanError } from '../../plan-error.ts'
import { PLANNER_LIMITS } from '../../planner-limits.ts'

let session: SqlSession
beforeEach(async () => {
  session = await SqlSession.open(
    `CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL DEFAULT 0, owner TEXT,
       opened TIMESTAMP DEFAULT now(), code TEXT DEFAULT uuid(), rate REAL DEFAULT -1.5)`,
    'CREATE TABLE strict (a INTEGER, b TEXT, must TEXT NOT NULL, PRIMARY KEY (a, b))',
  )
})
afterEach(() => session.close())

const fields = (expected: object) => (error: unknown) => {
  assert.deepEqual((error as PlanError).fields, expected)
  return true
}

test('INSERT takes defaults, now() and a uuid() for each row', async () => {
  const text = "INSERT INTO account (id, owner) VALUES ('a', 'Ann'), ('b', NULL)"
  assert.equal((await session.run(text)).rowsAffected, 2)
  const opened = '2023-11-14T22:13:20.000000Z'
  assert.deepEqual(await session.rows('SCAN * FROM account'), [
    { id: 'a', balance: 0, owner: 'Ann', opened, code: 'uuid-1', rate: -1.5 },
    { id: 'b', balance: 0, owner: null, opened, code: 'uuid-2', rate: -1.5 },
  ])
})

test('INSERT of a key that has a row, or twice in one statement, changes nothing', async () => {
  await session.run("INSERT INTO account (id) VALUES ('a')")
  const text = "INSERT INTO account (id) VALUES ('b'), ('a')"
  await assert.rejects(session.run(text), planError('already_exists', { column: 41 }))
  await assert.rejects(session.run(text), fields({ table: 'account', key: ['a'], row: 1 }))
  const twice = "INSERT INTO account (id) VALUES ('c'), ('d'), ('c')"
  await assert.rejects(session.run(twice), planError('already_exists', { column: 48 }))
  assert.equal((await session.rows('SCAN id FROM account')).length, 1)
})

test('INSERT refuses NULL where it cannot be, columns named twice, and values that do not fit', async () => {
  const refused: ReadonlyArray<readonly [string, string, number]> = [
    ["INSERT INTO strict (a, b) VALUES (1, 'b')", 'not_null_violation', 13],
    ["INSERT INTO strict (b, must) VALUES ('b', 'm')", 'not_null_violation', 13],
    ["INSERT INTO strict (a, b, must) VALUES (1, 'b', NULL)", 'not_null_violation', 49],
    ["INSERT INTO strict (a, b, must) VALUES (NULL, 'b', 'm')", 'not_null_violation', 41],
    ["INSERT INTO account (id, id) VALUES ('a', 'b')", 'invalid_request', 26],
    ["INSERT INTO account (id, nosuch) VALUES ('a', 1)", 'unknown_column', 26],
    ["INSERT INTO account (id, balance) VALUES ('a', 'b')", 'type_mismatch', 48],
    ["INSERT INTO account (id, balance) VALUES ('a', 1.5)", 'type_mismatch', 48],
    ["INSERT INTO account (id, balance) VALUES ('a', 2 / 0)", 'division_by_zero', 50],
  ]
  for (const [text, code, column] of refused) {
    await assert.rejects(session.run(text), planError(code, { column }), text)
  }
})

test('SET of plain values makes the row with the defaults of the other columns', async () => {
  const set = "SET owner = 'Ann' ON account WHERE id = 'a'"
  assert.equal((await session.run(set)).rowsAffected, 1)
  assert.equal((await session.run("SET balance = 5 ON account WHERE id = 'a'")).rowsAffected, 1)
  assert.deepEqual(
    await session.rows("GET id, balance, owner, code, rate FROM account WHERE id = 'a'"),
    [{ id: 'a', balance: 5, owner: 'Ann', code: 'uuid-1', rate: -1.5 }],
  )
})

test('SET that computes from a column needs the row, unless coalesce says what to take', async () => {
  const needing = [
    "SET balance = balance + 1 ON account WHERE id = 'a'",
    "SET balance = coalesce(balance, 0) + length(owner) ON account WHERE id = 'a'",
    "SET owner = coalesce(owner, code) ON account WHERE id = 'a'",
    "SET owner = id ON account WHERE id = 'a'",
  ]
  for (const text of needing) {
    await assert.rejects(session.run(text), planError('row_not_found'), text)
    await assert.rejects(session.run(text), fields({ table: 'account', key: ['a'] }), text)
  }
  const counting = "SET balance = coalesce(balance, 0) + 1 ON account WHERE id = 'a'"
  await session.run(`${counting}; ${counting}`)
  assert.deepEqual(await session.rows("GET balance FROM account WHERE id = 'a'"), [{ balance: 2 }])
})

test('all expressions of a SET see the row as it was before', async () => {
  await session.run("INSERT INTO account (id, owner, code) VALUES ('a', 'x', 'y')")
  await session.run("SET owner = code, code = owner ON account WHERE id = 'a'")
  assert.deepEqual(await session.rows("GET owner, code FROM account WHERE id = 'a'"), [
    { owner: 'y', code: 'x' },
  ])
})

test('SET refuses NULL in a NOT NULL column and in the key', async () => {
  const refused: ReadonlyArray<readonly [string, number]> = [
    ["SET balance = NULL ON account WHERE id = 'a'", 15],
    ["SET owner = 'x' ON account WHERE id = NULL", 34],
  ]
  for (const [text, column] of refused) {
    await assert.rejects(session.run(text), planError('not_null_violation', { column }), text)
  }
  const incomplete = "SET must = 'm' ON strict WHERE a = 1 AND b = 'b'"
  await session.run(incomplete)
  await session.run('DELETE FROM strict USE PRIMARY KEY')
  await session.run('CREATE TABLE two (id INTEGER PRIMARY KEY, x TEXT, y TEXT NOT NULL)')
  await assert.rejects(
    session.run("SET x = 'x' ON two WHERE id = 1"),
    planError('not_null_violation', { column: 1 }),
  )
})

test('a statement does not see its own writes, and one that fails leaves nothing', async () => {
  const transaction = await session.storage.begin()
  const catalog = await session.storage.catalog(transaction)
  const run = async (text: string) => await session.runIn(transaction, catalog, text)
  await run("INSERT INTO account (id) VALUES ('a')")
  await assert.rejects(run("INSERT INTO account (id) VALUES ('b'), ('a')"))
  await run("SET balance = balance + 1 ON account WHERE id = 'a'")
  const rows = rowsToJson(await run('SCAN id, balance FROM account'))
  assert.deepEqual(rows, [{ id: 'a', balance: 1 }])
  assert.equal((await run('DELETE FROM account USE PRIMARY KEY')).rowsAffected, 1)
  assert.deepEqual((await run('SCAN id FROM account')).rows, [])
  await transaction.commit()
  assert.deepEqual(await session.rows('SCAN * FROM account'), [])
})

test('DELETE by key, by range, by filter, and with LIMIT', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e', 'f']
  await session.run(`INSERT INTO account (id) VALUES ${ids.map((id) => `('${id}')`).join(', ')}`)
  const deleted = async (text: string): Promise<number> => (await session.run(text)).rowsAffected
  assert.equal(await deleted("DELETE FROM account WHERE id = 'a'"), 1)
  assert.equal(await deleted("DELETE FROM account WHERE id = 'a'"), 0)
  assert.equal(await deleted("DELETE FROM account WHERE id IN ('b', 'nobody')"), 1)
  assert.equal(await deleted("DELETE FROM account WHERE id > 'c' AND balance > 0"), 0)
  assert.equal(await deleted("DELETE FROM account WHERE id >= 'c' LIMIT 2"), 2)
  assert.deepEqual(await session.rows('SCAN id FROM account'), [{ id: 'e' }, { id: 'f' }])
  assert.equal(await deleted('DELETE FROM account USE PRIMARY KEY LIMIT 0'), 0)
  assert.equal(await deleted('DELETE FROM account USE PRIMARY KEY WHERE balance = 0'), 2)
})

test('a DELETE of more rows than meant asks for LIMIT', async () => {
  await session.run('CREATE TABLE many (id INTEGER PRIMARY KEY)')
  const count = PLANNER_LIMITS.deleteRowsMax + 1
  for (let first = 0; first < count; first += 2_500) {
    const ids = Array.from({ length: Math.min(2_500, count - first) }, (_, i) => `(${first + i})`)
    await session.run(`INSERT INTO many (id) VALUES ${ids.join(', ')}`)
  }
  const text = 'DELETE FROM many USE PRIMARY KEY'
  await assert.rejects(session.run(text), planError('limit_exceeded', { column: 1 }))
  await assert.rejects(
    session.run(text),
    fields({ limit: 'deleteRowsMax', limitValue: count - 1, actual: count }),
  )
  assert.equal((await session.run(`${text} LIMIT ${count}`)).rowsAffected, count)
})

test('every type comes back from the store as it went in', async () => {
  await session.run(
    'CREATE TABLE typed (k BYTES, r REAL, at TIMESTAMP, f BOOLEAN, i INTEGER, t TEXT, j JSON, PRIMARY KEY (k, r DESC, at, f DESC, i, t))',
  )
  const row = {
    k: 'AP8=',
    r: -2.5,
    at: '1969-12-31T23:59:59.999999Z',
    f: false,
    i: '-9223372036854775808',
    t: 'a\u0000😀',
    j: { b: [1, null, 'x'], a: 0.1 },
  }
  const names = Object.keys(row)
  const text = `INSERT INTO typed (${names.join(', ')}) VALUES (${names.map((name) => `:${name}`).join(', ')})`
  await session.run(text, row)
  assert.deepEqual(await session.rows('SCAN * FROM typed'), [row])
  const where = names.filter((name) => name !== 'j').map((name) => `${name} = :${name}`)
  assert.deepEqual(await session.rows(`GET * FROM typed WHERE ${where.join(' AND ')}`, row), [row])
})
