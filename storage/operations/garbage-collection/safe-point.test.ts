// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { chooseSafePoint } from './safe-point.ts'

const SECOND = 1_000_000
const agoFrom = (second: number) => (agoMs: number) => Math.max(0, second * SECOND - agoMs * 1000)
const retention = { retentionMs: 10_000, heldMsMax: 60_000 }

describe('the safe point that is chosen at second 100, with 10 s of retention', () => {
  const cases = [
    { name: 'no open transaction', oldest: 100, safePoint: 90 },
    { name: 'an open transaction younger than the retention', oldest: 95, safePoint: 90 },
    { name: 'an open transaction of second 70 holds it there', oldest: 70, safePoint: 70 },
    { name: 'one of second 20 has been waited for long enough', oldest: 20, safePoint: 30 },
  ]
  for (const { name, oldest, safePoint } of cases) {
    test(`${name}: second ${safePoint}`, () => {
      const moment = { ago: agoFrom(100), oldestSnapshot: oldest * SECOND }
      assert.equal(chooseSafePoint(moment, retention), safePoint * SECOND)
    })
  }

  test('is never below the beginning of time', () => {
    assert.equal(chooseSafePoint({ ago: agoFrom(1), oldestSnapshot: SECOND }, retention), 0)
  })
})
