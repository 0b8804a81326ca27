// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { clientKeyOf } from './client-key.ts'
import { FairQueue } from './fair-queue.ts'

const A = clientKeyOf('127.0.0.2')
const B = clientKeyOf('127.0.0.3')
const C = clientKeyOf('127.0.0.4')

function drained(queue: FairQueue<string>): string[] {
  const order: string[] = []
  for (let entry = queue.shift(); entry !== undefined; entry = queue.shift()) order.push(entry)
  return order
}

test('the clients take turns, and the entries of one keep their order', () => {
  const queue = new FairQueue<string>()
  for (const entry of ['a1', 'a2', 'a3']) queue.push(A, entry)
  queue.push(B, 'b1')
  queue.push(C, 'c1')
  queue.push(C, 'c2')
  assert.equal(queue.size, 6)
  assert.deepEqual(drained(queue), ['a1', 'b1', 'c1', 'a2', 'c2', 'a3'])
  assert.equal(queue.size, 0)
})

test('who comes late waits for one entry of each other client, and not for all of them', () => {
  const queue = new FairQueue<string>()
  for (let index = 0; index < 500; index += 1) queue.push(A, `a${index}`)
  assert.equal(queue.shift(), 'a0')
  queue.push(B, 'b')
  assert.equal(queue.shift(), 'a1')
  assert.equal(queue.shift(), 'b')
})

test('an entry that waits no more is left out', () => {
  const queue = new FairQueue<string>()
  queue.push(A, 'a1')
  queue.push(A, 'a2')
  queue.push(B, 'b1')
  queue.delete(A, 'a1')
  queue.delete(B, 'b1')
  queue.delete(B, 'b1')
  queue.delete(C, 'c1')
  assert.equal(queue.size, 1)
  assert.deepEqual(drained(queue), ['a2'])
})

test('a client that is put off skips so many of its turns, as long as others wait', () => {
  const queue = new FairQueue<string>()
  for (const entry of ['a1', 'a2', 'a3']) queue.push(A, entry)
  for (const entry of ['b1', 'b2', 'b3', 'b4']) queue.push(B, entry)
  assert.equal(queue.shift(), 'a1')
  queue.putOff(A, 2)
  assert.deepEqual(drained(queue), ['b1', 'b2', 'b3', 'a2', 'b4', 'a3'])
  queue.putOff(A, 2)
  queue.push(A, 'a4')
  queue.push(C, 'c1')
  queue.putOff(A, 5)
  assert.deepEqual(drained(queue), ['c1', 'a4'])
})
