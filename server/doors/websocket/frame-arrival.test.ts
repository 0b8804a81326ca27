// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import test from 'node:test'
import type { WebSocket } from '@fastify/websocket'
import { NO_ADDRESS } from '../../guard/budgets/client-key.ts'
import { Reservation } from '../../guard/budgets/hold.ts'
import { Shares } from '../../guard/budgets/shares.ts'
import { FrameArrival } from './frame-arrival.ts'

function world() {
  const socket = new EventEmitter()
  const connection = new EventEmitter()
  const { receivedBytes: received } = new Shares()
  const arrival = new FrameArrival(
    socket as unknown as WebSocket,
    connection as unknown as Socket,
    new Reservation(received, NO_ADDRESS),
  )
  const arrive = (bytes: number) => connection.emit('data', Buffer.alloc(bytes))
  return { socket, received, arrival, arrive }
}

test('the age of a frame counts from the look that first found it begun, until it is whole', () => {
  const { socket, arrival, arrive } = world()
  assert.equal(arrival.ageMs(1_000), 0)
  arrive(10)
  assert.equal(arrival.ageMs(2_000), 0)
  arrive(10)
  assert.equal(arrival.ageMs(61_000), 59_000)
  socket.emit('message')
  assert.equal(arrival.ageMs(62_000), 0)
})

test('a client that answers pings while its frame does not end is not forgotten', () => {
  const { socket, arrival, arrive } = world()
  arrive(1_000)
  arrival.ageMs(0)
  arrive(6 + 4)
  socket.emit('pong', Buffer.alloc(4))
  assert.equal(arrival.ageMs(60_000), 60_000)
})

test('a pong alone is no frame that arrives', () => {
  const { socket, arrival, arrive } = world()
  arrive(6)
  socket.emit('pong', Buffer.alloc(0))
  arrival.ageMs(0)
  assert.equal(arrival.ageMs(60_000), 0)
})

test('what arrives is held until it is whole or the socket is closed', () => {
  const { socket, received, arrive } = world()
  arrive(64 * 1024)
  assert.equal(received.held, 64 * 1024)
  socket.emit('message')
  assert.equal(received.held, 0)
  arrive(64 * 1024)
  socket.emit('close')
  assert.equal(received.held, 0)
})
