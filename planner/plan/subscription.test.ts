// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { after, before, suite } from 'node:test'
import fc from 'fast-check'
import { compareRowKeys } from '../../storage/storage.ts'
import { type Catalog, encodePrimaryKey, type SqlRow } from '../../storage/tables/tables.ts'
import type { SqlValue } from '../../storage/values/values.ts'
import { planError, SqlSession } from '../../test/sql-session.ts'
import type { Parameters } from '../expressions/parameters.ts'
import { identityOf } from '../expressions/value-work.ts'
import { WorkMeter } from '../expressions/work-meter.ts'
import { planSubscription, type SubscriptionPlan } from './subscription.ts'

const work = new WorkMeter()
let session: SqlSession
let catalog: Catalog
/** Every row of `t`, whole. */
let rows: readonly SqlRow[]

before(async () => {
  session = await SqlSession.open(
    `CREATE TABLE t (a INTEGER, b TEXT, n INTEGER, y BYTES, j JSON, PRIMARY KEY (a, b DESC),
       FAMILY apart (n))`,
    'CREATE UNIQUE INDEX byY ON t (y)',
  )
  const values: string[] = []
  for (let a = 0; a < 4; a += 1) {
    for (const b of ['', 'x', 'xy', 'z']) {
      const n = (a * 7 + b.length) % 5
      const bytes = Buffer.from(`${a}${b}`).toString('hex')
      values.push(`(${a}, '${b}', ${n === 4 ? 'NULL' : n}, x'${bytes}', '{"n": ${n}}')`)
    }
  }
  await session.run(`INSERT INTO t (a, b, n, y, j) VALUES ${values.join(', ')}`)
  catalog = await session.catalog()
  rows = (await session.run('SCAN * FROM t')).rows
})
after(() => session.close())

function plan(text: string, parameters: Parameters = {}): SubscriptionPlan {
  const [statement] = session.parse(text)
  assert.ok(statement !== undefined)
  return planSubscription(statement, catalog, parameters, {
    parseRule: () => assert.fail('there is no rule'),
    claims: undefined,
  })
}

const keyOf = ({ table }: SubscriptionPlan, row: SqlRow) => encodePrimaryKey(table, row.slice(0, 2))

/** Whether a row comes to the subscription by its route. */
function lets(subscription: SubscriptionPlan, row: SqlRow): boolean {
  const { route, table } = subscription
  const key = keyOf(subscription, row)
  switch (route.kind) {
    case 'keys':
      return route.keys.some((each) => compareRowKeys(each, key) === 0)
    case 'equals': {
      const type = table.columns[route.column]?.type ?? 'TEXT'
      return route.identities.has(identityOf(type, row[route.column] as SqlValue))
    }
    case 'ranges':
      return route.ranges.some(
        ({ start, end }) => compareRowKeys(start, key) <= 0 && compareRowKeys(key, end) < 0,
      )
    case 'all':
      return true
  }
}

/** The row with nothing but what the subscription says that it reads. */
function read({ tableReads }: SubscriptionPlan, row: SqlRow): SqlRow {
  return row.map((value, position) => (tableReads.includes(position) ? value : null))
}

