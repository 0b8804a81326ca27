// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runOpenLoop } from './open-loop.ts'

const untilStopped = new AbortController().signal

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

test('the first failure ends the loop', async () => {
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
