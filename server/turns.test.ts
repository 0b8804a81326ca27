// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { TurnQueue } from './turns.ts'

/** A queue on a clock of its own, and who has gone on; each takes so long when it does. */
function queueOf(count: number, takesMs: number) {
  let nowMs = 0
  const queue = new TurnQueue({ monotonicMs: () => nowMs })
  const woken: number[] = []
  for (let index = 0; index < count; index += 1) {
    void queue.next().then(async () => {
      await Promise.resolve()
      woken.push(index)
      nowMs += takesMs
    })
  }
  return { queue, woken }
}

test('who takes long is alone in a turn of the event loop, and they go on in their order', async () => {
  const { queue, woken } = queueOf(3, 4)
  assert.equal(queue.isEmpty, false)
  await setImmediate()
  assert.deepEqual(woken, [0])
  await setImmediate()
  assert.deepEqual(woken, [0, 1])
  await setImmediate()
  assert.deepEqual(woken, [0, 1, 2])
  assert.equal(queue.isEmpty, true)
})

test('those who take little go on together, as many as fit into a part of a turn', async () => {
  const { queue, woken } = queueOf(6, 0.25)
  await setImmediate()
  assert.deepEqual(woken, [0, 1, 2, 3])
  await setImmediate()
  assert.deepEqual(woken, [0, 1, 2, 3, 4, 5])
  assert.equal(queue.isEmpty, true)
})
