// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { andThen, batchesOf, waitedFor } from './maybe-promise.ts'

test('what is at hand is gone on with at once, and what is not when it is there', async () => {
  assert.equal(
    andThen(2, (value) => value + 1),
    3,
  )
  const later = andThen(Promise.resolve(2), (value) => value + 1)
  assert.ok(later instanceof Promise)
  assert.equal(await later, 3)
})

test('a mistake on the way is thrown where the answer was at hand, and rejects where it was not', async () => {
  const fail = (): never => {
    throw new RangeError('not this one')
  }
  assert.throws(() => andThen(2, fail), RangeError)
  await assert.rejects(async () => andThen(Promise.resolve(2), fail), RangeError)
})

test('batches that are at hand are read in one turn, and others are waited for where they stand', async () => {
  function* doubled(source: Parameters<typeof batchesOf<number>>[0]) {
    for (const next of batchesOf(source)) yield (yield* waitedFor(next)).map((n) => 2 * n)
  }
  assert.deepEqual([...doubled([[1, 2], [3]])], [[2, 4], [6]])
  async function* late() {
    yield [1, 2]
    yield [3]
    throw new Error('no more')
  }
  const read: number[] = []
  const reading = (async () => {
    for await (const batch of doubled(late())) read.push(...batch)
  })()
  await assert.rejects(reading, /no more/)
  assert.deepEqual(read, [2, 4, 6])
})
