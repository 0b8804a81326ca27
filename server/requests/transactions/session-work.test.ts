// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { ManualClock } from '../../../test/manual-clock.ts'
import {
  type AnswerBody,
  startTestServer,
  type TestServer,
} from '../../../test/server/test-server.ts'

async function withTables(t: TestContext, clock = new ManualClock()): Promise<TestServer> {
  const server = await startTestServer(t, { deps: { clock } })
  await server.query('CREATE TABLE account (id INTEGER PRIMARY KEY, note TEXT)')
  await server.query('CREATE TABLE log (id INTEGER PRIMARY KEY, note TEXT)')
  await server.query('CREATE INDEX byNote ON account (note)')
  await server.indexesBuilt('account')
  return server
}

const inside = (server: TestServer, id: string, sql: string) =>
  server.post(`/v1/transactions/${id}/query`, { sql })

async function listed(server: Pick<TestServer, 'get'>): Promise<AnswerBody> {
  const { status, body, text } = await server.get('/v1/transactions')
  assert.equal(status, 200, text)
  return body.transactions[0]
}

describe('an open transaction in the list', () => {
  it('has done nothing at first', async (t) => {
    const server = await withTables(t)
    await server.begin()
    const { statements, last, bytes, writes, client } = await listed(server)
    assert.deepEqual([statements, last, bytes, writes], [0, undefined, 0, []])
    assert.match(client, /127\.0\.0\.1|::/)
  })

  it('tells how many rows of which table it has written, each once, and no entries', async (t) => {
    const server = await withTables(t)
    const id = await server.begin()
    await inside(server, id, "INSERT INTO account (id, note) VALUES (1, 'a'), (2, 'b')")
    const first = await listed(server)
    assert.deepEqual(first.writes, [{ table: 'account', rows: 2 }])
    assert.ok(first.bytes > 0)
    await inside(
      server,
      id,
      "SET note = 'c' ON account WHERE id = 1; DELETE FROM account WHERE id = 2",
    )
    await inside(server, id, 'INSERT INTO log (id) VALUES (1)')
    const { writes, statements, bytes } = await listed(server)
    const both = [
      { table: 'account', rows: 2 },
      { table: 'log', rows: 1 },
    ]
    assert.deepEqual([writes, statements], [both, 4])
    assert.ok(bytes > first.bytes)
    await inside(server, id, "INSERT INTO account (id, note) VALUES (3, 'a')")
    assert.equal((await listed(server)).writes[0].rows, 3)
  })

  it('tells of its last statement the kind and the table, never a value or a text', async (t) => {
    const server = await withTables(t)
    const id = await server.begin()
    const secret = 'hunter2'
    for (const [sql, last] of [
      [`INSERT INTO account (id, note) VALUES (1, '${secret}')`, 'INSERT account'],
      [`SCAN * FROM account USE INDEX byNote WHERE note = '${secret}'`, 'SCAN account'],
      [`EXPLAIN GET * FROM account WHERE id = 7 -- ${secret}`, 'EXPLAIN GET account'],
      ['SHOW TABLES', 'SHOW TABLES'],
    ] as const) {
      assert.equal((await inside(server, id, sql)).status, 200, sql)
      assert.equal((await listed(server)).last, last)
    }
    // It never ran.
    assert.equal((await inside(server, id, `GET * FROM ${secret} WHERE id = 1`)).status, 404)
    const { text } = await server.get('/v1/transactions')
    assert.ok(!text.includes(secret), text)
    assert.equal((await listed(server)).statements, 4)
  })

  it('tells for how long it was idle', async (t) => {
    const clock = new ManualClock()
    const server = await withTables(t, clock)
    const id = await server.begin()
    await clock.advance(1_200)
    assert.equal((await listed(server)).idleMs, 1_200)
    await inside(server, id, 'GET * FROM account WHERE id = 1')
    assert.equal((await listed(server)).idleMs, 0)
  })

  it('has 40,000 rows counted once, also when several ask at a time', async (t) => {
    const server = await withTables(t)
    const id = await server.begin()
    for (let from = 0; from < 40_000; from += 10_000) {
      const rows = Array.from({ length: 10_000 }, (_, n) => `(${from + n})`)
      const { status, text } = await inside(server, id, `INSERT INTO log (id) VALUES ${rows}`)
      assert.equal(status, 200, text)
    }
    const lists = await Promise.all([listed(server), listed(server), listed(server)])
    for (const { writes } of lists) assert.deepEqual(writes, [{ table: 'log', rows: 40_000 }])
  })
})
