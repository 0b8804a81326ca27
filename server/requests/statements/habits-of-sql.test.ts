// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import test from 'node:test'
import { startTestServer } from '../../../test/server/test-server.ts'

// What people of PostgreSQL, SQLite and MySQL write, one after the other on one server, and what the error says of it:
// after > the statement that it suggests, which is then sent, or after ! the end of its hint.

const TEXT = readFileSync(
  new URL('../../../test/server/habits-of-sql.txt', import.meta.url),
  'utf8',
)

const HABITS = [...TEXT.matchAll(/^(.+)\n {2}([>!]) (.+)$/gm)].map(
  ([, sql = '', kind = '', answer = '']) => ({ sql, isStatement: kind === '>', answer }),
)

const SCHEMA = [
  `CREATE TABLE customer (id TEXT PRIMARY KEY, name TEXT, city TEXT, mail TEXT, credit INTEGER NOT NULL DEFAULT 0,
    vip BOOLEAN, meta JSON)`,
  'CREATE UNIQUE INDEX customerByMail ON customer (mail)',
  `CREATE TABLE orders (id TEXT PRIMARY KEY, customer TEXT NOT NULL, placed TIMESTAMP NOT NULL DEFAULT now(),
    state TEXT NOT NULL DEFAULT 'open', total INTEGER NOT NULL)`,
  'CREATE INDEX ordersByCustomer ON orders (customer, placed DESC)',
  'CREATE ROLE clerk',
  `INSERT INTO customer (id, name, city, mail, credit) VALUES ('ann', 'Ann', 'Rome', 'ann@example.com', 20),
    ('bob', 'Bob', 'Oslo', 'bob@example.com', 5)`,
  "INSERT INTO orders (id, customer, total) VALUES ('o1', 'ann', 30)",
]

/** Values for the parameters of suggestions. */
const VALUES: Readonly<Record<string, unknown>> = {
  values: ['ann'],
  id: 'new',
  customer: 'ann',
  total: 1,
}

function paramsOf(sql: string): unknown {
  if (sql.includes('$1')) return sql.includes('IN $1') ? [['ann']] : ['ann']
  const names = [...sql.matchAll(/(?<!:):([a-z]+)/g)].map(([, name = '']) => name)
  return names.length === 0
    ? undefined
    : Object.fromEntries(names.map((name) => [name, VALUES[name]]))
}

/** A transaction begins and ends in one request. */
function asRequest(sql: string): string {
  if (/^BEGIN/.test(sql)) return `${sql}; COMMIT`
  return /^(?:COMMIT|ROLLBACK)/.test(sql) ? `BEGIN; ${sql}` : sql
}

test('the error of a statement of another database has its place, and', async (t) => {
  const server = await startTestServer(t)
  for (const sql of SCHEMA) await server.rows(sql)
  for (const table of ['customer', 'orders']) await server.indexesBuilt(table)
  for (const { sql, isStatement, answer } of HABITS) {
    await t.test(`${isStatement ? 'suggests what runs' : 'says what to do'}: ${sql}`, async () => {
      const { status, body } = await server.query(sql)
      assert.ok(status >= 400 && status < 500, JSON.stringify(body))
      assert.deepEqual([typeof body.line, typeof body.column], ['number', 'number'])
      const { hint, suggestion } = body
      assert.equal(suggestion, isStatement ? answer : undefined, hint)
      assert.ok(hint?.endsWith(answer), hint)
      if (!isStatement) return
      const params = paramsOf(answer)
      const sent = await server.query(asRequest(answer), params === undefined ? {} : { params })
      assert.ok(sent.status < 300, `${answer}: ${sent.text}`)
    })
  }
})

test('and so for hundreds of them', () => assert.ok(HABITS.length > 500, `${HABITS.length}`))
