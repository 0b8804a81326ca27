// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CounterRandom, threefry } from './counter-random.ts'

test('Threefry-2x32 with 20 rounds gives the numbers of its published vectors', () => {
  const vectors = [
    { key: [0, 0], counter: [0, 0], block: [0x6b200159, 0x99ba4efe] },
    {
      key: [0xffffffff, 0xffffffff],
      counter: [0xffffffff, 0xffffffff],
      block: [0x1cb996fc, 0xbb002be7],
    },
    {
      key: [0x13198a2e, 0x03707344],
      counter: [0x243f6a88, 0x85a308d3],
      block: [0xc4923a9c, 0x483df7a0],
    },
  ] as const
  for (const { key, counter, block } of vectors) assert.deepEqual(threefry(key, counter), block)
})

test('a row draws the same numbers whatever was drawn before it', () => {
  const drawn = (order: readonly number[]) => {
    const random = new CounterRandom(2n ** 63n + 5n)
    return new Map(
      order.map((row) => {
        const draws = random.row(3, row)
        return [row, [draws.next(), draws.below(1_000), draws.between(5, 7)]]
      }),
    )
  }
  const forward = drawn([0, 1, 2, 3])
  for (const [row, draws] of drawn([3, 1, 0, 2])) assert.deepEqual(draws, forward.get(row))
})

test('seeds, streams, rows and draws all change the number', () => {
  const at = (seed: bigint, stream: number, row: number) =>
    new CounterRandom(seed).row(stream, row).next()
  const draws = new CounterRandom(1n).row(1, 1)
  draws.next()
  const numbers = [at(1n, 1, 1), at(1n + 2n ** 32n, 1, 1), at(1n, 2, 1), at(1n, 1, 2), draws.next()]
  assert.equal(new Set(numbers).size, numbers.length)
  assert.throws(() => new CounterRandom(1n).row(256, 0), RangeError)
})

test('numbers are spread evenly, and a choice without repetition takes all there are', () => {
  const draws = new CounterRandom(7n).row(1, 0)
  const counts = new Array<number>(10).fill(0)
  for (let draw = 0; draw < 100_000; draw += 1) {
    const number = draws.below(10)
    counts[number] = (counts[number] as number) + 1
  }
  for (const count of counts) assert.ok(Math.abs(count - 10_000) < 500, String(counts))
  assert.deepEqual(draws.distinctBelow(5, 5).sort(), [0, 1, 2, 3, 4])
  assert.throws(() => draws.distinctBelow(5, 6), RangeError)
})
