// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import type { Catalog } from '../../storage/tables/tables.ts'
import { planError, SqlSession } from '../../test/sql-session.ts'
import { explanationOf } from '../plan/explain.ts'
import type { DataPlan, Plan } from '../plan/plan.ts'
import { type PlannedStatement, planStatement } from '../planner.ts'

let session: SqlSession
let catalog: Catalog
before(async () => {
  session = await SqlSession.open(
    `CREATE TABLE trade (customer TEXT, time TIMESTAMP, id INTEGER, price REAL, symbol TEXT,
       PRIMARY KEY (customer, time DESC, id))`,
  )
  catalog = await session.catalog()
})
after(() => session.close())

function isDataPlan(plan: Plan): plan is DataPlan {
  return ['pointGet', 'rangeScan', 'aggregate', 'set', 'insert', 'delete'].includes(plan.kind)
}

function explain(text: string) {
  const plan = planStatement(session.parse(text)[0] as PlannedStatement, catalog)
  if (!isDataPlan(plan)) throw new Error(plan.kind)
  const { rule, access, bounds, filter, order } = explanationOf(plan)
  return { rule, access, bounds, filter, order }
}

test('all columns of the key by = or IN: the rows are got by their keys', () => {
  assert.deepEqual(
    explain("SCAN * FROM trade WHERE id IN (1, 2) AND customer = 'c' AND time = :t AND price > 1"),
    {
      rule: 'full primary key',
      access: 'point get',
      bounds: ["customer = 'c'", 'time = :t', 'id IN (1, 2)'],
      filter: ['price > 1'],
      order: 'forward',
    },
  )
})

test('= on a prefix and a range on the next column bound the key, what follows filters', () => {
  assert.deepEqual(
    explain(
      'SCAN * FROM trade WHERE customer = :c AND time >= :a AND time < :b AND id = 3 ORDER BY time DESC',
    ),
    {
      rule: 'key prefix',
      access: 'range scan',
      bounds: ['customer = :c', 'time >= :a', 'time < :b'],
      filter: ['id = 3'],
      order: 'forward',
    },
  )
})

test('parentheses, mirrored sides and an exact LIKE make no difference to the bounds', () => {
  assert.deepEqual(
    explain("SCAN * FROM trade WHERE ((('c' = customer) AND now() > time))").bounds,
    ["'c' = customer", 'now() > time'],
  )
  assert.deepEqual(explain("SCAN * FROM trade WHERE customer LIKE 'a%'").filter, [])
  assert.deepEqual(explain("SCAN * FROM trade WHERE customer LIKE 'a_%'").filter, [
    "customer LIKE 'a_%'",
  ])
  assert.deepEqual(explain('SCAN * FROM trade WHERE customer LIKE :p').filter, ['customer LIKE :p'])
})

test('a hint decides, and the conditions still bound its key', () => {
  const hinted = explain("SCAN * FROM trade USE PRIMARY KEY WHERE symbol = 'X'")
  assert.deepEqual([hinted.rule, hinted.access], ['hint', 'whole key'])
  const bounded = explain("SCAN * FROM trade USE PRIMARY KEY WHERE customer = 'c'")
  assert.deepEqual([bounded.rule, bounded.access], ['hint', 'range scan'])
})

test('a SCAN without WHERE walks the table, a DELETE must say that it does', () => {
  assert.equal(explain('SCAN * FROM trade').rule, 'whole key')
  assert.equal(explain('DELETE FROM trade USE PRIMARY KEY').rule, 'hint')
  const refused = () => explain('DELETE FROM trade')
  assert.throws(refused, planError('unbounded_scan', { column: 1 }))
  assert.throws(refused, /without WHERE/)
})

test('a WHERE that bounds no key is refused, with what would bound one', () => {
  const unbounded = [
    "SCAN * FROM trade WHERE symbol = 'X'",
    'SCAN * FROM trade WHERE time > now()',
    "SCAN * FROM trade WHERE customer <> 'c'",
    "SCAN * FROM trade WHERE customer = 'c' OR id = 1",
    "SCAN * FROM trade WHERE NOT customer = 'c'",
    "SCAN * FROM trade WHERE customer LIKE '%c'",
    'SCAN * FROM trade WHERE customer = symbol',
    "SCAN * FROM trade WHERE lower(customer) = 'c'",
    'SCAN * FROM trade WHERE customer IS NOT NULL',
    "SCAN * FROM trade WHERE customer NOT IN ('c')",
    "DELETE FROM trade WHERE symbol = 'X'",
  ]
  for (const text of unbounded) {
    assert.throws(() => explain(text), planError('unbounded_scan', { column: 1 }), text)
  }
  assert.throws(
    () => explain("SCAN * FROM trade WHERE symbol = 'X'"),
    (error: { hint?: string; fields?: unknown }) =>
      /CREATE INDEX tradeBySymbol ON trade \(symbol\); or bound customer by .* USE PRIMARY KEY/.test(
        error.hint ?? '',
      ),
  )
})

