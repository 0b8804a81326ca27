// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { openSocket } from '../../../../test/server/socket-client.ts'
import { startTestServer, type TestServer } from '../../../../test/server/test-server.ts'
import { SERVER_LIMITS } from '../../../limits.ts'

/** Around the numbers of rows at which an answer is written while it is read. */
const COUNTS = [0, 1, 99, 100, 101, 199, 200, 201, 1_000]

/** Beyond ASCII, with what JSON escapes, and longer than a part of an answer in UTF-8 than in characters. */
const textOfRow = (n: number) => `${n} "\\ \u0000 é 漢 😀 \u2028`

async function serverWithRows(t: TestContext, count: number): Promise<TestServer> {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT)')
  const rows = Array.from({ length: count }, (_, id) => ({ id, text: textOfRow(id) }))
  const posted = await server.post('/v1/tables/item/rows', rows)
  assert.equal(posted.status, 201, posted.text)
  return server
}

function expectedRows(count: number) {
  return Array.from({ length: count }, (_, id) => ({ id, text: textOfRow(id) }))
}

test('an answer of any length is the same by every way', async (t) => {
  const server = await serverWithRows(t, 1_000)
  const { port } = await server.listen()
  const socket = await openSocket(t, port)
  for (const count of COUNTS) {
    const sql = `SCAN * FROM item LIMIT ${count}`
    const overHttp = await fetch(`http://127.0.0.1:${port}/v1/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sql }),
    })
    const bytes = Buffer.from(await overHttp.arrayBuffer())
    assert.equal(overHttp.headers.get('content-length'), String(bytes.length))
    const fast = await server.query(sql)
    const asText = await server.send({
      method: 'POST',
      path: '/v1/query',
      text: sql,
      headers: { 'content-type': 'text/plain' },
    })
    const among = await server.post('/v1/query', {
      statements: [{ sql: 'SCAN id FROM item LIMIT 1' }, { sql }, { sql }],
    })
    const expected = expectedRows(count)
    const answers = [JSON.parse(bytes.toString()), fast.body, asText.body]
    for (const { results } of [...answers, await socket.query(sql)]) {
      assert.deepEqual(results[0].rows, expected, `${count} rows`)
      assert.equal(results[0].columns.length, 2)
    }
    const [one, ...both] = among.body.results
    assert.deepEqual(one.rows, [{ id: 0 }])
    for (const { rows } of both) assert.deepEqual(rows, expected, `${count} rows`)
  }
})

test('what a SCAN answers is counted also where it was written before the end', async (t) => {
  const server = await serverWithRows(t, SERVER_LIMITS.pageRowsMax)
  await server.query('INSERT INTO item (id) VALUES (-1)')
  const sql = 'SCAN id FROM item'
  const refused = await server.post('/v1/query', { statements: [{ sql }, { sql }] })
  assert.deepEqual([refused.status, refused.body.code], [413, 'limit_exceeded'])
  assert.equal(refused.body.actual, SERVER_LIMITS.pageRowsMax)
})

test('EXPLAIN ANALYZE counts the rows of a long answer and gives none of them', async (t) => {
  const server = await serverWithRows(t, 250)
  const [{ plan }] = await server.rows('EXPLAIN ANALYZE SCAN * FROM item')
  assert.equal(plan.measured.rowsReturned, 250)
})
