// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseProcessorTime, stolenShare, stolenTimeWarning } from './stolen-time.ts'

test('wanted is what ran and what was stolen, and not what was idle or waited for the disk', () => {
  const stat = 'cpu  100 20 30 4000 500 6 7 40 11 12\ncpu0 1 2 3 4 5 6 7 8 9 10\n'
  assert.deepEqual(parseProcessorTime(stat), { wanted: 203, stolen: 40 })
})

test('a system that tells less, or something else, tells nothing', () => {
  assert.equal(parseProcessorTime('cpu  1 2 3 4\n'), undefined)
  assert.equal(parseProcessorTime('intr 1 2 3 4 5 6 7 8\n'), undefined)
  assert.equal(parseProcessorTime(''), undefined)
})

test('the share is of what was wanted between two moments', () => {
  const before = { wanted: 1000, stolen: 100 }
  assert.equal(stolenShare(before, { wanted: 1200, stolen: 150 }), 0.25)
  assert.equal(stolenShare(before, before), 0)
})

test('samples that lost more than a tenth are counted, and the worst is told', () => {
  const warningOf = (...shares: number[]) =>
    stolenTimeWarning(shares.map((stolenShare) => ({ stolenShare })))
  assert.equal(warningOf(), undefined)
  assert.equal(stolenTimeWarning([{}]), undefined)
  assert.equal(warningOf(0, 0.02, 0.1), undefined)
  assert.match(warningOf(0, 0.11, 0.874) ?? '', /^In 2 of 3 samples .* \(87 % in the worst\)/)
})
