// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import test, { type TestContext } from 'node:test'
import { startTestServer } from '../../../test/server/test-server.ts'

async function client(t: TestContext, sharedLimits = {}) {
  const scene = await startTestServer(t, { deps: { sharedLimits } })
  const { server } = scene
  await scene.query('CREATE TABLE t (id INTEGER PRIMARY KEY)')
  const { port } = await scene.listen()
  const socket = connect({ port, host: '127.0.0.1' }).setEncoding('utf8')
  socket.on('error', () => undefined)
  t.after(() => socket.destroy())
  return { server, socket }
}

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`

/** A statement that is answered some turns later than a simple request. */
const post = (body: string) =>
  `POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`

test('thousands of requests that come at once are all answered, in their order', async (t) => {
  const { server, socket } = await client(t)
  const count = 2_000
  const asked = Array.from({ length: count }, (_, id) =>
    id % 2 === 0
      ? get(`/v1/tables/t/rows/${id}`)
      : post(`{"sql":"INSERT INTO t (id) VALUES (${id})"}`),
  )
  socket.write(asked.join(''))
  let text = ''
  for await (const piece of socket) {
    text += piece
    if (text.split('HTTP/1.1 ').length > count && text.endsWith('}\n')) break
  }
  const statuses = [...text.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => status)
  assert.deepEqual(
    statuses,
    asked.map((_, id) => (id % 2 === 0 ? '404' : '200')),
  )
  assert.equal(server.shares.requests.held, 0)
})

test('a request begins when the one before it on its connection has its answer', async (t) => {
  const { socket } = await client(t)
  const insert = '{"sql":"INSERT INTO t (id) VALUES (1)"}'
  const remove = '{"sql":"DELETE FROM t WHERE id = 1"}'
  const rounds = 50
  socket.write((post(insert) + post(remove)).repeat(rounds))
  let text = ''
  for await (const piece of socket) {
    text += piece
    if (text.split('HTTP/1.1 ').length > 2 * rounds) break
  }
  assert.equal(text.split('HTTP/1.1 200 ').length, 2 * rounds + 1)
})

test('requests that wait on their connection count as requests of their client, and beyond its share it is ended', async (t) => {
  const { server, socket } = await client(t, { requestsMax: 64 })
  socket.write(get('/healthz').repeat(100))
  await once(socket.resume(), 'close')
  while (server.shares.requests.held > 0) await new Promise(setImmediate)
  const other = connect((server.http.server.address() as { port: number }).port, '127.0.0.1')
  t.after(() => other.destroy())
  other.write(get('/healthz'))
  assert.match(String((await once(other, 'data'))[0]), /^HTTP\/1\.1 200 /)
})
