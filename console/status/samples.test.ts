// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chartOf, NO_SAMPLES, sampled } from './samples.ts'

describe('what was seen while somebody looked', () => {
  it('is bounded, ascends, and has null for what there was not', () => {
    let samples = NO_SAMPLES
    for (let at = 1; at <= 700; at += 1) samples = sampled(samples, at, [at, undefined])
    assert.equal(samples.times.length, 600)
    assert.deepEqual([samples.times[0], samples.times.at(-1)], [101, 700])
    assert.deepEqual(
      samples.lines.map((line) => [line.length, line.at(-1)]),
      [
        [600, 700],
        [600, null],
      ],
    )
    assert.deepEqual(chartOf(samples, 1, 5).lines[1], [])
  })

  it('starts again with a store whose time is an earlier one', () => {
    const samples = sampled(sampled(NO_SAMPLES, 100, [1]), 50, [2])
    assert.deepEqual(samples, { times: [50], lines: [[2]] })
  })
})
