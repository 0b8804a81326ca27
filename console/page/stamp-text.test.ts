// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bytesText, countText, durationText, isoOf, stampText } from './stamp-text.ts'

describe('a figure of the console', () => {
  it('is a time in UTC to the microsecond', () => {
    assert.equal(stampText(1_795_264_701_296_696), '2026-11-21 12:38:21.296696')
    assert.equal(isoOf(1_795_264_701_000_001n), '2026-11-21T12:38:21.000001Z')
    assert.equal(isoOf(0), '1970-01-01T00:00:00.000000Z')
    assert.equal(isoOf(-1), '1969-12-31T23:59:59.999999Z')
  })

  it('is a duration in units that people use', () => {
    const texts = [0, 1.94, 350, 1_940, 59_949, 60_000, 303_000, 7_200_000, 187_300_000]
    assert.deepEqual(texts.map(durationText), [
      ...['0 ms', '1.9 ms', '350 ms', '1.9 s', '59.9 s', '1 min', '5 min 3 s', '2 h', '2 d 4 h'],
    ])
    assert.deepEqual([59_950, 59_999.999].map(durationText), ['60 s', '60 s'])
  })

  it('is a size or a count', () => {
    const sizes = [0, 812, 999, 1_000, 29_601_792, 252_000_000_000]
    assert.deepEqual(sizes.map(bytesText), ['0 B', '812 B', '999 B', '1.0 kB', '29.6 MB', '252 GB'])
    assert.deepEqual([7, 1_000, 9_007_199_254_740_993n].map(countText), [
      ...['7', '1,000', '9,007,199,254,740,993'],
    ])
  })
})
