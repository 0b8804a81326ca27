// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import test, { type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { AddressedClient } from '../../../test/server/addressed-client.ts'
import { openSocket, SocketClient } from '../../../test/server/socket-client.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import type { SharedLimit } from './shares.ts'

/** A server with small bounds that listens, and two clients of it. */
async function scene(t: TestContext, sharedLimits: Partial<Record<SharedLimit, number>>) {
  const { server } = await startTestServer(t, { deps: { sharedLimits } })
  const { url, port } = await server.listen()
  const greedy = new AddressedClient(url, '127.0.0.2')
  const other = new AddressedClient(url, '127.0.0.3')
  t.after(() => {
    greedy.close()
    other.close()
  })
  await other.query('CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)')
  return { server, url, port, greedy, other }
}

test('a client opens transactions until its share is used up, and another one still begins', async (t) => {
  const { greedy, other } = await scene(t, { openTransactionsMax: 80 })
  const begun = await Promise.all(
    Array.from({ length: 70 }, () => greedy.send('POST', '/v1/transactions')),
  )
  const refused = begun.filter(({ status }) => status !== 201)
  assert.equal(refused.length, 10)
  for (const { status, headers, body } of refused) {
    assert.deepEqual([status, body.code, body.retryable], [429, 'client_overloaded', true])
    assert.deepEqual([body.limit, body.limitValue], ['openTransactionsMax', 60])
    assert.equal(headers['retry-after'], '1')
  }
  assert.equal((await other.send('POST', '/v1/transactions')).status, 201)
  assert.equal((await other.query('BEGIN')).status, 201)
  // What has ended is given back; those of the other client have used some of the greedy one's share.
  for (const { body } of begun.filter(({ status }) => status === 201).slice(0, 3)) {
    assert.equal((await greedy.send('DELETE', `/v1/transactions/${body.transaction}`)).status, 204)
  }
  assert.equal((await greedy.query('BEGIN')).status, 201)
})

test('a client that fills the buffer with writes leaves room for the INSERT and CREATE of another', async (t) => {
  const bufferedBytesMax = 1024 * 1024
  const { greedy, other } = await scene(t, { bufferedBytesMax })
  const { transaction } = (await greedy.query('BEGIN')).body
  const fill = (id: number) =>
    greedy.query(
      'INSERT INTO t (id, a) VALUES (:id, :a)',
      { id, a: 'x'.repeat(100_000) },
      { transaction },
    )
  let last = await fill(0)
  for (let id = 1; last.status === 200; id += 1) last = await fill(id)
  assert.deepEqual([last.status, last.body.code], [429, 'client_overloaded'])
  assert.equal(last.body.limit, 'bufferedBytesMax')
  // By the fast path of small requests and by the ordinary way; both statements keep their small share.
  for (const sql of [
    "INSERT INTO t (id, a) VALUES (1001, 'small')",
    'CREATE TABLE u (id INTEGER PRIMARY KEY)',
    "INSERT INTO t (id, a) VALUES (1002, 'small')",
  ]) {
    const { status, text } = await other.query(sql)
    assert.equal(status, 200, text)
  }
  const put = await other.send('PUT', '/v1/tables/t/rows/1003', { a: 'small' })
  assert.ok(put.status < 300, put.text)
  // What is more than the rest is the fault of others, and may be tried again.
  const { body: opened } = await other.query('BEGIN')
  const much = { id: 1009, a: 'x'.repeat(300_000) }
  const insert = 'INSERT INTO t (id, a) VALUES (:id, :a)'
  const large = await other.query(insert, much, { transaction: opened.transaction })
  assert.deepEqual([large.status, large.body.code, large.body.retryable], [503, 'overloaded', true])
  assert.equal(large.headers['retry-after'], '1')
  // The transactions are open still, and their writes as they were before the statement that was refused.
  assert.equal((await greedy.send('POST', `/v1/transactions/${transaction}/commit`)).status, 200)
  const again = await other.query(insert, much, { transaction: opened.transaction })
  assert.equal(again.status, 200, again.text)
})

test('what a transaction wrote is given back however it ends', async (t) => {
  const { greedy } = await scene(t, { bufferedBytesMax: 1024 * 1024 })
  const insert = (id: number, transaction: string) =>
    greedy.query(
      'INSERT INTO t (id, a) VALUES (:id, :a)',
      { id, a: 'x'.repeat(100_000) },
      { transaction },
    )
  for (const end of ['COMMIT', 'ROLLBACK']) {
    const { transaction } = (await greedy.query('BEGIN')).body
    for (let id = 0; id < 3; id += 1) await insert(id, transaction)
    // A statement that fails gives its own back.
    assert.equal((await insert(0, transaction)).status, 409)
    await greedy.query(end, undefined, { transaction })
    const { body } = await greedy.send('GET', '/v1/status')
    assert.equal(body.bufferedBytes, 0)
  }
})

