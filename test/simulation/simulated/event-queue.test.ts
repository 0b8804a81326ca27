// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { EventQueue } from './event-queue.ts'

test('events come in the order of their times, and of their scheduling at one time', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 }), { maxLength: 200 }), (times) => {
      const queue = new EventQueue<number>()
      for (const [index, atMs] of times.entries()) queue.add(atMs, index)
      const taken: Array<readonly [number, number]> = []
      for (let event = queue.take(); event !== undefined; event = queue.take()) {
        taken.push([event.atMs, event.item])
      }
      const expected = times
        .map((atMs, index) => [atMs, index] as const)
        .sort(([a, i], [b, j]) => a - b || i - j)
      assert.deepEqual(taken, expected)
      assert.equal(queue.size, 0)
    }),
  )
})
