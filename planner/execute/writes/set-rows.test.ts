// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { afterEach, beforeEach } from 'node:test'
import { planError, SqlSession } from '../../../test/sql-session.ts'
import type { PlanError } from '../../plan-error.ts'
import { PLANNER_LIMITS } from '../../planner-limits.ts'

let session: SqlSession
beforeEach(async () => {
  session = await SqlSession.open(
    `CREATE TABLE item (shop INTEGER, id INTEGER, n INTEGER, code INTEGER, note TEXT NOT NULL DEFAULT '',
       PRIMARY KEY (shop, id))`,
    'CREATE UNIQUE INDEX byCode ON item (code); CREATE INDEX byN ON item (n)',
    `INSERT INTO item (shop, id, n, code) VALUES (1, 1, 10, 1), (1, 2, 20, 2), (1, 3, 30, 3),
       (2, 1, 40, 4), (2, 2, NULL, NULL)`,
  )
})
afterEach(() => session.close())

const affected = async (text: string): Promise<number> => (await session.run(text)).rowsAffected

async function items(columns = 'shop, id, n, code'): Promise<unknown[][]> {
  return (await session.rows(`SCAN ${columns} FROM item`)).map((row) =>
    Object.values(row as object),
  )
}

const refused = (code: string, expected: object) => (error: unknown) => {
  const { fields } = error as PlanError
  assert.equal((error as PlanError).code, code)
  for (const [name, value] of Object.entries(expected)) assert.deepEqual(fields[name], value)
  return true
}

test('SET changes the rows of a range, of a filter, of an index, and of a list of keys', async () => {
  assert.equal(await affected('SET n = n + id ON item WHERE shop = 1 AND id >= 2'), 2)
  assert.equal(await affected('SET n = n + 1 ON item WHERE shop = 1 AND n > 22'), 1)
  assert.equal(await affected("SET note = 'x', n = 0 ON item WHERE n >= 34"), 2)
  assert.equal(await affected("SET note = 'y' ON item WHERE shop = 2 AND id IN (2, 3)"), 1)
  assert.deepEqual(await items('shop, id, n, note'), [
    [1, 1, 10, ''],
    [1, 2, 22, ''],
    [1, 3, 0, 'x'],
    [2, 1, 0, 'x'],
    [2, 2, null, 'y'],
  ])
  assert.deepEqual(await session.rows('SCAN id FROM item WHERE n = 0'), [{ id: 3 }, { id: 1 }])
})

test('SET and DELETE name a row by a unique index, and make none', async () => {
  assert.equal(await affected('SET n = n + 1 ON item WHERE code = 2'), 1)
  assert.equal(await affected('SET n = 7 ON item WHERE code = 9'), 0)
  assert.equal(await affected('SET n = 7 ON item WHERE code = NULL'), 0)
  assert.equal(await affected('DELETE FROM item WHERE code = 3'), 1)
  assert.deepEqual(await items(), [
    [1, 1, 10, 1],
    [1, 2, 21, 2],
    [2, 1, 40, 4],
    [2, 2, null, null],
  ])
})

test('a full key with another condition changes a row that is there, and makes none', async () => {
  assert.equal(await affected('SET n = 1 ON item WHERE shop = 1 AND id = 1 AND n > 10'), 0)
  assert.equal(await affected('SET n = 1 ON item WHERE shop = 1 AND id = 1 AND n > 9'), 1)
  assert.equal(await affected('SET n = 1 ON item WHERE shop = 9 AND id = 9 AND TRUE'), 0)
  assert.equal(await affected('SET n = 1 ON item WHERE shop = 9 AND id = 9'), 1)
})

test('all expressions of a SET over rows see each row as it was', async () => {
  await session.run('SET n = code, code = n ON item WHERE shop = 1')
  assert.deepEqual((await items()).slice(0, 3), [
    [1, 1, 1, 10],
    [1, 2, 2, 20],
    [1, 3, 3, 30],
  ])
})

test('a SET that moves rows along the index that it walks meets none of them again', async () => {
  for (let id = 10; id < 700; id += 1) {
    await session.run('INSERT INTO item (shop, id, n) VALUES (3, :id, :id)', { id })
  }
  assert.equal(await affected('SET n = n + 1000 ON item WHERE n >= 0'), 694)
  assert.equal(await affected('SET n = n - 1 ON item USE INDEX byN WHERE n >= 0'), 694)
  const [count] = await session.rows('SCAN COUNT(*) AS n, MIN(n) AS a, MAX(n) AS b FROM item')
  assert.deepEqual(count, { n: 695, a: 1009, b: 1698 })
})

test('values of a unique index move among the rows of one SET, whatever their order', async () => {
  const codes = async () => (await items('code')).map(([code]) => code)
  const sets = (value: string) => affected(`SET code = ${value} ON item USE PRIMARY KEY WHERE TRUE`)
  assert.equal(await sets('code + 1'), 5)
  assert.deepEqual(await codes(), [2, 3, 4, 5, null])
  assert.equal(await sets('code - 1'), 5)
  assert.deepEqual(await codes(), [1, 2, 3, 4, null])
  assert.equal(await sets('5 - code'), 5)
  assert.deepEqual(await codes(), [4, 3, 2, 1, null])
  const byCode = await session.rows('SCAN shop, id FROM item WHERE code > 0 ORDER BY code')
  assert.deepEqual(byCode, [
    { shop: 2, id: 1 },
    { shop: 1, id: 3 },
    { shop: 1, id: 2 },
    { shop: 1, id: 1 },
  ])
})

