// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { TurnQueue } from './turns.ts'

test('each turn of the event loop wakes one that waits, in their order', async () => {
  const queue = new TurnQueue()
  const woken: number[] = []
  for (let index = 0; index < 3; index += 1) void queue.next().then(() => woken.push(index))
  assert.equal(queue.isEmpty, false)
  await setImmediate()
  assert.deepEqual(woken, [0])
  await setImmediate()
  assert.deepEqual(woken, [0, 1])
  await setImmediate()
  assert.deepEqual(woken, [0, 1, 2])
  assert.equal(queue.isEmpty, true)
})
