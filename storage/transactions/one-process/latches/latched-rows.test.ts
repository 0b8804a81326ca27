// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type HashedRow, LatchedRows } from './latched-rows.ts'

type Entry = HashedRow & { next: Entry | undefined }

/** Of two slots, and no two the same. */
const hashOf = (at: number) => 1 + (at % 2) + at * 0x10000

test('entries come and go as in a map, also where rows share a slot', () => {
  const [slots, texts] = [
    [1, 2],
    ['a', 'b', 'c', 'd', 'e', 'f'],
  ]
  const placed = fc.constantFrom(...texts.map((text, at) => ({ text, hash: hashOf(at) })))
  fc.assert(
    fc.property(fc.array(placed, { maxLength: 40 }), (steps) => {
      const rows = new LatchedRows<Entry>()
      const map = new Map<string, Entry>()
      for (const { text, hash } of steps) {
        const present = map.get(text)
        if (present === undefined) {
          const entry: Entry = { text, hash, next: undefined }
          rows.add(entry)
          map.set(text, entry)
        } else {
          rows.delete(present)
          map.delete(text)
        }
        assert.equal(rows.size, map.size)
        for (const [at, sought] of texts.entries()) {
          assert.equal(rows.get(sought, hashOf(at)), map.get(sought))
        }
        const taken = new Set([...map.values()].map((entry) => entry.hash & 0xffff))
        for (const one of slots) assert.equal(rows.mayHave(one), taken.has(one))
      }
    }),
  )
})
