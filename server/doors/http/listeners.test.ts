// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { promises as dns } from 'node:dns'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import test from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { startTestServer } from '../../../test/server/test-server.ts'

const isLinux = process.platform === 'linux'

test('many connections that come together are accepted in a few turns of the event loop', {
  skip: !isLinux,
}, async (t) => {
  const { server } = await startTestServer(t)
  const { port } = await server.listen()
  const sockets = Array.from({ length: 200 }, () => connect({ port, host: '127.0.0.1' }))
  t.after(() => {
    for (const socket of sockets) socket.destroy()
  })
  let turns = 0
  while (server.shares.connections.held < sockets.length) {
    turns += 1
    assert.ok(turns < 100, `${server.shares.connections.held} in ${turns} turns`)
    await setImmediate()
  }
})

test('a port that another server has is refused, and free again when that has stopped', async (t) => {
  const first = await startTestServer(t)
  const { port } = await first.server.listen()
  const flags = { port: String(port) }
  const second = await startTestServer(t, { flags })
  await assert.rejects(second.server.listen(), { code: 'EADDRINUSE' })
  await first.server.close()
  const third = await startTestServer(t, { flags })
  assert.equal((await third.server.listen()).port, port)
})

test('each address of localhost is one of the server, with connections that count', async (t) => {
  t.mock.method(dns, 'lookup', async () => [
    { address: '127.0.0.1', family: 4 },
    { address: '127.0.0.2', family: 4 },
    // Of no machine: reserved for documentation.
    { address: '2001:db8::1', family: 6 },
  ])
  const { server } = await startTestServer(t, { flags: { host: 'localhost' } })
  const { port } = await server.listen()
  for (const host of ['127.0.0.1', '127.0.0.2']) {
    const socket = connect({ port, host })
    socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
    assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 200 /)
    assert.equal(server.shares.connections.held, 1)
    socket.end()
    await once(socket, 'close')
    while (server.shares.connections.held > 0) await setImmediate()
  }
})

test('a port that another program has on one address of localhost is refused', async (t) => {
  t.mock.method(dns, 'lookup', async () => [
    { address: '127.0.0.1', family: 4 },
    { address: '127.0.0.2', family: 4 },
  ])
  const other = createServer().listen({ host: '127.0.0.2', port: 0 })
  t.after(() => other.close())
  await once(other, 'listening')
  const { port } = other.address() as { port: number }
  const { server } = await startTestServer(t, { flags: { host: 'localhost', port: String(port) } })
  await assert.rejects(server.listen(), { code: 'EADDRINUSE' })
})
