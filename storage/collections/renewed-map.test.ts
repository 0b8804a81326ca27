// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { RenewedMap, RenewedSet } from './renewed-map.ts'

test('a renewed map holds what a map holds, in the same order, over many renewals', () => {
  const key = fc.integer({ min: 0, max: 40 })
  const step = fc.record({ key, deletes: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { minLength: 5_000, maxLength: 6_000 }), (steps) => {
      const renewed = new RenewedMap<number, number>()
      const plain = new Map<number, number>()
      for (const [at, { key, deletes }] of steps.entries()) {
        if (deletes) plain.delete(key)
        else plain.set(key, at)
        if (deletes) renewed.delete(key)
        else renewed.set(key, at)
        assert.equal(renewed.size, plain.size)
        assert.equal(renewed.get(key), plain.get(key))
        assert.equal(renewed.has(key), plain.has(key))
        assert.deepEqual([...renewed.keys()], [...plain.keys()])
      }
    }),
    { numRuns: 5 },
  )
})

test('a set keeps its values through a renewal, and the last one that was deleted is gone', () => {
  const set = new RenewedSet<string>()
  set.add('stays')
  for (let at = 0; at < 3_000; at += 1) {
    set.add(`passes ${at}`)
    set.delete(`passes ${at}`)
    assert.equal(set.has(`passes ${at}`), false)
  }
  assert.deepEqual([...set], ['stays'])
  assert.equal(set.size, 1)
})
