// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { compareRowKeys } from '../../cells/row-key.ts'
import { ReadSet } from './read-set.ts'

const key = fc.uint8Array({ minLength: 6, maxLength: 7, max: 3 })
const columns = fc.constantFrom(['0'], ['1'], ['0', '1'])
const range = fc.tuple(key, key, columns).map(([a, b, read]) => {
  const [start, end] = compareRowKeys(a, b) < 0 ? [a, b] : [b, a]
  return { start, end, columns: read }
})

function holds(set: ReadSet, sought: Uint8Array, column: string): boolean {
  return set.ranges.some(
    ({ start, end, columns: read }) =>
      compareRowKeys(start, sought) <= 0 &&
      compareRowKeys(sought, end) < 0 &&
      read.includes(column),
  )
}

test('what was read is in the set, and nothing else, also when it was settled', () => {
  fc.assert(
    fc.property(fc.array(range), fc.array(fc.tuple(key, columns)), key, (ranges, keys, sought) => {
      const set = new ReadSet()
      const raw = new ReadSet()
      for (const each of [set, raw]) {
        for (const one of ranges) each.add(one)
        for (const [one, read] of keys) each.addKey(one, read)
      }
      set.settle()
      for (const at of [sought, ...keys.map(([one]) => one), ...ranges.map(({ end }) => end)]) {
        for (const column of ['0', '1']) {
          assert.equal(holds(set, at, column), holds(raw, at, column))
        }
      }
    }),
  )
})

test('thousands of keys become a thousand ranges at most, none of which is of two tables', () => {
  const set = new ReadSet()
  const keyOf = (space: number, at: number) => Uint8Array.of(1, 0, 0, 0, space, at >> 8, at, 9)
  for (let at = 0; at < 5_000; at += 1)
    for (const space of [1, 2]) set.addKey(keyOf(space, at), ['0'])
  set.settle()
  assert.ok(set.ranges.length <= 1_000)
  for (const space of [1, 2])
    for (const at of [0, 77, 4_999]) assert.ok(holds(set, keyOf(space, at), '0'))
  assert.equal(holds(set, keyOf(3, 1), '0'), false)
})
