// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { CompletionQueue } from './completion-queue.ts'

test('orders come out in the order of completion, of two at once the older one first', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(20)), fc.nat(20), (times, untilMs) => {
      const queue = new CompletionQueue<{ readonly completedMs: number; readonly id: number }>()
      const orders = times.map((completedMs, id) => ({ completedMs, id }))
      for (const order of orders) queue.add(order)
      const expected = orders.toSorted(
        (one, other) => one.completedMs - other.completedMs || one.id - other.id,
      )
      const due = expected.filter(({ completedMs }) => completedMs <= untilMs)
      assert.deepEqual([...queue.takeUntil(untilMs)], due)
      assert.deepEqual([...queue.takeUntil(Infinity)], expected.slice(due.length))
    }),
  )
})