test('values of a unique index move among hundreds of rows, which are written in several batches', async () => {
  await session.run('DELETE FROM item USE PRIMARY KEY')
  for (let id = 0; id < 450; id += 1) {
    await session.run('INSERT INTO item (shop, id, code) VALUES (1, :id, :id)', { id })
  }
  for (const value of ['code + 300', 'code - 299', '451 - code', 'code + 1']) {
    assert.equal(await affected(`SET code = ${value} ON item WHERE shop = 1`), 450, value)
  }
  const found = await session.rows('SCAN id, code FROM item WHERE code > 0 ORDER BY code')
  assert.deepEqual(
    found,
    Array.from({ length: 450 }, (_, n) => ({ id: 449 - n, code: n + 2 })),
  )
})

test('a value that another row keeps is a unique_violation, and nothing is changed', async () => {
  const before = await items()
  for (const text of [
    'SET code = code + 1 ON item WHERE shop = 1',
    'SET code = 7 ON item WHERE shop = 1',
    'SET code = 4 ON item WHERE code = 1',
    'SET code = 5 - code ON item WHERE code IN (1, 2, 3)',
  ]) {
    await assert.rejects(session.run(text), planError('unique_violation', { column: 1 }), text)
    assert.deepEqual(await items(), before)
  }
  await assert.rejects(
    session.run('SET code = code + 1 ON item WHERE shop = 1'),
    refused('unique_violation', { index: 'byCode', values: [4], key: [1, 3] }),
  )
})

test('RETURNING has the rows as they are then, LIMIT takes the first of them', async () => {
  const result = await session.run('SET n = n * 2 ON item WHERE shop = 1 LIMIT 2 RETURNING id, n')
  assert.deepEqual(result.rows, [
    [1n, 20n],
    [2n, 40n],
  ])
  assert.equal(result.rowsAffected, 2)
  assert.equal(await affected('SET n = 0 ON item WHERE shop = 1 LIMIT 0'), 0)
})

test('what a SET over rows cannot be is refused with what to write instead', async () => {
  const of = async (text: string) => {
    const error = await session.run(text).then(
      () => assert.fail(text),
      (thrown: unknown) => thrown as PlanError,
    )
    return [error.code, error.fields.suggestion ?? error.fields.suggestedIndex ?? error.message]
  }
  assert.deepEqual(await of("SET n = 1 ON item WHERE note = 'x'"), [
    'unbounded_scan',
    'CREATE INDEX itemByNote ON item (note)',
  ])
  assert.deepEqual(await of('SET n = 1 ON item WHERE n = 1 OR n = 2 IF shop = 1'), [
    'invalid_request',
    'SET n = 1 ON item WHERE ((n = 1) OR (n = 2)) AND shop = 1',
  ])
  assert.deepEqual(await of('SET n = 1 ON item WHERE shop = 1 IF EXISTS'), [
    'invalid_request',
    'SET n = 1 ON item WHERE shop = 1',
  ])
  for (const [text, code] of [
    ['SET id = 1 ON item WHERE shop = 1', 'invalid_request'],
    ['SET n = 1, n = 2 ON item WHERE shop = 1', 'invalid_request'],
    ['SET n = 1 ON item WHERE shop = 1 IF NOT EXISTS', 'invalid_request'],
    ['SET n = 1 ON item WHERE shop = 1 AND id = 1 LIMIT 1', 'invalid_request'],
    ['SET n = 1 ON item USE INDEX byN WHERE shop = 1 AND id = 1', 'invalid_request'],
    ['SET n = 1 ON item USE INDEX nosuch WHERE shop = 1', 'unknown_index'],
    ['SET note = NULL ON item WHERE shop = 1', 'not_null_violation'],
    ['SET n = 1 / 0 ON item WHERE shop = 1', 'division_by_zero'],
    ['SET n = 1 ON item WHERE shop = 1 LIMIT :n', 'invalid_request'],
  ] as const) {
    assert.equal((await of(text))[0], code, text)
  }
})

test('a SET of more rows than meant asks for LIMIT', async () => {
  await session.run('CREATE TABLE many (id INTEGER PRIMARY KEY, n INTEGER)')
  const count = PLANNER_LIMITS.setRowsMax + 1
  for (let first = 0; first < count; first += 2_500) {
    const ids = Array.from({ length: Math.min(2_500, count - first) }, (_, i) => `(${first + i})`)
    await session.run(`INSERT INTO many (id) VALUES ${ids.join(', ')}`)
  }
  const text = 'SET n = 1 ON many USE PRIMARY KEY WHERE TRUE'
  const expected = { limit: 'setRowsMax', limitValue: count - 1, actual: count }
  await assert.rejects(session.run(text), refused('limit_exceeded', expected))
  await assert.rejects(session.run(text), (error) => {
    const { hint } = error as { readonly hint?: string }
    return /by its key, in batches.*--all.*not done yet, and a LIMIT/.test(hint ?? '')
  })
  assert.equal(await affected(`${text} LIMIT ${count}`), count)
})
