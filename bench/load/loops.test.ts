// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runClosedLoop } from './closed-loop.ts'
import { runOpenLoop } from './open-loop.ts'

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

test('a stall is felt by every operation that should have begun during it', async () => {
  const { operations, latency } = await runOpenLoop({
    ...{ ratePerSecond: 1_000, seconds: 0.2, signal: untilStopped },
    async operation(sequence) {
      if (sequence === 50) block(80)
    },
  })
  assert.equal(operations, 200)
  // About 80 of 200 operations were due while nothing ran: a quarter waited for 20 ms and more.
  assert.ok(latency.max >= 79, `${latency.max} ms`)
  assert.ok(latency.p90 >= 50, `${latency.p90} ms`)
})

test('operations begin although earlier ones have not ended', async () => {
  let underWay = 0
  let most = 0
  const gate = Promise.withResolvers<void>()
  const { operations } = await runOpenLoop({
    ...{ ratePerSecond: 1_000, seconds: 0.02, signal: untilStopped },
    async operation() {
      most = Math.max(most, ++underWay)
      if (underWay === 20) gate.resolve()
      await gate.promise
    },
  })
  assert.deepEqual({ operations, most }, { operations: 20, most: 20 })
})

test('the first failure ends an open loop', async () => {
  let begun = 0
  const failing = runOpenLoop({
    ...{ ratePerSecond: 1_000, seconds: 1, signal: untilStopped },
    async operation() {
      begun += 1
      throw new Error('refused')
    },
  })
  await assert.rejects(failing, /refused/)
  assert.ok(begun < 500, `${begun} operations began`)
})

/** Keeps the whole process busy. */
function block(ms: number): void {
  const untilMs = performance.now() + ms
  while (performance.now() < untilMs);
}
