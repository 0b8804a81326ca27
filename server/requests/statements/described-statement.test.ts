// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startTestServer } from '../../../test/server/test-server.ts'

async function bank(t: Parameters<typeof startTestServer>[0]) {
  const server = await startTestServer(t)
  await server.query(
    'CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL, seen TIMESTAMP, rate REAL)',
  )
  return {
    server,
    describe: (sql: string) => server.post('/v1/describe', { sql }),
  }
}

describe('a statement that is described', () => {
  test('has its columns with their types, and whether they may be NULL where that is known', async (t) => {
    const { describe } = await bank(t)
    const { body } = await describe(
      'SCAN id, balance AS b, seen, count(*) AS n, max(balance) AS m, 1 AS one FROM account USE PRIMARY KEY GROUP BY id, balance, seen',
    )
    assert.equal(body.code, undefined, body.detail)
    assert.deepEqual(body.columns, [
      { name: 'id', type: 'TEXT', nullable: false },
      { name: 'b', type: 'INTEGER', nullable: false },
      { name: 'seen', type: 'TIMESTAMP', nullable: true },
      { name: 'n', type: 'INTEGER', nullable: false },
      { name: 'm', type: 'INTEGER' },
      { name: 'one', type: 'INTEGER', nullable: false },
    ])
    const { columns } = (await describe("DELETE FROM account WHERE id = 'a' RETURNING *")).body
    assert.deepEqual(columns[2], { name: 'seen', type: 'TIMESTAMP', nullable: true })
  })

  test('has its parameters with the types of their places', async (t) => {
    const { describe } = await bank(t)
    const parameters = async (sql: string) => (await describe(sql)).body.parameters
    assert.deepEqual(await parameters('GET * FROM account AS OF $2 WHERE id IN $1'), [
      { name: 1, type: 'TEXT', list: true },
      { name: 2 },
    ])
    assert.deepEqual(
      await parameters(
        'SCAN * FROM account USE PRIMARY KEY WHERE balance = :n AND rate = :n LIMIT :most',
      ),
      [{ name: 'n' }, { name: 'most', type: 'INTEGER' }],
    )
    assert.deepEqual(await parameters('EXPLAIN SET balance = :b ON account WHERE id = :id'), [
      { name: 'b', type: 'INTEGER' },
      { name: 'id', type: 'TEXT' },
    ])
  })

  test('is said to write or not, and neither runs nor is read', async (t) => {
    const { server, describe } = await bank(t)
    for (const [sql, kind, writes, columns] of [
      ["INSERT INTO account (id, balance) VALUES ('a', 1)", 'insert', true, []],
      ['CREATE TABLE t (id TEXT PRIMARY KEY)', 'createTable', true, []],
      ['CREATE TOKEN t ROLE admin EXPIRES IN 1 DAY', 'createToken', true, undefined],
      ["CHECK balance > 0 ON account WHERE id = 'a'", 'check', false, []],
      ['SHOW TABLES', 'showTables', false, undefined],
      ['BEGIN', 'begin', false, []],
    ] as const) {
      const { body } = await describe(sql)
      assert.deepEqual([body.kind, body.writes, body.columns], [kind, writes, columns], sql)
    }
    assert.deepEqual(await server.rows('SCAN * FROM account USE PRIMARY KEY'), [])
    assert.equal((await server.get('/v1/tables/t')).status, 404)
  })

  test('is refused with its place where it does not plan, and where it is not one', async (t) => {
    const { describe } = await bank(t)
    for (const [sql, code, column] of [
      ['SCAN balanse FROM account', 'unknown_column', 6],
      ['SCAN * FRM account', 'syntax_error', 8],
      ['SHOW TABLES; SHOW TABLES', 'invalid_request', undefined],
      ['', 'invalid_request', undefined],
    ] as const) {
      const { body } = await describe(sql)
      assert.deepEqual([body.code, body.column], [code, column], sql)
    }
  })
})
