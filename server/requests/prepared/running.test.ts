// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { runningScene } from '../../../test/server/running-scene.ts'
import { openSocket } from '../../../test/server/socket-client.ts'

/** Statements that take far longer together than any of these tests. */
const LONG = Array.from({ length: 1_000 }, () => ({
  sql: "SCAN count(*) FROM t USE PRIMARY KEY WHERE a <> 'secret'",
}))
const SHAPE = 'SCAN count(*) FROM t USE PRIMARY KEY WHERE a <> ?'

test('a statement that runs is listed without its values, and ends when it is told to', async (t) => {
  const { client, running, cancel, list, nothingHeld } = await runningScene(t)
  const query = client.send('POST', '/v1/query', { statements: LONG })
  const { id, state, ageMs, ...facts } = await running('query')
  const statement = `${Array.from({ length: 10 }, () => SHAPE).join('; ')}; …`
  assert.deepEqual(facts, { operation: 'query', client: '127.0.0.2', statement })
  assert.ok(ageMs >= 0 && ['waiting', 'running'].includes(state))
  assert.equal((await cancel(id)).status, 204)
  const { status, body } = await query
  assert.deepEqual([status, body.code, body.retryable], [409, 'statement_cancelled', false])
  assert.deepEqual(await list(), [])
  const again = await cancel(id)
  assert.deepEqual([again.status, again.body.code], [404, 'unknown_statement'])
  await nothingHeld()
})

test('a statement inside a transaction is cancelled, and the transaction stays open', async (t) => {
  const { client, running, cancel } = await runningScene(t)
  const { transaction } = (await client.query('BEGIN')).body
  const path = `/v1/transactions/${transaction}/query`
  const query = client.send('POST', path, { statements: LONG })
  await cancel((await running('queryInTransaction')).id)
  assert.equal((await query).body.code, 'statement_cancelled')
  assert.equal((await client.send('POST', path, { sql: 'SHOW TABLES' })).status, 200)
})

test('a stream and a request on rows are cancelled while they run', async (t) => {
  const { client, running, cancel, nothingHeld } = await runningScene(t)
  // A filter that takes long for each row, and keeps none.
  const conditions = Array.from({ length: 800 }, (_, n) => `id<>-${n + 1}`)
  const where = encodeURIComponent(['id>=0', ...conditions, "a='secret'"].join(' AND '))
  const path = `/v1/tables/t/rows?where=${where}`
  for (const format of ['json', 'ndjson']) {
    const answer = client.send('GET', `${path}&format=${format}`)
    const { id, statement } = await running('listRows')
    assert.match(statement, /^id>=\? AND id<>-\? AND/)
    await cancel(id)
    assert.match((await answer).text, /statement_cancelled/)
  }
  await nothingHeld()
})

test('the frame cancel ends a query of its socket, and is ignored for an id that is not in use', async (t) => {
  const { port, running } = await runningScene(t)
  const socket = await openSocket(t, port, { localAddress: '127.0.0.4' })
  socket.send({ type: 'cancel', id: 'nobody' })
  socket.send({ type: 'query', id: 'long', statements: LONG })
  assert.equal((await running('query')).client, '127.0.0.4')
  socket.send({ type: 'cancel', id: 'long' })
  const { type, code, status, retryable } = await socket.about('long')
  assert.deepEqual([type, code, status, retryable], ['error', 'statement_cancelled', 409, false])
  assert.equal((await socket.query('SHOW TABLES')).type, 'result')
})

test('a subscription is ended by cancel, and listed only until its rows have come', async (t) => {
  const { port, list } = await runningScene(t)
  const socket = await openSocket(t, port)
  assert.equal((await socket.subscribe('s', 'SCAN * FROM t', { since: 0 })).type, 'subscribed')
  assert.deepEqual(await list(), [])
  socket.send({ type: 'cancel', id: 's' })
  const last = await socket.next(({ type }) => type === 'error')
  assert.deepEqual([last.id, last.code], ['s', 'statement_cancelled'])
})

test('a repetition that waits for the first request of its key is cancelled while it waits', async (t) => {
  const { client, list, cancel, nothingHeld } = await runningScene(t)
  const body = {
    statements: [...LONG.slice(1), { sql: "INSERT INTO t (id, a) VALUES (9001, 'x')" }],
  }
  const send = () => client.send('POST', '/v1/query', body, { 'Idempotency-Key': 'k' })
  const both = [send(), send()]
  for (let tries = 0; (await list()).length < 2; tries += 1) assert.ok(tries < 1_000)
  const [first, second] = await list()
  await cancel(second.id)
  assert.equal((await Promise.race(both)).body.code, 'statement_cancelled')
  assert.deepEqual(
    (await list()).map(({ id }: { id: string }) => id),
    [first.id],
  )
  await cancel(first.id)
  for (const answer of await Promise.all(both)) {
    assert.equal(answer.body.code, 'statement_cancelled')
  }
  await nothingHeld()
})
