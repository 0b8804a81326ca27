// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import test, { type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { openSocket } from '../../../test/server/socket-client.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { clientKeyOf } from './client-key.ts'

const MIB = 1024 * 1024
const A = '127.0.0.2'
const B = '127.0.0.3'

async function world(t: TestContext, receivedBytesMax = 4 * MIB) {
  const sharedLimits = {
    receivedBytesMax,
    unsentBytesMax: 40 * MIB,
    subscriptionsBytesMax: 4 * MIB,
  }
  const server = await startTestServer(t, { deps: { sharedLimits } })
  const { port } = await server.listen()
  return { server, port, shares: server.server.shares }
}

/** A connection from this address; it is gone with the test. */
function open(t: TestContext, port: number, localAddress: string): Socket {
  const socket = connect({ port, host: '127.0.0.1', localAddress })
  socket.on('error', () => undefined)
  t.after(() => socket.destroy())
  return socket
}

function post(socket: Socket, path: string, body: string, length = Buffer.byteLength(body)): void {
  socket.write(
    `POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n${body}`,
  )
}

async function statusOf(socket: Socket): Promise<number> {
  const [head] = await once(socket, 'data')
  return Number(/^HTTP\/1.1 (\d{3})/.exec(String(head))?.[1])
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  for (let tries = 0; !isSo(); tries += 1) {
    assert.ok(tries < 500, what)
    await setTimeout(20)
  }
}

test('answers that a client does not read are bounded; a second client is served, and all is given back', async (t) => {
  const { server, port, shares } = await world(t, 64 * MIB)
  const { unsentBytes: unsent } = shares
  await server.query('CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)')
  await server.rows('INSERT INTO t (id, a) VALUES (1, :a)', { params: { a: 'x'.repeat(7.5e6) } })
  for (const sql of ['SCAN a FROM t', 'GET a FROM t WHERE id = 1']) {
    await server.query(sql)
    const sockets: Socket[] = []
    const ask = (from: string, text: string, times = 1) => {
      const socket = open(t, port, from)
      sockets.push(socket)
      for (let time = 0; time < times; time += 1) {
        post(socket, '/v1/query', JSON.stringify({ sql: text }))
      }
      return socket
    }
    // The kernel takes the first answers of a connection, as many megabytes as it likes.
    let status = 200
    while (status === 200) {
      assert.ok(sockets.length < 40, 'all is taken')
      ask(A, sql, 8)
      status = await statusOf(ask(A, sql))
      assert.ok(unsent.held <= 30 * MIB)
    }
    assert.equal(status, 429, sql)
    assert.equal(await statusOf(ask(B, 'GET id FROM t WHERE id = 1')), 200)
    for (const socket of sockets) socket.destroy()
    await until('all is given back', () => unsent.held === 0)
  }
})

test('a write whose answer would be too much is refused before it commits', async (t) => {
  const { server, port, shares } = await world(t)
  await server.query('CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)')
  shares.unsentBytes.take(clientKeyOf(A), 30 * MIB)
  const socket = open(t, port, A)
  const params = { a: 'x'.repeat(1e6) }
  post(
    socket,
    '/v1/query',
    JSON.stringify({ sql: 'INSERT INTO t (id, a) VALUES (1, :a) RETURNING a', params }),
  )
  assert.equal(await statusOf(socket), 429)
  assert.deepEqual(await server.rows('GET * FROM t WHERE id = 1'), [])
})

test('an answer is held with the bytes that its texts take in JSON, escapes and UTF-8', async (t) => {
  const { server, port, shares } = await world(t, 64 * MIB)
  await server.query('CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)')
  const texts = ['\u0001'.repeat(1e6), '日'.repeat(2e6)]
  for (const [id, a] of texts.entries()) {
    await server.rows('INSERT INTO t (id, a) VALUES (:id, :a)', { params: { id, a } })
  }
  // With a fourth of the six megabytes that each answer has, the client would have less than its share.
  shares.unsentBytes.take(clientKeyOf(A), 26 * MIB)
  for (const id of texts.keys()) {
    const where = `WHERE id = ${id}`
    for (const sql of [`GET a FROM t ${where}`, `DELETE FROM t ${where} RETURNING a`]) {
      const socket = open(t, port, A)
      post(socket, '/v1/query', JSON.stringify({ sql }))
      assert.equal(await statusOf(socket), 429, sql)
    }
  }
  assert.equal((await server.rows('SCAN id FROM t')).length, 2)
  shares.unsentBytes.giveBack(clientKeyOf(A), 26 * MIB)
})

test('bodies that never end are bounded from their heads on, and a second client gets through', async (t) => {
  const { port, shares } = await world(t)
  const bodies: Socket[] = []
  for (let index = 0; index < 3; index += 1) {
    const socket = open(t, port, A)
    bodies.push(socket)
    post(socket, '/v1/query', '{"sql": "', MIB)
    await until('the body is held', () => shares.receivedBytes.held === (index + 1) * MIB)
  }
  const refused = open(t, port, A)
  post(refused, '/v1/query', '{"sql": "', MIB)
  assert.equal(await statusOf(refused), 429)
  const second = open(t, port, B)
  post(second, '/v1/query', JSON.stringify({ sql: 'SHOW TABLES', params: {} }))
  assert.equal(await statusOf(second), 200)
  for (const socket of bodies) socket.destroy()
  await until('all is given back', () => shares.receivedBytes.held === 0)
})

