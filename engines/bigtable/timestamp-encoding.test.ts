// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  hasPlace,
  TIMESTAMP_MAX,
  timestampOf,
  wireTimestamp,
  wireTimestamps,
} from './timestamp-encoding.ts'

const IN_2026 = 1_767_225_600_000_000
const kept = fc.oneof(
  fc.integer({ min: 0, max: 1_023 }),
  fc.integer({ min: IN_2026, max: TIMESTAMP_MAX }),
)

test('a timestamp comes back as it was, whole milliseconds on the wire, in the same order', () => {
  fc.assert(
    fc.property(kept, kept, (a, b) => {
      assert.ok(hasPlace(a))
      const [wireA, wireB] = [wireTimestamp(a), wireTimestamp(b)]
      assert.equal(timestampOf(wireA), a)
      assert.equal(BigInt(wireA) % 1_000n, 0n)
      assert.ok(BigInt(wireA) < 2n ** 63n)
      assert.equal(BigInt(wireA) < BigInt(wireB), a < b)
    }),
  )
})

test('a range has the cells between its bounds, and its end is never said as 0', () => {
  const bound = fc.integer({ min: 0, max: TIMESTAMP_MAX })
  const range = fc.record({ from: bound, until: bound }, { requiredKeys: [] })
  fc.assert(
    fc.property(range, kept, ({ from = 0, until = Infinity }, cell) => {
      const wire = wireTimestamps({ from, until }, TIMESTAMP_MAX)
      const { startTimestampMicros: start = '0', endTimestampMicros: end } = wire ?? {}
      const at = BigInt(wireTimestamp(cell))
      const isIn =
        wire !== undefined && at >= BigInt(start) && (end === undefined || at < BigInt(end))
      assert.equal(isIn, cell >= from && cell < until)
      assert.notEqual(end, '0')
    }),
  )
})
