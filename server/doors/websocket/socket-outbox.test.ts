// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import test from 'node:test'
import { setImmediate } from 'node:timers/promises'
import type { WebSocket } from '@fastify/websocket'
import { ManualClock } from '../../../test/manual-clock.ts'
import { NO_ADDRESS } from '../../guard/budgets/client-key.ts'
import { Reservation } from '../../guard/budgets/hold.ts'
import { Shares } from '../../guard/budgets/shares.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import { SocketOutbox } from './socket-outbox.ts'

/** A socket whose client takes what it is told to. */
class FakeSocket {
  readonly OPEN = 1
  readyState = 1
  bufferedAmount = 0
  readonly taken: Buffer[] = []
  closed: readonly [number, string] | undefined
  readonly #waiting: Array<{ readonly bytes: Buffer; readonly done: () => void }> = []

  send(bytes: Buffer, _options: object, done: () => void): void {
    this.bufferedAmount += bytes.length
    this.#waiting.push({ bytes, done })
  }

  close(code: number, reason: string): void {
    this.closed = [code, reason]
    this.readyState = 2
  }

  write(bytes: Buffer, done: () => void): boolean {
    this.send(bytes, {}, done)
    return true
  }

  take(count = Number.POSITIVE_INFINITY): void {
    for (let n = 0; n < count; n += 1) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      this.bufferedAmount -= next.bytes.length
      this.taken.push(next.bytes)
      next.done()
    }
  }
}

function world() {
  const socket = new FakeSocket()
  const clock = new ManualClock()
  const { unsentBytes: unsent } = new Shares()
  const outbox = new SocketOutbox(
    socket as unknown as WebSocket,
    socket as unknown as Socket,
    clock,
    new Reservation(unsent, NO_ADDRESS),
  )
  return { socket, clock, outbox, unsent }
}

const NEVER = new AbortController().signal

test('a long frame is handed on in pieces, as the client takes them, and arrives whole', () => {
  const { socket, outbox } = world()
  const parts = [Buffer.from('head'), Buffer.alloc(700_000, 'x')]
  outbox.send(parts)
  assert.ok(socket.bufferedAmount < 400_000, 'little of it is out of reach')
  assert.equal(outbox.unsentBytes, 700_004)
  socket.take()
  assert.equal(outbox.unsentBytes, 0)
  assert.deepEqual(Buffer.concat(socket.taken), Buffer.concat(parts))
})

test('there is no room beyond the limit, and who waits for it goes on when half of it is', async () => {
  const { socket, outbox } = world()
  const frame = [Buffer.alloc(SERVER_LIMITS.socketUnsentBytesMax / 2)]
  outbox.send(frame)
  assert.equal(outbox.isWritable, true)
  outbox.send(frame)
  assert.equal(outbox.isWritable, false)
  const gone = new AbortController()
  let hasWaited = false
  const waiting = outbox.room(NEVER).then(() => {
    hasWaited = true
  })
  const leaving = assert.rejects(outbox.room(gone.signal), /gone/)
  gone.abort(new Error('gone'))
  await leaving
  socket.take(1)
  await setImmediate()
  assert.deepEqual([outbox.isWritable, hasWaited], [true, false])
  await outbox.room(NEVER)
  socket.take()
  await waiting
})

test('a client is stuck as long as it takes no piece at all', async () => {
  const { socket, clock, outbox } = world()
  assert.equal(outbox.stuckMs(), 0)
  outbox.send([Buffer.alloc(500_000)])
  await clock.advance(30_000)
  assert.equal(outbox.stuckMs(), 30_000)
  outbox.send([Buffer.alloc(10)])
  assert.equal(outbox.stuckMs(), 30_000)
  socket.take(1)
  assert.equal(outbox.stuckMs(), 0)
  await clock.advance(40_000)
  assert.equal(outbox.stuckMs(), 40_000)
  socket.take()
  assert.equal(outbox.stuckMs(), 0)
})

test('closing behind everything waits for it, closing now does not', () => {
  const { socket, outbox } = world()
  outbox.send([Buffer.alloc(500_000)])
  outbox.closeAfterAll(1001, 'bye')
  outbox.send([Buffer.from('too late')])
  assert.equal(socket.closed, undefined)
  socket.take()
  assert.deepEqual(socket.closed, [1001, 'bye'])
  assert.equal(Buffer.concat(socket.taken).length, 500_000)
  const other = world()
  other.outbox.send([Buffer.alloc(500_000)])
  other.outbox.closeNow(4408, 'slow')
  assert.deepEqual(other.socket.closed, [4408, 'slow'])
  other.socket.take()
  assert.ok(Buffer.concat(other.socket.taken).length < 400_000)
})

test('frames that were made already are written as they are, and count like all others', async () => {
  const { socket, outbox } = world()
  assert.equal(outbox.isClear, true)
  outbox.sendEncoded(Buffer.from('made'))
  assert.equal(outbox.unsentBytes, 4)
  outbox.send([Buffer.alloc(700_000)])
  assert.equal(outbox.isClear, false, 'a long frame is on its way in pieces')
  const waiting = outbox.room(NEVER)
  socket.take()
  await waiting
  assert.equal(outbox.isClear, true)
  assert.equal(String(socket.taken[0]), 'made')
  outbox.closeAfterAll(1001, 'bye')
  outbox.sendEncoded(Buffer.from('too late'))
  socket.take()
  assert.equal(Buffer.concat(socket.taken).length, 700_004)
})
