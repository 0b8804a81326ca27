// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runClosedLoop } from './closed-loop.ts'

const untilStopped = new AbortController().signal

test('every client has one operation under way, and each has a number of its own', async () => {
  const underWay = new Set<number>()
  const seen = new Set<number>()
  let most = 0
  const { operations, latency } = await runClosedLoop({
    ...{ clients: 7, seconds: 0.05, signal: untilStopped, takesLatency: true },
    async operation(sequence, client) {
      assert.ok(!underWay.has(client) && !seen.has(sequence))
      seen.add(sequence)
      underWay.add(client)
      most = Math.max(most, underWay.size)
      await new Promise(setImmediate)
      underWay.delete(client)
    },
  })
  assert.equal(most, 7)
  assert.equal(operations, seen.size)
  assert.equal(latency?.count, operations)
})

test('a failure ends the loop when the operations under way have ended', async () => {
  let underWay = 0
  const failing = runClosedLoop({
    ...{ clients: 5, seconds: 60, signal: untilStopped },
    async operation(sequence) {
      underWay += 1
      await new Promise(setImmediate)
      underWay -= 1
      if (sequence === 20) throw new Error('refused')
    },
  })
  await assert.rejects(failing, /refused/)
  assert.equal(underWay, 0)
})
