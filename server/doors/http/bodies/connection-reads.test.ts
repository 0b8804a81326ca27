// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import test, { type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { clientKeyOf } from '../../../guard/budgets/client-key.ts'
import { BODY_WORK_MAX, ConnectionReads } from './connection-reads.ts'
import { WholeRequest } from './whole-request.ts'

const CHUNK = Buffer.alloc(64 * 1024)
const CHUNKS_PER_TURN = BODY_WORK_MAX / CHUNK.length

function scene(t: TestContext) {
  const reads = new ConnectionReads()
  /** A connection that is read from, unless it is paused. */
  const connect = (address: string) => {
    const socket = new Socket()
    Object.defineProperty(socket, 'readable', { value: true })
    let isRead = true
    t.mock.method(socket, 'resume', () => {
      isRead = true
    })
    t.mock.method(socket, 'pause', () => {
      isRead = false
    })
    reads.add(socket, clientKeyOf(address))
    return { socket, isRead: () => isRead }
  }
  /** One on which the head of a request with a long body has come. */
  const beginBody = (address: string) => {
    const { socket, isRead } = connect(address)
    const request = new WholeRequest(socket)
    request.readAt({ bytesMax: 16 * BODY_WORK_MAX, beforeEnd: () => undefined })
    request.readWhole(() => undefined)
    return { socket, request, isRead }
  }
  return { reads, connect, beginBody }
}

/** Everything that is to be done when the callback of a read has returned. */
const endOfCallback = () => new Promise<void>((resolve) => process.nextTick(resolve))

const countRead = (all: ReadonlyArray<{ isRead(): boolean }>) =>
  all.filter(({ isRead }) => isRead()).length

test('so much of all bodies is read in a turn, the rest in later ones, in which the clients take turns', async (t) => {
  const { beginBody } = scene(t)
  const many = Array.from({ length: 2 * CHUNKS_PER_TURN }, () => beginBody('127.0.0.2'))
  const other = beginBody('127.0.0.3')
  await setImmediate()
  const wantMore = [...many, other].map(({ request }) => request.push(CHUNK))
  assert.equal(wantMore.filter(Boolean).length, CHUNKS_PER_TURN - 1)
  await endOfCallback()
  assert.equal(countRead(many), CHUNKS_PER_TURN - 1)
  assert.equal(other.isRead(), false)
  await setImmediate()
  assert.equal(other.isRead(), true)
  assert.equal(countRead(many), 2 * (CHUNKS_PER_TURN - 1))
})

test('a read of ten thousand chunks holds all connections of its client, and each has a turn of its own', async (t) => {
  const { beginBody, connect } = scene(t)
  const bodies = Array.from({ length: 3 }, () => beginBody('127.0.0.2'))
  const other = connect('127.0.0.3')
  const readShortChunks = ({ request }: { readonly request: WholeRequest }) => {
    for (let index = 0; index < 10_000; index += 1) request.push(Buffer.from(' '))
  }
  readShortChunks(bodies[0] as (typeof bodies)[0])
  await endOfCallback()
  assert.equal(countRead(bodies), 0)
  assert.equal(other.isRead(), true)
  for (let turn = 0; turn < 20; turn += 1) {
    await setImmediate()
    const read = bodies.find(({ isRead }) => isRead())
    if (read === undefined) continue
    readShortChunks(read)
    await endOfCallback()
    assert.equal(countRead(bodies), 0, 'one at a time')
  }
})

test('a client that sends a thousand requests at once is held, and is read again when nothing more has come', async (t) => {
  const { connect } = scene(t)
  const flood = connect('127.0.0.2')
  const own = connect('127.0.0.2')
  const other = connect('127.0.0.3')
  for (let index = 0; index < 1_000; index += 1) new WholeRequest(flood.socket)
  await endOfCallback()
  assert.deepEqual([flood.isRead(), own.isRead(), other.isRead()], [false, false, true])
  await setImmediate()
  await setImmediate()
  assert.deepEqual([flood.isRead(), own.isRead()], [true, true])
})

test('a held connection that closes, or becomes a WebSocket, is forgotten', async (t) => {
  const { connect, reads } = scene(t)
  const flood = connect('127.0.0.2')
  const closed = connect('127.0.0.2')
  const upgraded = connect('127.0.0.2')
  for (let index = 0; index < 1_000; index += 1) new WholeRequest(flood.socket)
  await endOfCallback()
  closed.socket.emit('close')
  reads.remove(upgraded.socket)
  await setImmediate()
  await setImmediate()
  assert.equal(flood.isRead(), true)
  assert.deepEqual([closed.isRead(), upgraded.isRead()], [false, false])
})
