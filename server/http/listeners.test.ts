// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import test from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { startTestServer } from '../../test/test-server.ts'

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