test('ORDER BY follows the key forward or backward; columns fixed by = may be left out', () => {
  const orders: ReadonlyArray<readonly [string, string, string]> = [
    ['', 'ORDER BY customer, time DESC, id', 'forward'],
    ['', 'ORDER BY customer', 'forward'],
    ['', 'ORDER BY customer DESC, time, id DESC', 'reverse'],
    ["WHERE customer = 'c'", 'ORDER BY time DESC', 'forward'],
    ["WHERE customer = 'c'", 'ORDER BY time', 'reverse'],
    ["WHERE customer = 'c'", 'ORDER BY time, customer DESC, id DESC', 'reverse'],
    ["WHERE customer IN ('c')", 'ORDER BY time', 'reverse'],
    ["WHERE customer = 'c' AND time = now()", 'ORDER BY id DESC', 'reverse'],
    ["WHERE customer = 'c' AND time = now() AND id = 1", 'ORDER BY price', 'forward'],
    ["WHERE customer > 'c'", 'ORDER BY customer DESC', 'reverse'],
  ]
  for (const [where, order, direction] of orders) {
    const text = `SCAN * FROM trade ${where} ${order}`
    assert.equal(explain(text).order, direction, text)
  }
})

test('an order that no key gives is refused, with the orders that one would give', () => {
  const refused = [
    'SCAN * FROM trade ORDER BY price',
    'SCAN * FROM trade ORDER BY time',
    'SCAN * FROM trade ORDER BY customer, time',
    "SCAN * FROM trade WHERE customer IN ('a', 'b') ORDER BY time DESC",
    "SCAN * FROM trade WHERE customer = 'c' ORDER BY id",
    'SCAN * FROM trade USE PRIMARY KEY ORDER BY price',
  ]
  for (const text of refused) {
    const column = text.indexOf('BY') + 4
    assert.throws(() => explain(text), planError('invalid_request', { column }), text)
  }
  assert.throws(
    () => explain('SCAN * FROM trade ORDER BY price'),
    (error: { hint?: string }) =>
      error.hint ===
      [
        'Rows come in the order of a key: ORDER BY customer, time DESC, id,',
        'or ORDER BY customer DESC, time, id DESC.',
        'An index gives it: CREATE INDEX tradeByPrice ON trade (price).',
        'Or write LIMIT n, up to 1000: then the first n of the range are sorted.',
      ].join(' '),
  )
})

test('a wrong name or type is told before a missing bound is', () => {
  const wrong: ReadonlyArray<readonly [string, string, number]> = [
    ['SCAN * FROM trade WHERE price = 1 AND nosuch = 2', 'unknown_column', 39],
    ["SCAN * FROM trade WHERE price = 'x'", 'type_mismatch', 33],
    ['SCAN * FROM trade WHERE customer = 1', 'type_mismatch', 36],
    ['SCAN * FROM trade WHERE price', 'type_mismatch', 25],
    ['SCAN nosuch FROM trade', 'unknown_column', 6],
    ['SCAN * FROM trade ORDER BY nosuch', 'unknown_column', 28],
    ['SCAN * FROM trades', 'unknown_table', 13],
    ['DESCRIBE trades', 'unknown_table', 10],
    ['SCAN id, price AS id FROM trade', 'invalid_request', 10],
  ]
  for (const [text, code, column] of wrong) {
    const plan = () => planStatement(session.parse(text)[0] as PlannedStatement, catalog)
    assert.throws(plan, planError(code, { column }), text)
  }
})

test('a text in double quotes, as other databases take it, is told how to be one', () => {
  const texts: ReadonlyArray<readonly [string, number]> = [
    ['SCAN * FROM trade WHERE customer = "it\'s"', 36],
    ['SCAN * FROM trade WHERE "it\'s" = customer', 25],
    ['SCAN coalesce(symbol, "it\'s") FROM trade', 23],
  ]
  for (const [text, column] of texts) {
    assert.throws(() => explain(text), planError('unknown_column', { column }), text)
    assert.throws(() => explain(text), { hint: /write 'it''s' in single quotes/ }, text)
  }
  const near = () => explain('SCAN * FROM trade WHERE costumer = 1')
  assert.throws(near, { hint: 'Did you mean customer?' })
  assert.deepEqual(explain('SCAN * FROM trade WHERE "customer" = :c').bounds, ['customer = :c'])
})

test('a GET and a CHECK name the whole key and nothing else', () => {
  const key = "customer = 'c' AND time = now() AND id = 1"
  explain(`GET * FROM trade WHERE ${key}`)
  explain(`SET price = 1 ON trade WHERE ${key}`)
  const refused = [
    "GET * FROM trade WHERE customer = 'c' AND time = now()",
    `GET * FROM trade WHERE ${key} AND price > 1`,
    `GET * FROM trade WHERE ${key} AND id = 2`,
    "GET * FROM trade WHERE customer = 'c' AND time > now() AND id = 1",
    "GET * FROM trade WHERE customer = 'c' OR id = 1",
    'GET * FROM trade WHERE customer IS NULL AND time = now() AND id = 1',
    `CHECK price = 1 ON trade WHERE ${key} AND price > 1`,
    `SET price = 1, price = 2 ON trade WHERE ${key}`,
    `SET id = 2 ON trade WHERE ${key}`,
  ]
  for (const text of refused) {
    assert.throws(() => explain(text), planError('invalid_request'), text)
  }
  assert.throws(
    () => explain("GET * FROM trade WHERE symbol = 'X'"),
    (error: { hint?: string }) =>
      /found by: SCAN \* FROM trade USE PRIMARY KEY WHERE symbol = 'X'/.test(error.hint ?? ''),
  )
})
