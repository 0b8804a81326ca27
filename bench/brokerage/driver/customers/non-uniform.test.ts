// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { Random } from '../../../load/random.ts'
import { nonUniform, skewOfTimes, skewOfTrades, skewOfWeeks } from './non-uniform.ts'

test('the skews of the full size are those of the workload, and shrink with the data', () => {
  assert.deepEqual(skewOfTrades(17_280_000), { mask: 65_535, shift: 7 })
  assert.deepEqual(skewOfTimes(300 * 28_800_000), { mask: 4_095, shift: 16 })
  assert.deepEqual(skewOfWeeks(256), { mask: 255, shift: 0 })
  assert.deepEqual(skewOfTrades(57_600), { mask: 16_383, shift: 0 })
  assert.deepEqual(skewOfWeeks(13), { mask: 7, shift: 0 })
})

test('draws stay in their range, whatever it is', () => {
  fc.assert(
    fc.property(
      fc.integer(),
      fc.nat(1_000),
      fc.integer({ min: 1, max: 1e10 }),
      (seed, first, size) => {
        const random = new Random(seed)
        const drawn = nonUniform(
          random,
          first,
          first + size - 1,
          skewOfTimes(Math.max(size, 4_096)),
        )
        assert.ok(drawn >= first && drawn < first + size, String(drawn))
      },
    ),
  )
})

test('numbers with many ones among the bits of the mask come up more often', () => {
  const random = new Random(3)
  const counts = new Array<number>(64).fill(0)
  for (let draw = 0; draw < 64_000; draw += 1) {
    const number = nonUniform(random, 0, 63, { mask: 63, shift: 0 })
    counts[number] = (counts[number] ?? 0) + 1
  }
  // Each bit is one in three of four draws: all six are in (3/4)^6, none in (1/4)^6 of them.
  assert.ok(Math.abs((counts[63] ?? 0) / 64_000 - 0.178) < 0.01, String(counts[63]))
  assert.ok((counts[0] ?? 0) / 64_000 < 0.002, String(counts[0]))
})
