// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mergeInto, positionIn } from './sorted-run.ts'

type Member = { readonly rank: number; readonly name: string }

const compare = (a: Member, b: Member) => a.rank - b.rank

/** A run that notes how many members are moved by those that are put before them. */
class CountingRun extends Array<Member> {
  static override get [Symbol.species]() {
    return Array
  }
  moved = 0

  override splice(start: number, ...others: unknown[]): Member[] {
    this.moved += this.length - start
    return super.splice(start, ...(others as [number]))
  }
}

test('a run stays in its order, and of equal members the last that came stays', () => {
  const member = fc.record({ rank: fc.integer({ min: 0, max: 60 }), name: fc.string() })
  const arrivals = fc.array(fc.array(member, { maxLength: 40, size: 'max' }), { maxLength: 6 })
  fc.assert(
    fc.property(arrivals, (parts) => {
      const run: Member[] = []
      const expected = new Map<number, Member>()
      for (const came of parts) {
        mergeInto<Member>(run, came, compare)
        for (const one of came) expected.set(one.rank, one)
        assert.deepEqual(run, [...expected.values()].sort(compare))
      }
      for (let rank = -1; rank < 62; rank += 1) {
        const at = run.findIndex((one) => one.rank >= rank)
        const found = positionIn(run, (one) => one.rank < rank)
        assert.equal(found, at === -1 ? run.length : at)
      }
    }),
    { numRuns: 300 },
  )
})

test('thousands that come in the order opposite to that of a run are not moved once for each', () => {
  for (const partOf of [20_000, 500]) {
    let compared = 0
    const run = new CountingRun()
    for (let at = 20_000; at > 0; at -= partOf) {
      const came = Array.from({ length: partOf }, (_, by) => ({ rank: at - by, name: '' }))
      mergeInto<Member>(run, came, (a, b) => {
        compared += 1
        return compare(a, b)
      })
    }
    assert.equal(run.length, 20_000)
    assert.ok(run.moved <= 20_000 * (20_000 / partOf), `${run.moved} moved`)
    assert.ok(compared <= 4 * 20_000 * (20_000 / partOf), `${compared} compared`)
  }
})

test('what comes behind all others moves none of them', () => {
  const run = new CountingRun()
  let compared = 0
  for (let rank = 0; rank < 20_000; rank += 1) {
    mergeInto<Member>(run, [{ rank, name: '' }], (a, b) => {
      compared += 1
      return compare(a, b)
    })
  }
  assert.deepEqual([run.length, run.moved], [20_000, 0])
  assert.ok(compared <= 2 * 20_000, `${compared} compared`)
})
