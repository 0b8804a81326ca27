// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { type Slotted, SlottedSet } from './slotted-set.ts'

test('a slotted set holds what a set holds, whatever comes and goes', () => {
  const step = fc.record({ at: fc.integer({ min: 0, max: 9 }), deletes: fc.boolean() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const members = Array.from({ length: 10 }, (): Slotted => ({ slot: 0 }))
      const slotted = new SlottedSet<Slotted>()
      const plain = new Set<Slotted>()
      for (const { at, deletes } of steps) {
        const member = members[at] as Slotted
        if (deletes) {
          slotted.delete(member)
          plain.delete(member)
        } else if (!plain.has(member)) {
          slotted.add(member)
          plain.add(member)
        }
        assert.equal(slotted.size, plain.size)
        for (const one of members) assert.equal(slotted.has(one), plain.has(one))
        assert.deepEqual(new Set(slotted), plain)
      }
    }),
  )
})
