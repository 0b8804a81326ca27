// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import test, { type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { startTestServer } from '../../../test/server/test-server.ts'
import { ClientKeys } from '../../guard/budgets/client-key.ts'
import { Shares } from '../../guard/budgets/shares.ts'
import { Connections } from './connections.ts'

const SILENCE_MS = 300
// More than the kernel takes for a client that reads nothing.
const LONG_ANSWER = Buffer.alloc(32 * 1024 * 1024, 'x')

async function listening(t: TestContext, listener: RequestListener, silenceMs = SILENCE_MS) {
  const server = createServer(listener)
  const connections = new Connections(
    server,
    new ClientKeys([]),
    new Shares().connections,
    silenceMs,
  )
  t.after(() => {
    connections.destroyAll()
    server.close()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { server, port }
}

function ask(t: TestContext, port: number, text: string) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => undefined)
  t.after(() => socket.destroy())
  socket.write(text)
  return socket
}

const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'

test('a client that takes nothing of its answer is cut off, and what the answer is read from ends', async (t) => {
  const { promise: ended, resolve } = Promise.withResolvers<boolean>()
  const { port } = await listening(t, (_request, response) => {
    response.once('close', () => resolve(response.writableFinished))
    response.end(LONG_ANSWER)
  })
  ask(t, port, GET).pause()
  assert.equal(await ended, false)
})

test('a client that waits for an answer which is still being made is not cut off', async (t) => {
  const { port } = await listening(t, async (_request, response) => {
    await setTimeout(4 * SILENCE_MS)
    response.end('late')
  })
  const socket = ask(t, port, GET)
  const [text] = await once(socket, 'data')
  assert.match(String(text), /^HTTP\/1.1 200 [\s\S]*late$/)
})

test('a slow client that goes on reading gets all of its answer', async (t) => {
  // Far longer than a pause, also on a busy machine, and shorter than all of them together.
  const silenceMs = 2_000
  const { port } = await listening(t, (_request, response) => response.end(LONG_ANSWER), silenceMs)
  const socket = ask(t, port, GET)
  const beganMs = performance.now()
  let bytes = 0
  for await (const chunk of socket) {
    bytes += chunk.length
    const dueMs = (2 * silenceMs * bytes) / LONG_ANSWER.length
    await setTimeout(Math.max(0, dueMs - (performance.now() - beganMs)))
    if (bytes >= LONG_ANSWER.length) break
  }
  assert.ok(bytes >= LONG_ANSWER.length)
})

test('what does not speak HTTP is answered and closed, also where its client keeps its half open', async (t) => {
  const { server } = await startTestServer(t)
  const { port } = await server.listen()
  const sockets = Array.from({ length: 20 }, () => ask(t, port, 'NOT HTTP\r\n\r\n'))
  const answers = await Promise.all(sockets.map(async (socket) => (await once(socket, 'data'))[0]))
  for (const answer of answers) assert.match(String(answer), /^HTTP\/1.1 400 /)
  const count = () =>
    new Promise<number>((resolve) =>
      server.http.server.getConnections((_error, open) => resolve(open)),
    )
  for (let tries = 0; (await count()) > 0; tries += 1) {
    assert.ok(tries < 100, 'the connections are still open')
    await setTimeout(20)
  }
})
