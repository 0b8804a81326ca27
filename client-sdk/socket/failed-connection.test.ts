// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { WebSocket as PackagedWebSocket } from 'ws'
import { startScriptedSocket } from '../../test/client-sdk/scripted-socket.ts'
import { type ConnectOptions, connect } from '../client.ts'

// Connections that do not come about. What is thrown in a callback of a WebSocket nobody can catch, and
// the runner of the tests takes it for a failure.

const WEBSOCKETS = [
  ['of the runtime', {}],
  ['of the package ws', { WebSocket: PackagedWebSocket as unknown as typeof WebSocket }],
] as const satisfies ReadonlyArray<readonly [string, ConnectOptions]>

const SQL = 'SCAN * FROM t'

/** A server that does with an upgrade what a test says, and its address. */
async function startDoorkeeper(t: TestContext, meet: (socket: Socket) => void): Promise<string> {
  const server = createServer()
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => sockets.add(socket))
  server.on('upgrade', (_request: IncomingMessage, socket) => {
    socket.on('error', () => undefined)
    meet(socket as Socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

for (const [which, options] of WEBSOCKETS) {
  for (const [what, meet, code] of [
    ['is refused', (socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'), 'connection_failed'],
    ['is shed', (socket) => socket.end('HTTP/1.1 503 Busy\r\n\r\n'), 'connection_failed'],
    ['is broken', (socket) => socket.destroy(), 'connection_failed'],
    ['is no WebSocket', (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\nHi'), 'connection_failed'],
    ['is never answered', () => undefined, 'request_timed_out'],
  ] as ReadonlyArray<readonly [string, (socket: Socket) => void, string]>) {
    test(`a handshake that ${what} is an error and no exception, with the WebSocket ${which}`, async (t) => {
      const url = await startDoorkeeper(t, meet)
      // Only who waits in vain is impatient: a busy machine may take longer than this for all others.
      const timeoutMs = code === 'request_timed_out' ? 200 : 10_000
      const db = connect({ url, timeoutMs, ...options })
      t.after(() => db.close())
      await assert.rejects(db.subscribe(SQL).next(), { code })
      await assert.rejects(db.observe('o', () => undefined).done, { code })
    })
  }

  test(`a server that is not there is an error and no exception, with the WebSocket ${which}`, async (t) => {
    const { url, stop } = await startScriptedSocket(t)
    await stop()
    const db = connect({ url, ...options })
    await assert.rejects(db.live(SQL).next(), { code: 'connection_failed' })
  })

  test(`what is no frame, in the middle of it, ends the connection only, with the WebSocket ${which}`, async (t) => {
    const server = await startScriptedSocket(t)
    const db = connect({ url: server.url, ...options })
    t.after(() => db.close())
    const next = db.subscribe(SQL).next()
    const connection = await server.connection()
    await connection.next()
    // Binary, where only text is allowed.
    connection.sendBytes(Buffer.from([0xff, 0xfe]))
    await assert.rejects(next, { code: 'invalid_answer' })
    await connection.closed
  })
}

test('a parameter that cannot be written as JSON leaves nothing behind, on the socket and over HTTP', async (t) => {
  const server = await startScriptedSocket(t)
  const db = connect({ url: server.url })
  const wrong = {
    toJSON() {
      throw new Error('not me')
    },
  }
  await assert.rejects(db.subscribe(SQL, { wrong }).next(), /not me/)
  const connection = await server.connection()
  // Nobody waits for anything on it any more.
  await connection.closed
  await assert.rejects(db.query(SQL, { wrong }), /not me/)
})

test('a token that no header can hold is an error of the call, and not of the connection', async () => {
  const db = connect({ url: 'http://127.0.0.1:9', token: 'two\nlines' })
  await assert.rejects(db.query(SQL), TypeError)
})

test('in a page of a foreign origin the error says what to look for, and nowhere else', async (t) => {
  const url = 'http://127.0.0.1:9/'
  const failures = async () => {
    const db = connect({ url })
    const asked = [db.query(SQL), db.subscribe(SQL).next()]
    return (await Promise.allSettled(asked)).map((one) => one.status === 'rejected' && one.reason)
  }
  const before = Object.getOwnPropertyDescriptor(globalThis, 'location')
  t.after(() => {
    Reflect.deleteProperty(globalThis, 'location')
    if (before !== undefined) Object.defineProperty(globalThis, 'location', before)
  })
  const inPageOf = (origin: string) => {
    Object.defineProperty(globalThis, 'location', { value: { origin }, configurable: true })
    return failures()
  }
  for (const { code, message, fields } of await inPageOf('https://app.example')) {
    assert.equal(code, 'connection_failed')
    assert.match(message, /--allow-origin https:\/\/app\.example$/)
    assert.equal(fields.origin, 'https://app.example')
  }
  for (const { message } of await inPageOf('http://127.0.0.1:9'))
    assert.doesNotMatch(message, /origin/)
  Reflect.deleteProperty(globalThis, 'location')
  for (const { message } of await failures()) assert.doesNotMatch(message, /origin/)
})