suite('a subscription', () => {
  test('has at a snapshot the rows of its statement, and its route leaves none of them out', async () => {
    const number = fc.constantFrom('0', '1', '2', '3', 'NULL')
    const text = fc.constantFrom("'x'", "'xy'", "''", 'NULL')
    const condition = fc.oneof(
      fc.tuple(fc.constantFrom('a', 'n'), fc.constantFrom('=', '<', '>=', '<>'), number),
      fc.tuple(fc.constant('b'), fc.constantFrom('=', '<', '>', 'LIKE'), text),
      fc.constantFrom(
        ...[['a IN (1, 3, 1)'], ["b LIKE 'x%'"], ['n IS NULL'], ['n IN :list'], ['2 > a']],
        ...[["y = x'3178'"], ['j = \'{"n":2}\''], ['a BETWEEN 1 AND :p'], ["a = 1 OR b = 'z'"]],
      ),
    )
    const where = fc
      .array(condition, { minLength: 1, maxLength: 3 })
      .map((all) => all.map((words) => words.join(' ')).join(' AND '))
    const parameters = { list: [0, 3, null], p: 2 }
    await fc.assert(
      fc.asyncProperty(where, async (bounds) => {
        const from = `b, n + a AS sum FROM t`
        const subscription = plan(`SCAN ${from} WHERE ${bounds}`, parameters)
        const scanned = await session.run(
          `SCAN ${from} USE PRIMARY KEY WHERE ${bounds}`,
          parameters,
        )
        const matching = rows.filter((row) => subscription.matches(read(subscription, row), work))
        assert.deepEqual(
          matching.map((row) => subscription.project(read(subscription, row), work)),
          scanned.rows,
        )
        assert.ok(matching.every((row) => lets(subscription, row)))
      }),
      { numRuns: 300 },
    )
  })

  test('to a GET is one to its rows, by either key', async () => {
    for (const where of ["a IN (1, 2, 9) AND b = 'x'", "y IN (x'3178', x'00')"]) {
      const subscription = plan(`GET * FROM t WHERE ${where}`)
      const got = await session.run(`GET * FROM t WHERE ${where}`)
      const matching = rows.filter((row) => subscription.matches(row, work))
      assert.deepEqual(
        matching.map((row) => subscription.project(row, work)),
        got.rows,
      )
      assert.deepEqual(
        rows.filter((row) => lets(subscription, row)),
        matching,
      )
    }
  })

  test('filters by CASE, casts and what is in JSON', async () => {
    const text =
      'SCAN a, CASE WHEN n > 1 THEN b ELSE n::TEXT END AS v FROM t USE PRIMARY KEY WHERE j @> :p'
    const subscription = plan(text, { p: { n: 3 } })
    const matching = rows.filter((row) => subscription.matches(row, work))
    assert.ok(matching.length > 0 && matching.length < rows.length)
    assert.deepEqual(
      matching.map((row) => subscription.project(row, work)),
      (await session.run(text, { p: { n: 3 } })).rows,
    )
  })

  test('tells its columns, the key of a row, and what it reads of one', () => {
    const subscription = plan('SCAN n * 2 AS twice FROM t WHERE y > :p', { p: 'AA==' })
    assert.deepEqual(subscription.columns, [{ name: 'twice', type: 'INTEGER' }])
    assert.deepEqual(subscription.tableReads, [0, 1, 2, 3])
    assert.deepEqual(subscription.keyOf(rows[0] as SqlRow), rows[0]?.slice(0, 2))
    assert.deepEqual(plan('SCAN a FROM t').tableReads, [0, 1])
  })

  test('is found by the narrowest route that its condition gives', () => {
    const kinds: ReadonlyArray<readonly [string, string]> = [
      ["a = 1 AND b = 'x' AND n > 1", 'keys'],
      ["a = 1 AND b > 'x'", 'equals a'],
      ["b = 'x'", 'equals b'],
      ['a > 1 AND n = 3', 'ranges'],
      ['a IN (1, 2, 3) AND n = 3', 'equals a'],
      ['n IS NULL', 'equals n'],
      ["y = x'3178'", 'equals y'],
      ['n > 1', 'all'],
      ['a = 1 OR a = 2', 'all'],
      ['a = n', 'all'],
      ['NOT a = 1', 'all'],
    ]
    for (const [where, wanted] of kinds) {
      const { route, table } = plan(`SCAN * FROM t WHERE ${where}`)
      const name = route.kind === 'equals' ? ` ${table.columns[route.column]?.name}` : ''
      assert.equal(`${route.kind}${name}`, wanted, where)
    }
    assert.equal(plan('SCAN * FROM t').route.kind, 'all')
    const list = Array.from({ length: 10_001 }, (_, value) => value)
    const many = plan("SCAN * FROM t WHERE a IN :list AND b > 'x' AND n = 1", { list })
    assert.equal(many.route.kind, 'equals')
    assert.equal(many.table.columns[2]?.name, 'n')
  })

  test('of a contradiction has a route that lets nothing through', () => {
    for (const where of ['a = NULL', 'a > 2 AND a < 1', "a = 1 AND b = 'x' AND b = 'y'"]) {
      const subscription = plan(`SCAN * FROM t WHERE ${where}`)
      assert.ok(
        rows.every((row) => !lets(subscription, row)),
        where,
      )
    }
  })

  test('is not asked of rows of other keys what cannot be computed of them', () => {
    const where = 'WHERE 10 / n > 2 AND a = 3'
    const subscription = plan(`SCAN * FROM t ${where}`)
    const zero = rows.find((row) => row[2] === 0n) as SqlRow
    assert.equal(subscription.matches([2n, ...zero.slice(1)], work), false)
    const ofIts = [3n, ...zero.slice(1)]
    assert.throws(() => subscription.matches(ofIts, work), planError('division_by_zero'))
  })

  test('is refused where the rows do not each stand for themselves at all times', () => {
    const refused: ReadonlyArray<readonly [string, number]> = [
      ['SCAN * FROM t LIMIT 5', 21],
      ['SCAN * FROM t ORDER BY a', 24],
      ['SCAN COUNT(*) FROM t', 1],
      ['SCAN a FROM t GROUP BY a', 1],
      ['SCAN DISTINCT a FROM t', 1],
      ['SCAN a FROM t ORDER BY n * 2', 24],
      ['SCAN a + MAX(n) FROM t GROUP BY a', 1],
      ['SCAN * FROM t AS OF 5', 21],
      ['SCAN t.a FROM t LOOKUP t AS u BY u.a = t.a', 17],
      ["GET * FROM t WHERE a = 1 AND b = 'x' FOR UPDATE", 1],
      ['SCAN a, uuid() FROM t', 9],
      ['SCAN a FROM t WHERE coalesce(n, 1) > 0 AND (a = 1 OR now() = now())', 54],
      ['SCAN a FROM t WHERE CASE WHEN a = 1 THEN uuid()::TEXT END = b', 42],
      ["SET n = 1 ON t WHERE a = 1 AND b = 'x'", 1],
      ['SHOW TABLES', 1],
      ['EXPLAIN SCAN * FROM t', 1],
      ['BEGIN', 1],
    ]
    for (const [text, column] of refused) {
      assert.throws(() => plan(text), planError('not_subscribable', { column }), text)
    }
  })

  test('is refused for what is wrong with its statement or its parameters', () => {
    const refused: ReadonlyArray<readonly [string, string]> = [
      ['SCAN * FROM nosuch', 'unknown_table'],
      ['SCAN nosuch FROM t', 'unknown_column'],
      ['SCAN * FROM t USE INDEX nosuch', 'unknown_index'],
      ['SCAN * FROM t WHERE a', 'type_mismatch'],
      ['SCAN * FROM t WHERE a = :p', 'invalid_request'],
      ['GET * FROM t WHERE a = 1', 'invalid_request'],
    ]
    for (const [text, code] of refused) assert.throws(() => plan(text), planError(code), text)
    assert.throws(() => plan('SCAN * FROM t WHERE a = :p', { p: 'x' }), planError('type_mismatch'))
    // Only a snapshot needs bounds, and it is a statement of its own.
    assert.equal(plan('SCAN * FROM t USE INDEX byY WHERE n > 1').route.kind, 'all')
  })
})
