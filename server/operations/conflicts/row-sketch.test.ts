// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { ManualClock } from '../../../test/manual-clock.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import { HotRows } from './hot-rows.ts'
import { type RowCount, RowSketch } from './row-sketch.ts'

const rowOf = (number: number) => Uint8Array.of(1, number >> 8, number & 255)
const numberOf = ({ row }: RowCount) => ((row[1] ?? 0) << 8) + (row[2] ?? 0)

/** Few rows have most of the conflicts, as it is where there are many. */
const skewed = fc.integer({ min: 0, max: 999 }).map((n) => Math.floor(n ** 3 / 1_000_000))

function countsOf(stream: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>()
  for (const number of stream) counts.set(number, (counts.get(number) ?? 0) + 1)
  return counts
}

/** The bounds of the paper, against exact counts. */
function assertBounds(rows: readonly RowCount[], stream: readonly number[], counters: number) {
  const exact = countsOf(stream)
  const mostOver = stream.length / counters
  for (const count of rows) {
    const really = exact.get(numberOf(count)) ?? 0
    assert.ok(count.conflicts >= really && really >= count.conflicts - count.overcount)
    assert.ok(count.overcount <= mostOver, `${count.overcount} of ${stream.length}`)
  }
  const named = new Set(rows.map(numberOf))
  for (const [number, count] of exact) {
    if (count > mostOver) assert.ok(named.has(number), `${number} is missing, it has ${count}`)
  }
}

describe('counters of rows', () => {
  it('never miss a row with more than its share, and count no more too much than they say', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 20 }),
        fc.array(skewed, { maxLength: 2_000, size: 'max' }),
        (counters, stream) => {
          const sketch = new RowSketch(counters)
          for (const [at, number] of stream.entries()) sketch.add(rowOf(number), at)
          const rows = [...sketch.entries()].map(([, count]) => count)
          assert.ok(rows.length <= counters)
          assertBounds(rows, stream, counters)
        },
      ),
      { numRuns: 60 },
    )
  })

  it('of two half hours keep the same promise together', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 20 }),
        fc.array(skewed, { maxLength: 1_000, size: 'max' }),
        fc.array(skewed, { maxLength: 1_000, size: 'max' }),
        async (counters, first, second) => {
          const clock = new ManualClock()
          const hot = new HotRows(clock, counters)
          for (const number of first) hot.add(rowOf(number), 1)
          await clock.advance(40 * 60_000)
          for (const number of second) hot.add(rowOf(number), 2)
          assertBounds(hot.list(), [...first, ...second], counters)
        },
      ),
      { numRuns: 30 },
    )
  })
})

describe('hot rows', () => {
  it('are forgotten after an hour, and half of them after each half hour', async () => {
    const clock = new ManualClock()
    const hot = new HotRows(clock)
    const counts = () => hot.list().map(({ conflicts }) => conflicts)
    hot.add(rowOf(7), 1)
    await clock.advance(31 * 60_000)
    hot.add(rowOf(7), 2)
    assert.deepEqual(counts(), [2])
    await clock.advance(31 * 60_000)
    assert.deepEqual(counts(), [1])
    assert.equal(hot.ageMs, 31 * 60_000)
    await clock.advance(31 * 60_000)
    assert.deepEqual(counts(), [])
    hot.add(rowOf(7), 3)
    await clock.advance(70 * 60_000)
    assert.deepEqual(counts(), [])
    assert.equal(hot.ageMs, 0)
  })

  it('come in the order of their conflicts, and of as many the last one first', () => {
    const hot = new HotRows(new ManualClock())
    for (const [at, number] of [3, 5, 4, 5, 6].entries()) hot.add(rowOf(number), at)
    assert.deepEqual(hot.list().map(numberOf), [5, 6, 4, 3])
  })

  it('have hotRowsMax counters in each half hour', () => {
    const hot = new HotRows(new ManualClock())
    for (let number = 0; number < 2 * SERVER_LIMITS.hotRowsMax; number += 1)
      hot.add(rowOf(number), 1)
    assert.equal(hot.list().length, SERVER_LIMITS.hotRowsMax)
  })

  it('keep bytes of their own', () => {
    const hot = new HotRows(new ManualClock())
    const row = rowOf(7)
    hot.add(row, 1)
    row.fill(0)
    assert.deepEqual(hot.list().map(numberOf), [7])
  })
})
