// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { SqlSession } from '../../test/sql-session.ts'
import type { Parameters } from '../expressions/parameters.ts'
import { WorkMeter } from '../expressions/work-meter.ts'
import { PLANNER_LIMITS, PlanError } from '../planner.ts'

const { listItemsMax, statementKeysMax, rowWorkMax } = PLANNER_LIMITS

let session: SqlSession

before(async () => {
  session = await SqlSession.open(
    'CREATE TABLE t (id INTEGER PRIMARY KEY, v TEXT)',
    'CREATE TABLE pair (a INTEGER, b INTEGER, n INTEGER, PRIMARY KEY (a, b))',
    'CREATE TABLE word (a TEXT, b INTEGER, c INTEGER, PRIMARY KEY (a, b, c))',
    `INSERT INTO t (id, v) VALUES ${Array.from({ length: 9 }, (_, id) => `(${id}, 'v')`).join(', ')}`,
  )
})
after(() => session.close())

async function run(text: string, parameters: Parameters = {}) {
  const work = new WorkMeter()
  const transaction = await session.storage.begin()
  try {
    const catalog = await session.storage.catalog(transaction)
    const { rows } = await session.runIn(transaction, catalog, text, { parameters, work })
    return { units: work.spent, rows, error: undefined }
  } catch (error) {
    return { units: work.spent, rows: [], error }
  } finally {
    transaction.rollback()
  }
}

const upTo = (length: number, from = 0) => Array.from({ length }, (_, position) => from + position)
const repeated = (condition: string, times: number) =>
  upTo(times)
    .map(() => condition)
    .join(' AND ')

function assertLimit(error: unknown, limit: string): void {
  assert.ok(error instanceof PlanError && error.code === 'limit_exceeded', `${error}`)
  assert.equal(error.fields.limit, limit)
}

/** What a list costs that is converted, each of its elements once. */
const LIST_UNITS = 64 * listItemsMax

test('equal conditions are one', async () => {
  const l = upTo(listItemsMax)
  for (const statement of ['SCAN id FROM t WHERE', 'DELETE FROM t WHERE']) {
    const { error, units } = await run(`${statement} ${repeated('id IN :l', 600)}`, { l })
    assertLimit(error, 'statementKeysMax')
    assert.ok(units <= LIST_UNITS + 1_000, `${units} units`)
  }
  const few = await run(`SCAN id FROM t WHERE ${repeated('id IN :l', 600)}`, { l: [7, 3, 99] })
  assert.deepEqual(few.rows, [[3n], [7n]])
  const filters = await run(`SCAN id FROM t WHERE id = 1 AND ${repeated("v LIKE '%x%'", 600)}`)
  assert.ok(filters.units < 500, `${filters.units} units`)
  const [plan] = await session.rows(`EXPLAIN SCAN id FROM t WHERE ${repeated('id IN (1, 2)', 600)}`)
  assert.deepEqual((plan as { plan: { bounds: unknown } }).plan.bounds, ['id IN (1, 2)'])
})

test('conditions that only look alike are all asked', async () => {
  const { rows } = await run(
    "SCAN id FROM t WHERE id > 2 AND id > 3 AND id >= 3 AND v <> 'id > 3' AND id < 6",
  )
  assert.deepEqual(rows, [[4n], [5n]])
  const none = await run('SCAN id FROM t WHERE id IN (1, 2) AND id IN (2, 3) AND id IN (3, 4)')
  assert.deepEqual(none.rows, [])
  const numbers = await run('SCAN id FROM t WHERE id = 1 AND id IN (1) AND id IN (1, 2)')
  assert.deepEqual(numbers.rows, [[1n]])
})

test('of several lists the shortest gives the keys, the others are only asked', async () => {
  const lists = { a: upTo(listItemsMax), b: [8, 3, 77, 3], c: upTo(listItemsMax, 2) }
  const { rows, units } = await run(
    'SCAN id FROM t WHERE id IN :a AND id IN :b AND id IN :c',
    lists,
  )
  assert.deepEqual(rows, [[3n], [8n]])
  assert.ok(units <= 2 * LIST_UNITS + 2_000, `${units} units`)
})

test('how many keys a statement names is counted before they are made', async () => {
  const l = upTo(listItemsMax)
  for (const text of [
    'SCAN * FROM pair WHERE a IN :l AND b IN :l',
    'GET * FROM pair WHERE a IN :l AND b IN :l',
    'DELETE FROM pair WHERE a IN :l AND b IN :l',
    'SCAN * FROM t WHERE id IN :l',
  ]) {
    const { error, units } = await run(text, { l })
    assertLimit(error, 'statementKeysMax')
    assert.ok(units <= LIST_UNITS + 1_000, `${text}: ${units} units`)
  }
  const most = await run('GET * FROM pair WHERE a IN :l AND b IN :m', {
    l: upTo(100),
    m: upTo(100),
  })
  assert.equal(most.error, undefined)
})

test('lists that are too much together are given up', async () => {
  const parameters = Object.fromEntries(upTo(20).map((n) => [`l${n}`, upTo(listItemsMax, n)]))
  const where = upTo(20)
    .map((n) => `id IN :l${n}`)
    .join(' AND ')
  const { error, units } = await run(`SCAN id FROM t WHERE ${where}`, parameters)
  assertLimit(error, 'rowWorkMax')
  assert.ok(units < 1.1 * rowWorkMax)
})

test('thousands of ranges on one column are two limits, whatever the number of keys', async () => {
  const ranges = upTo(1_000).map((n) => `b > ${n - 5_000} AND b <= ${5_000 - n}`)
  const text = `SCAN * FROM pair WHERE a IN :l AND ${ranges.join(' AND ')}`
  const { error, units } = await run(text, { l: upTo(statementKeysMax) })
  assert.equal(error, undefined)
  assert.ok(units < 300 * statementKeysMax, `${units} units`)
})

test('a long value before many keys is paid for with each of them', async () => {
  const parameters = { t: 'a'.repeat(1_000_000), l: upTo(statementKeysMax) }
  for (const text of [
    'SCAN * FROM word WHERE a = :t AND b IN :l',
    'SCAN * FROM word WHERE a = :t AND b IN :l AND c > 7',
    "SCAN * FROM word WHERE a = :t AND b IN :l AND a LIKE 'a%'",
  ]) {
    const { error } = await run(text, parameters)
    assertLimit(error, 'rowWorkMax')
  }
  const { error } = await run('GET * FROM word WHERE a = :t AND b IN :l AND c = 1', parameters)
  assertLimit(error, 'rowWorkMax')
})

test('all of an INSERT are rows of their own, duplicates too', async () => {
  const values = upTo(5_000)
    .map(() => '(1, 1)')
    .join(', ')
  const text = `INSERT INTO pair (a, b) VALUES ${values} ON CONFLICT DO NOTHING`
  const { error } = await run(text)
  assert.equal(error, undefined)
})
