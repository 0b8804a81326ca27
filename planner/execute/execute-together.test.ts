// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import type { Transaction } from '../../storage/storage.ts'
import { rowsToJson, SqlSession } from '../../test/sql-session.ts'
import {
  executeTogether,
  isPointRead,
  type PlannedStatement,
  planStatement,
  WorkMeter,
} from '../planner.ts'

let session: SqlSession
before(async () => {
  session = await SqlSession.open(
    'CREATE TABLE a (id INTEGER PRIMARY KEY, v TEXT, w TEXT, FAMILY f (w))',
    'CREATE TABLE b (x TEXT, y INTEGER, n INTEGER, PRIMARY KEY (x, y))',
    'CREATE UNIQUE INDEX byN ON b (n)',
    "INSERT INTO a (id, v, w) VALUES (1, 'v1', 'w1'), (2, 'v2', 'w2')",
    "INSERT INTO b (x, y, n) VALUES ('k', 1, 10)",
  )
})
after(() => session.close())

async function together(
  texts: ReadonlyArray<readonly [string, Record<string, unknown>?]>,
  answerBytes?: { readonly used: number; readonly max: number },
) {
  const transaction = await session.storage.begin({ readOnly: true })
  const catalog = await session.storage.catalog(transaction)
  let calls = 0
  const counting = new Proxy(transaction, {
    get(target: Transaction, property) {
      if (property === 'getRows') calls += 1
      const member = Reflect.get(target, property, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  const reads = texts.map(([text, parameters = {}]) => {
    const plan = planStatement(session.parse(text)[0] as PlannedStatement, catalog)
    assert.ok(isPointRead(plan), text)
    return { plan, parameters }
  })
  const { functions } = session
  const bounded = answerBytes === undefined ? {} : { answerBytes }
  const done = await executeTogether(reads, {
    transaction: counting,
    catalog,
    functions,
    work: new WorkMeter(),
    ...bounded,
  })
  transaction.rollback()
  return { calls, ...done, rows: done.results.map(rowsToJson) }
}

test('point reads of several tables and families are one call to the store', async () => {
  const { calls, rows } = await together([
    ['GET v FROM a WHERE id = :id', { id: 2 }],
    ["GET n FROM b WHERE x = 'k' AND y IN (2, 1)"],
    ['GET w FROM a WHERE id IN (2, 7, 1)'],
    ['GET * FROM a WHERE id = 9'],
  ])
  assert.equal(calls, 1)
  assert.deepEqual(rows, [[{ v: 'v2' }], [{ n: 10 }], [{ w: 'w2' }, { w: 'w1' }], []])
})

test('the first read that fails ends them, and those before it are answered', async () => {
  const { results, failure } = await together([
    ['GET v FROM a WHERE id = 1'],
    ['GET v FROM a WHERE id = :id', { id: 'one' }],
    ['GET v FROM a WHERE id = 2'],
  ])
  assert.equal(results.length, 1)
  assert.equal((failure as { code?: string }).code, 'type_mismatch')
  const division = await together([
    ['GET v FROM a WHERE id = 1'],
    ['GET 1 / 0 FROM a WHERE id = 1'],
  ])
  assert.equal(division.results.length, 1)
  assert.equal((division.failure as { code?: string }).code, 'division_by_zero')
})

test('what all of them answer is bounded together', async () => {
  const get = ['GET v FROM a WHERE id = 1'] as const
  const { results, failure } = await together([get, get, get], { used: 0, max: 120 })
  assert.equal(results.length, 2)
  assert.equal((failure as { code?: string }).code, 'limit_exceeded')
})

test('a read of more keys than one call may ask for takes as many as it needs', async () => {
  const ids = Array.from({ length: 50 }, (_, id) => id)
  const many = ['GET id FROM a WHERE id IN :ids', { ids }] as const
  const { calls, rows } = await together([['GET v FROM a WHERE id = 1'], many, many])
  assert.deepEqual(rows, [[{ v: 'v1' }], [{ id: 1 }, { id: 2 }], [{ id: 1 }, { id: 2 }]])
  assert.ok(calls <= 3, `${calls} calls`)
})

test('only reads by primary key without a guard are point reads', async () => {
  const catalog = await session.catalog()
  const others = [
    'GET * FROM a WHERE id = 1 FOR UPDATE',
    'GET * FROM b WHERE n = 10',
    'SCAN * FROM a WHERE id = 1',
    "SET v = 'x' ON a WHERE id = 1",
  ]
  for (const text of others) {
    const plan = planStatement(session.parse(text)[0] as PlannedStatement, catalog)
    assert.equal(isPointRead(plan), false, text)
  }
})
