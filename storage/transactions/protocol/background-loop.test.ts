// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../test/manual-clock.ts'
import { type StorageLog, silentLog } from '../../storage-log.ts'
import { BackgroundLoop, type Pass } from './background-loop.ts'

/** A loop that has begun; its passes are told which they are, from 1, and of the clock. */
function started(
  pass: (number: number, clock: ManualClock, signal: AbortSignal) => Promise<number | undefined>,
) {
  const clock = new ManualClock()
  const warnings: string[] = []
  const log: StorageLog = { ...silentLog, warn: (_, message) => void warnings.push(message) }
  let passes = 0
  const counted: Pass = (signal) => {
    passes += 1
    return pass(passes, clock, signal)
  }
  const loop = new BackgroundLoop({ clock, log }, { pass: counted, failureMessage: 'interrupted' })
  loop.start()
  loop.start()
  return { clock, loop, warnings, passes: () => passes }
}

test('a pass follows each waking, and none comes by itself', async () => {
  const { clock, loop, passes } = started(async () => undefined)
  await clock.advance(3_600_000)
  assert.equal(passes(), 1)
  loop.wake()
  loop.wake()
  await clock.advance(3_600_000)
  assert.equal(passes(), 2)
  await loop.stop()
})

test('a waking during a pass is not lost', async () => {
  const held = Promise.withResolvers<undefined>()
  const { clock, loop, passes } = started(() => held.promise)
  loop.wake()
  await clock.advance(0)
  assert.equal(passes(), 1)
  held.resolve(undefined)
  await clock.advance(0)
  assert.equal(passes(), 2)
  await loop.stop()
})

test('a pass comes unasked when the one before it said so', async () => {
  const { clock, loop, passes } = started(async (number) => (number === 1 ? 0 : 100))
  await clock.advance(199)
  assert.equal(passes(), 3)
  loop.wake()
  await clock.advance(99)
  assert.deepEqual([passes(), clock.sleeping], [4, 1])
  await loop.stop()
  assert.deepEqual([passes(), clock.sleeping], [4, 0])
})

test('a pass that fails is told of and tried again a second later', async () => {
  const { clock, loop, passes, warnings } = started(async () => {
    throw new Error('the store is away')
  })
  await clock.advance(999)
  assert.equal(passes(), 1)
  await clock.advance(1)
  assert.deepEqual([passes(), warnings], [2, ['interrupted', 'interrupted']])
  await loop.stop()
})

test('stopping aborts the pass that is under way, and nothing follows it', async () => {
  const { clock, loop, passes, warnings } = started(async (_, ownClock, signal) => {
    await ownClock.sleep(1_000, signal)
    return undefined
  })
  await clock.advance(0)
  await loop.stop()
  loop.wake()
  await clock.advance(10_000)
  assert.deepEqual([passes(), warnings, loop.isStopped], [1, [], true])
})
