// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ReachedTimestamps } from './reached-timestamps.ts'

const MINUTE_MS = 60_000
const NOON = Date.UTC(2026, 0, 1, 12) * 1000

test('where timestamps follow the clock, what was reached is the time', () => {
  const reached = new ReachedTimestamps()
  for (let minute = 0; minute <= 20; minute += 1) {
    const now = { monotonicMs: minute * MINUTE_MS, micros: NOON + minute * MINUTE_MS * 1000 }
    reached.reached({ monotonicMs: now.monotonicMs, timestamp: now.micros }, 10 * MINUTE_MS)
    assert.equal(reached.ago(10 * MINUTE_MS, now), now.micros - 10 * MINUTE_MS * 1000)
    assert.equal(reached.ago(0, now), now.micros)
  }
})

test('where timestamps stand an hour ahead, it is what was the newest so long ago', () => {
  const reached = new ReachedTimestamps()
  const ahead = NOON + 60 * MINUTE_MS * 1000
  for (let minute = 0; minute <= 30; minute += 1) {
    const now = { monotonicMs: minute * MINUTE_MS, micros: NOON + minute * MINUTE_MS * 1000 }
    reached.reached({ monotonicMs: now.monotonicMs, timestamp: ahead + minute }, 10 * MINUTE_MS)
    const tenMinutesAgo = reached.ago(10 * MINUTE_MS, now)
    if (minute < 10) assert.equal(tenMinutesAgo, now.micros - 10 * MINUTE_MS * 1000)
    else assert.equal(tenMinutesAgo, ahead + minute - 10)
  }
})

test('however often it is told, it remembers little, and never what is too young', () => {
  const reached = new ReachedTimestamps()
  for (let ms = 0; ms <= 100_000; ms += 1)
    reached.reached({ monotonicMs: ms, timestamp: 1e15 + ms }, 10_000)
  for (const agoMs of [0, 20, 500, 9_999, 10_000]) {
    const found = reached.ago(agoMs, { monotonicMs: 100_000, micros: 0 }) - 1e15
    assert.ok(found <= 100_000 - agoMs && found >= 100_000 - agoMs - 20, `${agoMs}: ${found}`)
  }
})
