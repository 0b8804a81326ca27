// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../test/manual-clock.ts'
import { silentLog } from '../../storage-log.ts'
import { TrustedWallClock } from './trusted-wall-clock.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

function given() {
  const clock = new ManualClock()
  const said: string[] = []
  const says = (facts: object, message: string) =>
    void said.push(`${JSON.stringify(facts)} ${message}`)
  const wall = new TrustedWallClock(clock, { ...silentLog, warn: says, info: says })
  return { clock, said, wall }
}

test('a wall clock that is set by up to ten seconds is followed', async () => {
  const { clock, said, wall } = given()
  for (const jumpMs of [10_000, 10_000, -10_000]) {
    clock.jumpWall(jumpMs)
    await clock.advance(50)
    assert.equal(wall.micros(), clock.wallMicros())
  }
  assert.deepEqual(said, [])
})

for (const [what, jumpMs] of [
  ['a laptop that slept for an hour', HOUR_MS],
  ['a clock that was set back by an hour', -HOUR_MS],
] as const) {
  test(`${what}: time goes on evenly, and after a minute the clock is followed`, async () => {
    const { clock, said, wall } = given()
    const start = wall.micros()
    clock.jumpWall(jumpMs)
    await clock.advance(5_000)
    assert.equal(wall.micros(), start + 5_000_000)
    assert.equal(wall.offsetMicros, jumpMs * 1000)
    await clock.advance(59_999)
    assert.equal(wall.micros(), start + 64_999_000)
    await clock.advance(1)
    assert.equal(wall.micros(), clock.wallMicros())
    assert.equal(wall.offsetMicros, 0)
    assert.equal(said.length, 2)
    assert.match(
      said[0] ?? '',
      /^\{"seconds":-?3600\} the wall clock has jumped; it is followed when/,
    )
    assert.match(said[1] ?? '', /followed again/)
  })
}

test('a clock that nobody looks at meanwhile is followed at the second look', async () => {
  const { clock, wall } = given()
  clock.jumpWall(HOUR_MS)
  wall.micros()
  await clock.advance(DAY_MS)
  assert.equal(wall.micros(), clock.wallMicros())
})

test('a leap that is taken back leaves no trace, and one that goes on leaping is not followed', async () => {
  const { clock, said, wall } = given()
  const start = wall.micros()
  clock.jumpWall(HOUR_MS)
  wall.micros()
  await clock.advance(30_000)
  clock.jumpWall(-HOUR_MS)
  assert.equal(wall.micros(), start + 30_000_000)
  assert.equal(wall.offsetMicros, 0)
  for (let leap = 1; leap <= 10; leap += 1) {
    clock.jumpWall(HOUR_MS)
    wall.micros()
    await clock.advance(50_000)
    assert.equal(wall.micros(), start + 30_000_000 + leap * 50_000_000)
  }
  assert.equal(said.length, 3, 'said once for all leaps')
})

test('a clock that a time server lets run a little faster is followed all the same', async () => {
  const { clock, wall } = given()
  clock.jumpWall(HOUR_MS)
  for (let second = 0; second <= 60; second += 1) {
    wall.micros()
    clock.jumpWall(1)
    await clock.advance(1_000)
  }
  assert.equal(wall.micros(), clock.wallMicros())
})

test('a leap of over 30 days is never followed', async () => {
  const { clock, said, wall } = given()
  const start = wall.micros()
  clock.jumpWall(31 * DAY_MS)
  wall.micros()
  await clock.advance(HOUR_MS)
  assert.equal(wall.micros(), start + HOUR_MS * 1000)
  assert.match(said[0] ?? '', /not followed; a start with --accept-clock takes it/)
})
