// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { Statement } from '../../../../parser/ast.ts'
import { createParser } from '../../../../parser/parser.ts'
import { WorkMeter } from '../../../../planner/planner.ts'
import {
  encodePrimaryKey,
  type SqlRow,
  type TableDefinition,
} from '../../../../storage/tables/tables.ts'
import { SqlSession } from '../../../../test/sql-session.ts'
import { catalogAt } from '../../../snapshot.ts'
import { operationOf } from './row-change.ts'
import { SubscribedQuery } from './subscribed-query.ts'
import { SubscriptionIndex } from './subscription-index.ts'

const NO_RULES = { parseRule: () => assert.fail('there is no rule'), claims: undefined }

const SQL = [
  'SCAN * FROM item',
  'SCAN * FROM item WHERE a = 1',
  'SCAN * FROM item WHERE a IN (1, 2) AND b = 3',
  'GET * FROM item WHERE a = 1 AND b IN (2, 3)',
  'SCAN * FROM item WHERE a > 1 AND a <= 3',
  'SCAN * FROM item WHERE a < 2',
  'SCAN * FROM item WHERE b = 2',
  "SCAN * FROM item WHERE c = 'x'",
  "SCAN * FROM item WHERE c IN ('x', 'y') AND b >= 2",
  'SCAN * FROM item WHERE c IS NULL',
  'SCAN * FROM item WHERE b + a = 4',
  "SCAN * FROM item WHERE c LIKE 'x%' OR a = 0",
]

function queryOf(name: string, statement: Statement, parameters: readonly unknown[] = []) {
  return new SubscribedQuery({
    name,
    number: 1,
    statement,
    parameters,
    integers: 'number',
    viewOf: (catalog) => catalog,
    isRestricted: false,
    subscriber: NO_RULES,
  })
}

async function indexOfAll() {
  const session = await SqlSession.open(
    'CREATE TABLE item (a INTEGER, b INTEGER, c TEXT, PRIMARY KEY (a, b DESC))',
    'CREATE TABLE other (a INTEGER PRIMARY KEY)',
  )
  const catalog = await catalogAt(session.storage)
  await session.storage.close()
  const parser = createParser()
  const queries = SQL.map((sql) => {
    const [statement] = parser.parseScript(sql)
    assert.ok(statement)
    return queryOf(sql, statement)
  })
  return { catalog, queries, table: catalog.table('item') as TableDefinition }
}

test('the queries that a row is found for are all that see it change, whatever else is found', async () => {
  const { catalog, queries, table } = await indexOfAll()
  const small = fc.bigInt({ min: 0n, max: 4n })
  const text = fc.constantFrom('x', 'xx', 'y', 'z', null)
  const images = fc.record({
    a: small,
    b: small,
    before: fc.option(text, { nil: undefined }),
    after: fc.option(text, { nil: undefined }),
  })
  fc.assert(
    fc.property(fc.subarray(queries), fc.subarray(queries), images, (added, deleted, image) => {
      const index = new SubscriptionIndex(catalog)
      for (const query of added) index.add(query)
      for (const query of deleted) index.delete(query)
      const { a, b } = image
      const rowWith = (c: string | null | undefined): SqlRow | null =>
        c === undefined ? null : [a, b, c]
      const row = { before: rowWith(image.before), after: rowWith(image.after) }
      const key = encodePrimaryKey(table, [a, b])
      const ofTable = index.concernedBy(key)
      const found = [...(ofTable?.concernedBy(key, row) ?? [])]
      const seen = found.filter(({ plan }) => operationOf(plan, row, new WorkMeter()) !== undefined)
      const expected = added
        .filter((query) => !deleted.includes(query))
        .filter((query) => operationOf(query.planAt(catalog), row, new WorkMeter()) !== undefined)
      assert.deepEqual(
        seen.map(({ query }) => query.name).sort(),
        expected.map(({ name }) => name).sort(),
      )
    }),
  )
})

test('of a thousand queries for one key each, a row is found for its own alone', async () => {
  const { catalog, table } = await indexOfAll()
  const [statement] = createParser().parseScript('GET * FROM item WHERE a = $1 AND b = 1')
  assert.ok(statement)
  const index = new SubscriptionIndex(catalog)
  for (let a = 0; a < 1_000; a += 1) {
    index.add(queryOf(`query ${a}`, statement, [a]))
  }
  const key = encodePrimaryKey(table, [700n, 1n])
  const found = index.concernedBy(key)?.concernedBy(key, { before: null, after: [700n, 1n, 'x'] })
  assert.deepEqual(
    [...(found ?? [])].map(({ query }) => query.name),
    ['query 700'],
  )
  const others = [encodePrimaryKey(table, [700n, 2n]), encodePrimaryKey(table, [1_000n, 1n])]
  for (const other of others) assert.equal(index.concernedBy(other), undefined)
})
