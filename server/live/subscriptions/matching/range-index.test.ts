// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { compareRowKeys } from '../../../../storage/storage.ts'
import { RangeIndex } from './range-index.ts'

const key = fc.uint8Array({ minLength: 1, maxLength: 2, max: 6 })
const range = fc
  .tuple(key, key)
  .map(([a, b]) => (compareRowKeys(a, b) < 0 ? { start: a, end: b } : { start: b, end: a }))

const MANY = fc.array(range, { maxLength: 120, size: 'max' })

test('a key is found in exactly the ranges that hold it, after any additions and deletions', () => {
  fc.assert(
    fc.property(MANY, fc.array(fc.nat(20)), fc.array(key), (ranges, deleted, keys) => {
      const index = new RangeIndex<number>()
      // Some are sorted by the first look, and others are not.
      for (const [value, one] of ranges.entries()) {
        index.add(value, [one])
        if (value % 40 === 39) index.find(Uint8Array.of(0), () => undefined)
      }
      for (const value of deleted) index.delete(value)
      for (const sought of keys) {
        const found: number[] = []
        index.find(sought, (value) => found.push(value))
        const expected = [...ranges.keys()].filter((value) => {
          const { start, end } = ranges[value] as (typeof ranges)[number]
          const isIn = compareRowKeys(start, sought) <= 0 && compareRowKeys(sought, end) < 0
          return isIn && !deleted.includes(value)
        })
        assert.deepEqual(
          found.sort((a, b) => a - b),
          expected,
        )
        assert.equal(index.has(sought), expected.length > 0)
      }
    }),
  )
})

test('a value with several ranges goes with all of them', () => {
  const index = new RangeIndex<string>()
  index.add('a', [
    { start: Uint8Array.of(1), end: Uint8Array.of(2) },
    { start: Uint8Array.of(5), end: Uint8Array.of(6) },
  ])
  assert.deepEqual(
    [1, 2, 5, 6].map((byte) => index.has(Uint8Array.of(byte))),
    [true, false, true, false],
  )
  index.delete('a')
  assert.equal(index.has(Uint8Array.of(5)), false)
})
