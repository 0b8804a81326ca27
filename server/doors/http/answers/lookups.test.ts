// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startTestServer } from '../../../../test/server/test-server.ts'

const SQL = `SCAN o.id, o.amount, c.name FROM orders AS o
  LOOKUP customer AS c BY c.id = o.customer OPTIONAL WHERE o.amount >= :least AND o.id > 0`

async function shop(t: Parameters<typeof startTestServer>[0]) {
  const server = await startTestServer(t)
  await server.rows('CREATE TABLE customer (id TEXT PRIMARY KEY, name TEXT NOT NULL)')
  await server.rows(
    'CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, amount INTEGER NOT NULL)',
  )
  await server.rows("INSERT INTO customer (id, name) VALUES ('a', 'Ann'), ('b', 'Bob')")
  await server.rows(
    "INSERT INTO orders (id, customer, amount) VALUES (1, 'a', 5), (2, 'b', 1), (3, 'none', 7), (4, 'a', 9)",
  )
  return server
}

const ROWS = [
  { id: 1, amount: 5, name: 'Ann' },
  { id: 3, amount: 7, name: null },
  { id: 4, amount: 9, name: 'Ann' },
]

describe('a statement with LOOKUP', () => {
  test('is answered in pages by cursors, at the snapshot of the first', async (t) => {
    const server = await shop(t)
    const asked = { sql: SQL, params: { least: 3 }, pageSize: 1 }
    const rows: unknown[] = []
    let cursor: string | undefined
    do {
      const { body } = await server.post('/v1/query', { ...asked, ...(cursor && { cursor }) })
      rows.push(...body.results[0].rows)
      cursor = body.cursor
      await server.rows(`SET name = 'now ${rows.length}' ON customer WHERE id = 'a'`)
    } while (cursor !== undefined)
    assert.deepEqual(rows, ROWS)
  })

  test('is streamed as NDJSON', async (t) => {
    const server = await shop(t)
    const { text } = await server.send({
      method: 'POST',
      path: '/v1/query',
      json: { sql: SQL, params: { least: 3 } },
      headers: { accept: 'application/x-ndjson' },
    })
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      lines.flatMap(({ row }) => row ?? []),
      ROWS,
    )
  })

  test('reads the past of all its tables', async (t) => {
    const server = await shop(t)
    const { readTimestamp } = (await server.query('SHOW TABLES')).body
    await server.rows("SET name = 'Anna' ON customer WHERE id = 'a'")
    const past = SQL.replace('AS o', `AS o AS OF ${readTimestamp}`).replace(':least', '8')
    assert.deepEqual(await server.rows(past), [{ id: 4, amount: 9, name: 'Ann' }])
    assert.deepEqual(await server.rows(SQL.replace(':least', '8')), [
      { id: 4, amount: 9, name: 'Anna' },
    ])
  })

  test('is described: what OPTIONAL finds may be NULL, and parameters come in the order of the text', async (t) => {
    const server = await shop(t)
    const { body } = await server.post('/v1/describe', { sql: SQL })
    assert.deepEqual(body.columns, [
      { name: 'id', type: 'INTEGER', nullable: false },
      { name: 'amount', type: 'INTEGER', nullable: false },
      { name: 'name', type: 'TEXT', nullable: true },
    ])
    assert.deepEqual(body.parameters, [{ name: 'least', type: 'INTEGER' }])
    const inner = SQL.replace(' OPTIONAL', '').replace('c.id = o.customer', 'c.id = :who')
    const known = (await server.post('/v1/describe', { sql: inner })).body
    assert.equal(known.columns[2].nullable, false)
    assert.deepEqual(known.parameters, [
      { name: 'who', type: 'TEXT' },
      { name: 'least', type: 'INTEGER' },
    ])
  })

  test('is subscribed to as a list; row by row it cannot be, and the error says what can', async (t) => {
    const server = await shop(t)
    const search = new URLSearchParams({ sql: SQL.replace(':least', '3'), mode: 'rows' })
    const { body } = await server.send({ path: `/v1/changes?${search}` })
    assert.equal(body.code, 'not_subscribable')
    assert.match(body.hint, /with the mode "result", or with none/)
  })
})
