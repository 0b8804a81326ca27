// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeOfHost } from './time-of-host.ts'
import { UndisturbedSamples } from './undisturbed-samples.ts'

/** Samples of 1, 2, 3 … operations, as they are taken. */
function counted() {
  const taken: boolean[] = []
  const run = async (isRetake: boolean) => {
    taken.push(isRetake)
    return { operations: taken.length, seconds: 1, cpuSeconds: 0 }
  }
  return { taken, run }
}

test('a sample during which the host took more than a tenth is taken again until one is undisturbed', async () => {
  const { taken, run } = counted()
  const samples = new UndisturbedSamples(10, timeOfHost(0.1, 0.5, 0))
  assert.equal((await samples.take(run)).operations, 1)
  const second = await samples.take(run)
  assert.deepEqual([second.operations, second.stolenShare], [3, 0])
  assert.deepEqual(taken, [false, false, true])
  assert.equal(samples.retakes, 1)
})

test('of three that were disturbed the one counts that lost least', async () => {
  const { taken, run } = counted()
  const samples = new UndisturbedSamples(10, timeOfHost(0.5, 0.2, 0.3, 0))
  const first = await samples.take(run)
  assert.equal(first.operations, 2)
  assert.ok(Math.abs(Number(first.stolenShare) - 0.2) < 1e-9)
  assert.equal(taken.length, 3)
})

test('no more are taken again than were allowed', async () => {
  const { taken, run } = counted()
  const samples = new UndisturbedSamples(1, timeOfHost(0.5))
  for (let at = 0; at < 3; at++) await samples.take(run)
  assert.deepEqual(taken, [false, true, false, false])
  assert.equal(samples.retakes, 1)
})

test('a system that does not tell has each sample once', async () => {
  const { taken, run } = counted()
  const samples = new UndisturbedSamples(10, async () => undefined)
  assert.deepEqual(await samples.take(run), { operations: 1, seconds: 1, cpuSeconds: 0 })
  assert.deepEqual(taken, [false])
})