test('sockets, subscriptions, responses of changes and workers are shared as well', async (t) => {
  const { url, port, greedy, other } = await scene(t, {
    socketsMax: 80,
    subscriptionsMax: 80,
    changeStreamsMax: 16,
    observerWorkersMax: 80,
  })
  await other.query('CREATE OBSERVER o ON t (a)')
  const sockets: SocketClient[] = []
  for (let count = 0; count < 60; count += 1) {
    sockets.push(await openSocket(t, port, { localAddress: '127.0.0.2' }))
  }
  const refused = new SocketClient(
    new WebSocket(`${url.replace('http', 'ws')}/v1/socket`, 'percolite.v1', {
      localAddress: '127.0.0.2',
    }),
  )
  const { code, reason } = await refused.closed()
  assert.deepEqual([code, reason], [4429, 'Too many sockets of this client are open.'])

  const [first] = sockets as [SocketClient]
  for (let count = 0; count < 60; count += 1) {
    assert.equal((await first.subscribe(`s${count}`, 'SCAN * FROM t')).type, 'subscribed')
  }
  assert.equal((await first.subscribe('more', 'SCAN * FROM t')).code, 'client_overloaded')
  first.send({ type: 'observe', id: 'o', observer: 'o', workers: 61 })
  assert.equal((await first.about('o')).code, 'limit_exceeded')
  first.send({ type: 'observe', id: 'p', observer: 'o', workers: 60 })
  first.send({ type: 'observe', id: 'q', observer: 'o', workers: 1 })
  assert.equal((await first.about('q')).code, 'client_overloaded')

  const second = await openSocket(t, port, { localAddress: '127.0.0.3' })
  assert.equal((await second.subscribe('s', 'SCAN * FROM t')).type, 'subscribed')
  second.send({ type: 'observe', id: 'o', observer: 'o', workers: 2 })
  await other.query("INSERT INTO t (id, a) VALUES (1, 'x')")
  assert.equal((await second.query('GET * FROM t WHERE id = 1')).type, 'result')

  // Subscriptions of its socket are no responses, but they are subscriptions.
  const changes = await other.send('GET', '/v1/changes?sql=nonsense')
  assert.equal(changes.status, 400)
  const many = await greedy.send('GET', '/v1/changes?sql=SCAN%20*%20FROM%20t')
  assert.deepEqual([many.status, many.body.code], [429, 'client_overloaded'])
  // A subscription that ended is given back, and so is what was refused.
  for (const id of ['s0', 's1']) {
    first.send({ type: 'unsubscribe', id })
    await first.next((frame) => frame.type === 'unsubscribed')
  }
  assert.equal((await first.subscribe('again', 'SCAN * FROM t')).type, 'subscribed')
})

test('a line of waiting requests that is full sheds those of who fills it, and another client is served', async (t) => {
  const { server, url, other } = await scene(t, { queuedRequestsMax: 16 })
  const greedy = new AddressedClient(url, '127.0.0.2', 40)
  t.after(() => greedy.close())
  const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, a: 'x' }))
  await other.send('POST', '/v1/tables/t/rows', rows)
  const sql = "SCAN count(*) FROM t USE PRIMARY KEY WHERE a <> 'y'"
  const statements = Array.from({ length: 20 }, () => ({ sql }))
  const heavy = Array.from({ length: 40 }, () => greedy.send('POST', '/v1/query', { statements }))
  const first = await Promise.race(heavy)
  assert.deepEqual([first.status, first.body.code], [429, 'client_overloaded'])
  assert.equal(first.headers['retry-after'], '1')
  assert.equal(first.body.limit, 'queuedRequestsMax')
  const small = await other.query(sql)
  assert.equal(small.status, 200, small.text)
  const statuses = (await Promise.all(heavy)).map(({ status }) => status)
  assert.deepEqual(new Set(statuses), new Set([200, 429]))
  assert.ok(statuses.filter((status) => status === 200).length >= 12)
  assert.deepEqual([server.shares.queuedRequests.held, server.shares.requests.held], [0, 0])
})

test('several clients fill the line together, each within its share: a newcomer is served, and who gave way may come again', async (t) => {
  const { server, url, other } = await scene(t, { queuedRequestsMax: 16 })
  const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, a: 'x' }))
  await other.send('POST', '/v1/tables/t/rows', rows)
  const sql = "SCAN count(*) FROM t USE PRIMARY KEY WHERE a <> 'y'"
  const statements = Array.from({ length: 30 }, () => ({ sql }))
  const heavyFrom = (last: number, count: number) => {
    const client = new AddressedClient(url, `127.0.0.${last}`)
    t.after(() => client.close())
    return Array.from({ length: count }, () => client.send('POST', '/v1/query', { statements }))
  }
  const { queuedRequests } = server.shares
  const untilHeld = async (count: number) => {
    for (let tries = 0; queuedRequests.held < count; tries += 1) {
      assert.ok(tries < 500, `${count} wait`)
      await setTimeout(2)
    }
  }
  const heavy = [4, 5, 6, 7].flatMap((last) => heavyFrom(last, 8))
  await untilHeld(12)
  heavy.push(...[8, 9, 10, 11].flatMap((last) => heavyFrom(last, 1)))
  await untilHeld(16)
  const small = await Promise.all([other.query(sql), other.query(sql)])
  assert.deepEqual(
    small.map(({ status }) => status),
    [200, 200],
  )
  const refused = (await Promise.all(heavy)).filter(({ status }) => status !== 200)
  const gaveWay = refused.filter(({ body }) => /gave way/.test(body.detail))
  assert.ok(gaveWay.length >= 2)
  for (const { status, headers, body } of refused) {
    assert.equal(headers['retry-after'], '1')
    assert.equal(body.code, status === 429 ? 'client_overloaded' : 'overloaded')
  }
  assert.deepEqual([server.shares.queuedRequests.held, server.shares.requests.held], [0, 0])
})

test('a connection beyond connectionsMax is answered and closed at once', async (t) => {
  const { port } = await scene(t, { connectionsMax: 4 })
  const sockets = Array.from({ length: 8 }, () => connect({ port, localAddress: '127.0.0.4' }))
  const [text] = await Promise.race(sockets.map((socket) => once(socket, 'data')))
  assert.match(String(text), /^HTTP\/1\.1 (429|503) .*"limit":"connectionsMax"/s)
  for (const socket of sockets) socket.destroy()
})
