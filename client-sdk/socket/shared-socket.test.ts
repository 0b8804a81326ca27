// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { startScriptedSocket } from '../../test/client-sdk/scripted-socket.ts'
import { ServerAddress } from '../server-address.ts'
import { TokenSource } from '../token-source.ts'
import { ReconnectPace } from './reconnect-pace.ts'
import { SharedSocket } from './shared-socket.ts'
import type { SocketUse } from './socket-connection.ts'

const NEVER = new AbortController().signal
const ONE: SocketUse = { limit: 'socketSubscriptionsMax', count: 1 }
const QUIET = { frame: () => undefined, lost: () => undefined }

async function sharedSocket(t: TestContext, limits = {}) {
  const server = await startScriptedSocket(t, limits)
  const socket = new SharedSocket({
    tokens: new TokenSource(undefined),
    address: new ServerAddress([server.url]),
    timeoutMs: 10_000,
    WebSocket,
  })
  t.after(() => socket.close())
  return { server, socket }
}

/** A connection with something on it, which is not closed for being idle however busy the machine is. */
async function openInUse(socket: SharedSocket) {
  const connection = await socket.open(ONE, NEVER)
  return { connection, id: connection.ask({ type: 'subscribe' }, QUIET, ONE) }
}

/** Waits until something is so, which nobody is told of. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await setTimeout(5)
}

test('beyond what one socket may have there is another, and no more of them than are needed', async (t) => {
  const { server, socket } = await sharedSocket(t, { socketSubscriptionsMax: 3 })
  const asked = await Promise.all(Array.from({ length: 8 }, () => openInUse(socket)))
  assert.deepEqual([socket.count, server.connectionCount], [3, 3])
  const bySocket = Map.groupBy(asked, ({ connection }) => connection)
  assert.deepEqual([...bySocket.values()].map(({ length }) => length).toSorted(), [2, 3, 3])
  // One that its subscriptions have left is closed, and its room is not used before the server says so.
  const full = asked[0]?.connection
  const far = await server.connection()
  for (const { connection, id } of asked.filter((one) => one.connection === full)) {
    connection.send({ type: 'unsubscribe', id })
    connection.forget(id)
  }
  assert.equal(full?.hasCapacityFor(ONE), false)
  const ids = []
  while (ids.length < 6) ids.push((await far.next()).id)
  far.send(...ids.slice(3).map((id) => ({ type: 'unsubscribed', id })))
  await until(() => full?.hasCapacityFor(ONE) === true || !full?.isOpen)
  await far.closed
  await until(() => socket.count === 2)
})

test('what was taken and is not asked for after all is given back', async (t) => {
  const { server, socket } = await sharedSocket(t, { socketSubscriptionsMax: 1, bodyBytesMax: 100 })
  for (let times = 0; times < 3; times += 1) {
    const connection = await socket.open(ONE, NEVER)
    assert.throws(() => connection.ask({ sql: 'x'.repeat(100) }, QUIET, ONE), {
      code: 'limit_exceeded',
    })
  }
  assert.equal(server.connectionCount, 1)
})

test('more than one socket allows is asked for all the same, for the server to say what is wrong', async (t) => {
  const { socket } = await sharedSocket(t, { socketWorkersMax: 10 })
  const connection = await socket.open({ limit: 'socketWorkersMax', count: 11 }, NEVER)
  assert.equal(connection.isOpen, true)
})

test('no more queries are under way than the server takes, and the others wait for their turn', async (t) => {
  const { server, socket } = await sharedSocket(t, { socketQueriesMax: 2 })
  const connection = await socket.open(ONE, NEVER)
  const answers = [1, 2, 3, 4, 5].map((n) => connection.answerToQuery({ n }))
  const far = await server.connection()
  const underWay = [await far.next(), await far.next()]
  for (let n = 3; n <= 5; n += 1) {
    const coming = far.next()
    // It comes when one of these is answered, and not before.
    assert.equal(await Promise.race([coming, setTimeout(20, 'nothing')]), 'nothing')
    far.send({ type: 'result', id: underWay.shift().id })
    underWay.push(await coming)
  }
  assert.deepEqual(
    underWay.map(({ type, n }) => [type, n]),
    [
      ['query', 4],
      ['query', 5],
    ],
  )
  for (const { id } of underWay) far.send({ type: 'result', id })
  await Promise.all(answers)
})

test('those who wait for a lost server share its attempts, and are woken when somebody is there', async (t) => {
  const { server, socket } = await sharedSocket(t)
  await openInUse(socket)
  const far = await server.connection()
  // The first pause is half of its 100 ms, the others have not begun.
  t.mock.method(Math, 'random', () => 0.5)
  far.drop()
  await until(() => socket.count === 0)
  const returning = Array.from({ length: 50 }, () => socket.open(ONE, NEVER, { isReturning: true }))
  const connections = await Promise.all(returning)
  assert.equal(new Set(connections).size, 1)
  assert.equal(server.connectionCount, 2)
})

test('a server that is away is tried by all together as often as by one', async (t) => {
  const { server, socket } = await sharedSocket(t)
  await server.stop()
  let attempts = 0
  class Counted extends WebSocket {
    constructor(...args: ConstructorParameters<typeof WebSocket>) {
      super(...args)
      attempts += 1
    }
  }
  const gone = new SharedSocket({
    tokens: new TokenSource(undefined),
    address: new ServerAddress([server.url]),
    timeoutMs: 1_000,
    WebSocket: Counted,
  })
  t.after(() => gone.close())
  t.mock.method(Math, 'random', () => 1)
  const leaving = new AbortController()
  const comeBack = async () => {
    while (!leaving.signal.aborted) {
      await gone.open(ONE, leaving.signal, { isReturning: true }).catch(() => undefined)
    }
  }
  const all = Promise.all(Array.from({ length: 100 }, comeBack))
  // Pauses of 100, 200, 400 and 800 ms.
  await setTimeout(1_000)
  leaving.abort()
  await all
  assert.ok(attempts >= 1 && attempts <= 5, `${attempts} attempts`)
  assert.equal(socket.count, 0)
})

test('a signal ends the waiting, and closing it tells all who wait', async (t) => {
  const { server, socket } = await sharedSocket(t)
  await openInUse(socket)
  t.mock.method(Math, 'random', () => 1)
  const far = await server.connection()
  far.drop()
  await until(() => socket.count === 0)
  const leaving = new AbortController()
  const reason = new Error('enough')
  const waiting = socket.open(ONE, leaving.signal, { isReturning: true })
  leaving.abort(reason)
  await assert.rejects(waiting, reason)
  const others = [1, 2].map(() => socket.open(ONE, NEVER, { isReturning: true }))
  socket.close()
  for (const other of others) await assert.rejects(other, { code: 'client_closed' })
  await assert.rejects(socket.open(ONE, NEVER), { code: 'client_closed' })
})

test('pauses grow with each connection that leads to nothing, and are reset after progress only', (t) => {
  t.mock.method(Math, 'random', () => 1)
  t.mock.method(performance, 'now', () => 0)
  const pace = new ReconnectPace()
  const lost = (openMs = 5) => {
    pace.trying()
    pace.lost(openMs)
    return pace.waitMs
  }
  // The connection came about each time.
  assert.deepEqual([lost(), lost(), lost(), lost()], [100, 200, 400, 800])
  // Two more sockets of the same server.
  pace.lost(5)
  pace.lost(5)
  assert.equal(pace.waitMs, 800)
  pace.progressed()
  assert.deepEqual([lost(), lost()], [100, 200])
  // This one stood for ten seconds.
  assert.deepEqual([lost(10_000), lost()], [100, 200])
  for (let times = 0; times < 20; times += 1) lost()
  assert.equal(pace.waitMs, 10_000)
})
