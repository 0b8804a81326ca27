// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { DurationHistogram } from './duration-histogram.ts'

test('quantiles of durations are exact to a quarter, and never above the longest', () => {
  const histogram = new DurationHistogram()
  for (let ms = 1; ms <= 1_000; ms += 1) histogram.add(ms)
  for (const share of [0.1, 0.5, 0.9, 0.99]) {
    const exact = share * 1_000
    const told = histogram.quantileMs(share)
    assert.ok(told >= exact * 0.75 && told <= exact * 1.25, `${told} for ${exact}`)
  }
  assert.deepEqual([histogram.count, histogram.totalMs, histogram.maxMs], [1_000, 500_500, 1_000])
  assert.equal(histogram.quantileMs(1), 1_000)
})

test('durations have a bucket however short or long they are', () => {
  const histogram = new DurationHistogram()
  for (const ms of [0, 0.01, 86_400_000]) histogram.add(ms)
  assert.equal(histogram.count, 3)
  assert.ok(histogram.quantileMs(0.5) <= 0.01)
  // Above the last bound only the longest is known.
  assert.ok(histogram.quantileMs(0.99) >= 16_000)
})
