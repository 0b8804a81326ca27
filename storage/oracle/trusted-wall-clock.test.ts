// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../test/manual-clock.ts'
import { silentLog } from '../storage-log.ts'
import { TrustedWallClock } from './trusted-wall-clock.ts'

function clockWithWarnings() {
  const clock = new ManualClock()
  const warnings: unknown[] = []
  const log = { ...silentLog, warn: (facts: unknown) => warnings.push(facts) }
  return { clock, warnings, wall: new TrustedWallClock(clock, log) }
}

test('a wall clock that is set by up to ten seconds is followed', async () => {
  const { clock, warnings, wall } = clockWithWarnings()
  for (const jumpMs of [10_000, 10_000, -10_000]) {
    clock.jumpWall(jumpMs)
    await clock.advance(50)
    assert.equal(wall.micros(), clock.wallMicros())
  }
  assert.deepEqual(warnings, [])
})

test('a leap ahead is not followed and is said once; when the clock is back it is followed again', async () => {
  const { clock, warnings, wall } = clockWithWarnings()
  const start = wall.micros()
  clock.jumpWall(3_600_000)
  await clock.advance(5_000)
  assert.equal(wall.micros(), start + 5_000_000)
  await clock.advance(60_000)
  assert.equal(wall.micros(), start + 65_000_000)
  assert.deepEqual(warnings, [{ seconds: 3600 }])
  clock.jumpWall(-3_600_000)
  assert.equal(wall.micros(), clock.wallMicros())
  clock.jumpWall(11_000)
  assert.equal(wall.micros(), start + 65_000_000)
  assert.equal(warnings.length, 2)
})

test('a clock that falls back is answered as it is, and may come forward again to where it was', async () => {
  const { clock, warnings, wall } = clockWithWarnings()
  clock.jumpWall(-3_600_000)
  assert.equal(wall.micros(), clock.wallMicros())
  await clock.advance(60_000)
  assert.equal(wall.micros(), clock.wallMicros())
  clock.jumpWall(3_600_000)
  assert.equal(wall.micros(), clock.wallMicros())
  assert.equal(warnings.length, 1)
})
