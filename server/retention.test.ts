// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { startTestServer, type TestServer } from '../test/server/test-server.ts'

/** Waits for a collection that began after now. */
async function collected(server: TestServer, beyond: number): Promise<void> {
  for (;;) {
    const { body } = await server.get('/v1/status')
    if ((body.lastCollection?.safePoint ?? 0) > beyond) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

test('versions beyond the retention are gone: reads of them fail, and never half-answer', async (t) => {
  const flags = { retention: '200ms', 'garbage-interval': '50ms', 'transaction-timeout': '1h' }
  const server = await startTestServer(t, { flags })
  await server.query('CREATE TABLE counter (id TEXT PRIMARY KEY, n INTEGER NOT NULL)')
  const { body: old } = await server.query("INSERT INTO counter (id, n) VALUES ('a', 1)")
  const asOf = old.commitTimestamp
  const { body: page } = await server.query('SCAN * FROM counter', { pageSize: 1 })
  await server.query("INSERT INTO counter (id, n) VALUES ('b', 1)")
  const { body: first } = await server.query('SCAN * FROM counter', { pageSize: 1 })
  assert.equal(page.cursor, undefined)
  await server.query("SET n = 2 ON counter WHERE id = 'a'")
  await collected(server, first.readTimestamp)

  const late = await server.query(`GET * FROM counter AS OF ${asOf} WHERE id = 'a'`)
  assert.deepEqual([late.status, late.body.code], [410, 'snapshot_too_old'])
  assert.ok(late.body.oldest > asOf)
  const next = await server.query('SCAN * FROM counter', { pageSize: 1, cursor: first.cursor })
  assert.deepEqual([next.status, next.body.code], [410, 'snapshot_too_old'])
  assert.deepEqual(await server.rows('SCAN * FROM counter'), [
    { id: 'a', n: 2 },
    { id: 'b', n: 1 },
  ])
})

test('a transaction that is open keeps what it reads, however short the retention', async (t) => {
  const flags = { retention: '1ms', 'garbage-interval': '20ms' }
  const server = await startTestServer(t, { flags })
  await server.query('CREATE TABLE counter (id TEXT PRIMARY KEY, n INTEGER NOT NULL)')
  await server.query("INSERT INTO counter (id, n) VALUES ('a', 1)")
  const transaction = await server.begin()
  const startTs = Number.parseInt(transaction, 10)
  for (let n = 2; n < 30; n += 1) await server.query(`SET n = ${n} ON counter WHERE id = 'a'`)
  await collected(server, startTs - 1)
  const [row] = await server.rows("GET n FROM counter WHERE id = 'a'", { transaction })
  assert.equal(row.n, 1)
})