test('a body that does not say how long it is counts as the longest, and one that can never fit is its own fault', async (t) => {
  const { port } = await world(t)
  const socket = open(t, port, A)
  socket.write(
    'POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
  )
  assert.equal(await statusOf(socket), 413)
})

test('fragments whose last one never comes are bounded: 4429, and a second client gets through', async (t) => {
  const { port, shares } = await world(t)
  const flooding = await openSocket(t, port, { localAddress: A })
  const fragment = 'x'.repeat(MIB)
  for (let index = 0; index < 4; index += 1) flooding.socket.send(fragment, { fin: false })
  assert.equal((await flooding.closed()).code, 4429)
  await until('all is given back', () => shares.receivedBytes.held === 0)
  const second = await openSocket(t, port, { localAddress: B })
  assert.equal((await second.query('SHOW TABLES')).type, 'result')
})

test('a whole frame in fragments is taken, and holds nothing any more', async (t) => {
  const { port, shares } = await world(t)
  const { socket } = await openSocket(t, port, { localAddress: A })
  const text = JSON.stringify({
    type: 'query',
    id: 'q',
    sql: 'SHOW TABLES',
    params: [],
  })
  const padded = text.padEnd(MIB, ' ')
  socket.send(padded.slice(0, MIB / 2), { fin: false })
  socket.ping()
  await until('it is held', () => shares.receivedBytes.held > MIB / 2)
  const answered = once(socket, 'message')
  socket.send(padded.slice(MIB / 2))
  assert.equal(JSON.parse(String((await answered)[0])).type, 'result')
  await until('nothing is held', () => shares.receivedBytes.held === 0)
})

test('subscriptions are weighed by their texts and parameters: one, and all of a client', async (t) => {
  const { server, port, shares } = await world(t)
  await server.query('CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)')
  const client = await openSocket(t, port, { localAddress: A })
  const sql = 'SCAN id FROM t USE PRIMARY KEY WHERE a = :a'
  const subscribe = (id: string, bytes: number) =>
    client.subscribe(id, sql, { params: { a: id.padEnd(bytes, 'x') } })
  const tooLong = await subscribe('long', 2 * MIB)
  assert.deepEqual([tooLong.code, tooLong.limit], ['limit_exceeded', 'subscriptionBytesMax'])
  for (const id of ['a', 'b', 'c']) assert.equal((await subscribe(id, 900_000)).type, 'subscribed')
  const refused = await subscribe('d', 900_000)
  assert.deepEqual([refused.code, refused.limit], ['client_overloaded', 'subscriptionsBytesMax'])
  const second = await openSocket(t, port, { localAddress: B })
  assert.equal((await second.subscribe('e', 'SCAN id FROM t', {})).type, 'subscribed')
  client.socket.close()
  second.socket.close()
  await until('all is given back', () => shares.subscriptionsBytes.held === 0)
})

test('a subscriber that reads nothing holds no more than its share, and reads on from history', async (t) => {
  const { server, port, shares } = await world(t)
  await server.query('CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)')
  const client = await openSocket(t, port, { localAddress: A })
  await client.subscribe('s', 'SCAN * FROM t')
  client.socket.pause()
  for (let id = 0; id < 40; id += 1) {
    await server.query('INSERT INTO t (id, a) VALUES (:id, :a)', {
      params: { id, a: 'x'.repeat(500_000) },
    })
    assert.ok(shares.unsentBytes.held < 3 * MIB)
  }
  client.socket.resume()
  for (let id = 0; id < 40; id += 1) {
    const { changes } = await client.next((frame) => frame.type === 'change')
    assert.equal(changes[0].row.id, id)
  }
  await until('nothing is held', () => shares.unsentBytes.held === 0)
  assert.equal(client.socket.readyState, WebSocket.OPEN)
})

test('answers without rows are held as well, by the columns of each of their statements', async (t) => {
  const { server, shares, port } = await world(t)
  const columns = Array.from({ length: 200 }, (_, n) => `"${'c'.repeat(100)}${n}" TEXT`)
  await server.query(`CREATE TABLE wide (id INTEGER PRIMARY KEY, ${columns.join(', ')})`)
  // Ten of these would be a hundred megabytes, and no row is in them.
  const body = JSON.stringify({ sql: 'SCAN * FROM wide;'.repeat(500) })
  shares.unsentBytes.take(clientKeyOf(A), 26 * MIB)
  const statusFor = async (path: string) => {
    const socket = open(t, port, A)
    post(socket, path, body)
    return await statusOf(socket)
  }
  assert.equal(await statusFor('/v1/query'), 429)
  // It answers no more than a megabyte of them.
  assert.equal(await statusFor('/v1/scripts'), 200)
  shares.unsentBytes.giveBack(clientKeyOf(A), 26 * MIB)
  await until('all is given back', () => shares.unsentBytes.held === 0)
})
