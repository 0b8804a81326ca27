// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import test, { type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ManualClock } from '../../../test/manual-clock.ts'
import { openSocket, type SocketClient } from '../../../test/server/socket-client.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { SERVER_LIMITS } from '../../limits.ts'

const ROW_BYTES = 200_000

async function world(t: TestContext, clock = new ManualClock()) {
  const server = await startTestServer(t, { deps: { clock } })
  const { port } = await server.listen()
  await server.query('CREATE TABLE item (id INTEGER PRIMARY KEY, body TEXT)')
  let written = 0
  /** One row, one commit, about 200 kB. */
  const write = async () => {
    written += 1
    const body = String(written).padEnd(ROW_BYTES)
    const { body: answer } = await server.query('SET body = $1 ON item WHERE id = 1', {
      params: [body],
    })
    return answer.commitTimestamp as number
  }
  return { server, port, clock, write }
}

/** More than the kernel holds for a connection on any machine. */
const COMMITS = 120

async function commitsOf(client: SocketClient, count: number): Promise<number[]> {
  const commits: number[] = []
  while (commits.length < count) {
    const { commitTimestamp } = await client.next(({ type }) => type === 'change')
    commits.push(commitTimestamp)
  }
  return commits
}

test('who does not read costs nobody anything, and catches up exactly', async (t) => {
  const { port, write } = await world(t)
  const slow = await openSocket(t, port)
  const fast = await openSocket(t, port)
  for (const client of [slow, fast]) await client.subscribe('a', 'SCAN * FROM item')
  slow.socket.pause()
  const written: number[] = []
  for (let n = 0; n < COMMITS; n += 1) written.push(await write())
  assert.deepEqual(await commitsOf(fast, COMMITS), written)
  slow.socket.resume()
  assert.deepEqual(await commitsOf(slow, COMMITS), written)
  const last = await write()
  for (const client of [slow, fast]) assert.deepEqual(await commitsOf(client, 1), [last])
})

test('who takes nothing for a minute is closed with 4408, and comes back with since', async (t) => {
  const { port, write, clock } = await world(t)
  const slow = await openSocket(t, port)
  await slow.subscribe('a', 'SCAN * FROM item')
  slow.socket.pause()
  const written: number[] = []
  for (let n = 0; n < COMMITS; n += 1) written.push(await write())
  await clock.advance(SERVER_LIMITS.socketSilenceMsMax + 2_000)
  slow.socket.resume()
  const { code } = await slow.closed()
  assert.equal(code, 4408)
  const seen = slow.unread.filter(({ type }) => type === 'change')
  const since = seen.at(-1).commitTimestamp
  assert.ok(seen.length > 0 && seen.length < COMMITS)
  const back = await openSocket(t, port)
  await back.subscribe('a', 'SCAN * FROM item', { since })
  const rest = await commitsOf(back, COMMITS - seen.length)
  assert.deepEqual([...seen.map(({ commitTimestamp }) => commitTimestamp), ...rest], written)
})

test('who reads slowly but reads is not closed', async (t) => {
  const { port, write, clock } = await world(t)
  const slow = await openSocket(t, port)
  await slow.subscribe('a', 'SCAN * FROM item')
  slow.socket.pause()
  for (let n = 0; n < COMMITS; n += 1) await write()
  for (let minutes = 0; minutes < 4; minutes += 1) {
    await clock.advance(SERVER_LIMITS.socketSilenceMsMax / 2)
    slow.socket.resume()
    await commitsOf(slow, COMMITS / 8)
    slow.socket.pause()
    for (let turn = 0; turn < 50; turn += 1) await setImmediate()
  }
  slow.socket.resume()
  await commitsOf(slow, COMMITS / 2)
})

test('answers that are not taken end the reading of questions until they are', async (t) => {
  const { port, write } = await world(t)
  await write()
  const client = await openSocket(t, port)
  client.socket.pause()
  const ids = Array.from({ length: 400 }, (_, n) => `q${n}`)
  let asked = 0
  const ask = () => client.send({ type: 'query', id: ids[asked++], sql: 'SCAN * FROM item' })
  // No more than may run at a time: the next one when there would be an answer to the last one.
  for (let n = 0; n < SERVER_LIMITS.socketQueriesMax; n += 1) ask()
  client.socket.resume()
  for (const id of ids) {
    assert.equal((await client.about(id)).type, 'result')
    if (asked < ids.length) ask()
  }
})

test('who asks without reading is not read any more until it does', async (t) => {
  const { server, port } = await world(t)
  const connected = once(server.server.http.server, 'connection')
  const client = await openSocket(t, port)
  const [connection] = await connected
  client.socket.pause()
  const id = 'none of mine'.padEnd(SERVER_LIMITS.frameIdCharactersMax, '!')
  let asked = 0
  while (!connection.isPaused()) {
    for (let n = 0; n < 1_000; n += 1) client.send({ type: 'unsubscribe', id })
    asked += 1_000
    assert.ok(asked < 200_000, 'all of it is read, and its answers are kept')
    await setImmediate()
  }
  client.socket.resume()
  for (; asked > 0; asked -= 1) assert.equal((await client.next()).type, 'unsubscribed')
})

test('the server pings, and closes a socket that gives no sign of life', async (t) => {
  const { port, clock } = await world(t)
  const alive = await openSocket(t, port)
  const dead = await openSocket(t, port, { autoPong: false })
  let pings = 0
  alive.socket.on('ping', () => {
    pings += 1
  })
  for (let seconds = 0; seconds < 60; seconds += 15) {
    const pinged = once(alive.socket, 'ping')
    await clock.advance(15_000)
    await pinged
    // The answer of a query shows that the pong before it has arrived.
    assert.equal((await alive.query('SHOW TABLES')).type, 'result')
  }
  assert.equal(pings, 4)
  await clock.advance(2_000)
  assert.equal((await dead.closed()).code, 4408)
  assert.equal((await alive.query('SHOW TABLES')).type, 'result')
})

test('a frame that does not arrive whole in time ends its socket, though the client lives', async (t) => {
  const { server, port, clock } = await world(t)
  const client = await openSocket(t, port)
  client.socket.send('{"type":', { fin: false })
  for (let ms = 0; ms < SERVER_LIMITS.arrivalMsMax; ms += SERVER_LIMITS.socketPingMs) {
    const pinged = once(client.socket, 'ping')
    await clock.advance(SERVER_LIMITS.socketPingMs)
    await pinged
    // The pong is with the server before the answer to what is asked after it.
    await server.query('SHOW TABLES')
  }
  await clock.advance(2_000)
  const { code, reason } = await client.closed()
  assert.deepEqual([code, reason], [4408, 'A frame did not arrive whole in time.'])
})
