// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect, Socket } from 'node:net'
import test, { type TestContext } from 'node:test'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { startTestServer } from '../../../../test/server/test-server.ts'
import { type ClientKey, clientKeyOf } from '../../../guard/budgets/client-key.ts'
import { TurnQueue } from '../../../guard/budgets/turns.ts'
import { LargeBodies } from './large-bodies.ts'
import { WholeRequest } from './whole-request.ts'

const MIB = 1024 * 1024
const CHUNK = Buffer.alloc(64 * 1024)

function scene() {
  const clients = new Map<unknown, ClientKey>()
  const queue = new TurnQueue({ monotonicMs: () => 0 })
  const clientOf = (raw: unknown) => clients.get(raw) as ClientKey
  const bodies = new LargeBodies({ clientOf, turnQueue: queue })
  /** A request with a large body. */
  const begin = (address: string) => {
    const socket = new Socket()
    const request = new WholeRequest(socket)
    clients.set(request, clientKeyOf(address))
    bodies.expect(request, 16 * MIB)
    return { request, socket }
  }
  return { begin, bodies, queue }
}

test("a large body whose client leaves before its turn is nobody's any more", async () => {
  const { begin, bodies, queue } = scene()
  let ended = 0
  const { request, socket } = begin('127.0.0.2')
  request.readWhole(() => {
    ended += 1
  })
  request.push(CHUNK)
  request.push(null)
  const turn = bodies.turn(request)
  socket.emit('close')
  socket.destroy()
  await assert.rejects(turn, { name: 'ClientDisconnected' })
  assert.equal(queue.isEmpty, true)
  assert.equal(ended, 0)
  await assert.rejects(bodies.turn(request), { name: 'ClientDisconnected' })
})

test('the ends of large bodies that come together are told in turns', async () => {
  const { begin } = scene()
  const ended: number[] = []
  for (let index = 0; index < 3; index += 1) {
    const { request } = begin('127.0.0.2')
    request.readWhole((body) => ended.push(body.length))
    request.push(CHUNK)
    request.push(null)
  }
  assert.deepEqual(ended, [])
  await setImmediate()
  await setImmediate()
  assert.deepEqual(ended, [CHUNK.length, CHUNK.length, CHUNK.length])
})

/** A server with a port, and a client of it; `answer` is what came next. */
async function client(t: TestContext, receivedBytesMax: number) {
  const { server } = await startTestServer(t, { deps: { sharedLimits: { receivedBytesMax } } })
  const { port } = await server.listen()
  const socket = connect({ port, host: '127.0.0.1' }).on('error', () => undefined)
  t.after(() => socket.destroy())
  const send = (...headers: string[]) => {
    const lines = ['POST /v1/query HTTP/1.1', 'Host: localhost', 'Content-Type: application/json']
    socket.write(`${[...lines, ...headers].join('\r\n')}\r\n\r\n`)
  }
  const answer = async () => String((await once(socket, 'data'))[0])
  const ends = async () => {
    const beganMs = performance.now()
    // By a reset, where the client still sends.
    if (!socket.closed) await new Promise((resolve) => socket.once('close', resolve))
    assert.ok(performance.now() - beganMs < 10_000)
  }
  return { socket, send, answer, ends }
}

const HEALTH = 'GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n'

for (const [what, header, status] of [
  ['for its length', 'X-Any: 1', 413],
  ['for its encoding', 'Content-Encoding: gzip', 415],
] as const) {
  test(`what a client sends after its large body was refused ${what} is not read, and its connection ends`, async (t) => {
    const { send, answer, ends } = await client(t, 4 * MIB)
    send(`Content-Length: ${16 * MIB}`, header)
    assert.match(await answer(), new RegExp(`^HTTP/1.1 ${status} `))
    await ends()
  })
}

test('who sends a body that is longer than any may be has time to read why, before its connection ends', async (t) => {
  const { socket, send, answer, ends } = await client(t, 64 * MIB)
  send(`Content-Length: ${64 * MIB}`)
  const answered = answer()
  for (let bytes = 0; bytes < 64 * MIB; bytes += CHUNK.length) socket.write(CHUNK)
  assert.match(await answered, /^HTTP\/1\.1 413 /)
  await sleep(200)
  assert.equal(socket.destroyed, false)
  await ends()
})

test('a body in chunks that is longer than any may be is read no further, and its connection ends', async (t) => {
  const { socket, send, answer, ends } = await client(t, 64 * MIB)
  send('Transfer-Encoding: chunked')
  const chunk = Buffer.concat([Buffer.from('10000\r\n'), CHUNK, Buffer.from('\r\n')])
  const answered = answer()
  for (let bytes = 0; bytes < 16 * MIB; bytes += CHUNK.length) socket.write(chunk)
  socket.write('1\r\n \r\n')
  assert.match(await answered, /^HTTP\/1\.1 413 /)
  await ends()
})

test('a connection whose refused body is short serves the next request', async (t) => {
  const { socket, send, answer } = await client(t, 64 * 1024)
  const length = 512 * 1024
  send(`Content-Length: ${length}`)
  assert.match(await answer(), /^HTTP\/1\.1 413 /)
  socket.write(Buffer.alloc(length, ' '))
  socket.write(HEALTH)
  assert.match(await answer(), /^HTTP\/1\.1 200 /)
})

test('a client that keeps its connections asks again through another one after a large body was refused', async (t) => {
  const { server } = await startTestServer(t, {
    deps: { sharedLimits: { receivedBytesMax: 64 * 1024 } },
  })
  const { port } = await server.listen()
  const agent = new Agent({ keepAlive: true })
  t.after(() => agent.destroy())
  const ask = async (method: string, path: string, body = '') => {
    const headers = { 'content-type': 'application/json', 'content-length': body.length }
    const sent = request({ port, host: '127.0.0.1', agent, method, path, headers }).end(body)
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    sent.on('error', () => undefined)
    await once(answer.resume(), 'end')
    return answer
  }
  for (let times = 0; times < 5; times += 1) {
    const refused = await ask('POST', '/v1/query', ' '.repeat(2 * MIB))
    assert.equal(refused.statusCode, 413)
    assert.equal(refused.headers.connection, 'close')
    await sleep(50)
    assert.equal((await ask('GET', '/healthz')).statusCode, 200)
  }
})

test('who closes its connection anyway has time to read why its large body was refused', async (t) => {
  const { socket, send, answer } = await client(t, 4 * MIB)
  send(`Content-Length: ${8 * MIB}`, 'Connection: close')
  const answered = answer()
  for (let bytes = 0; bytes < 8 * MIB; bytes += CHUNK.length) socket.write(CHUNK)
  assert.match(await answered, /^HTTP\/1\.1 413 /)
  await sleep(200)
  assert.equal(socket.destroyed, false)
})

test('a connection whose refused body is short and comes in chunks serves the next request', async (t) => {
  const { socket, send, answer } = await client(t, 64 * 1024)
  send('Transfer-Encoding: chunked')
  assert.match(await answer(), /^HTTP\/1\.1 413 /)
  socket.write(`2\r\n{}\r\n0\r\n\r\n${HEALTH}`)
  assert.match(await answer(), /^HTTP\/1\.1 200 /)
})
