// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { positionIn } from './sorted-run.ts'

test('a position is that of the first member that does not come before, or the end', () => {
  const ranks = fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 40, size: 'max' })
  fc.assert(
    fc.property(ranks, (ranks) => {
      const run = ranks.toSorted((a, b) => a - b)
      for (let rank = -1; rank < 62; rank += 1) {
        const at = run.findIndex((one) => one >= rank)
        const found = positionIn(run, (one) => one < rank)
        assert.equal(found, at === -1 ? run.length : at)
      }
    }),
    { numRuns: 300 },
  )
})
