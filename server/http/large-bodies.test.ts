// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, Socket } from 'node:net'
import test, { type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { startTestServer } from '../../test/test-server.ts'
import { type ClientKey, clientKeyOf } from '../budgets/client-key.ts'
import { TurnQueue } from '../turns.ts'
import { WholeRequest } from '../whole-request.ts'
import { LargeBodies, READ_BYTES_MAX } from './large-bodies.ts'

const MIB = 1024 * 1024
const CHUNK = Buffer.alloc(64 * 1024)

function scene(t: TestContext) {
  const clients = new Map<unknown, ClientKey>()
  const queue = new TurnQueue({ monotonicMs: () => 0 })
  const bodies = new LargeBodies(queue, { clientOf: (raw) => clients.get(raw) as ClientKey })
  /** A request with a large body, and how often it was told to read on. */
  const begin = (address: string) => {
    const socket = new Socket()
    const resumed = t.mock.method(socket, 'resume', () => socket).mock
    Object.defineProperty(socket, 'readable', { value: true })
    const request = new WholeRequest(socket)
    clients.set(request, clientKeyOf(address))
    bodies.expect(request, 16 * MIB)
    return { request, told: () => resumed.callCount() }
  }
  return { begin }
}

test('so many bytes are read in a turn, and the rest in later ones, in which the clients take turns', async (t) => {
  const { begin } = scene(t)
  const perTurn = READ_BYTES_MAX / CHUNK.length
  const many = Array.from({ length: 2 * perTurn }, () => begin('127.0.0.2'))
  const other = begin('127.0.0.3')
  for (const { request } of many) request.readWhole(() => undefined)
  other.request.readWhole(() => undefined)
  const before = many.map(({ told }) => told())
  const goesOn = many.map(({ request }) => request.push(CHUNK))
  assert.equal(goesOn.filter(Boolean).length, perTurn - 1)
  const otherBefore = other.told()
  assert.equal(other.request.push(CHUNK), false)
  await setImmediate()
  const resumed = many.filter(({ told }, index) => told() > (before[index] as number))
  assert.equal(resumed.length, perTurn - 1)
  assert.equal(other.told(), otherBefore + 1)
})

test('the ends of large bodies that come together are told in turns', async (t) => {
  const { begin } = scene(t)
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

test('what a client sends after its large body was refused is not read, and its connection ends', async (t) => {
  const { server } = await startTestServer(t, {
    outside: { sharedLimits: { receivedBytesMax: 4 * MIB } },
  })
  const { port } = await server.listen()
  const socket = connect({ port, host: '127.0.0.1' }).on('error', () => undefined)
  t.after(() => socket.destroy())
  const head = `POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${16 * MIB}\r\n\r\n`
  socket.write(head)
  const [answer] = await once(socket, 'data')
  assert.match(String(answer), /^HTTP\/1\.1 413 /)
  const beganMs = performance.now()
  await once(socket, 'close')
  assert.ok(performance.now() - beganMs < 10_000)
})

test('a connection whose refused body is short serves the next request', async (t) => {
  const { server } = await startTestServer(t, {
    outside: { sharedLimits: { receivedBytesMax: 64 * 1024 } },
  })
  const { port } = await server.listen()
  const socket = connect({ port, host: '127.0.0.1' })
  t.after(() => socket.destroy())
  const length = 512 * 1024
  socket.write(
    `POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`,
  )
  assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 413 /)
  socket.write(Buffer.alloc(length, ' '))
  socket.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
  assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 200 /)
})
