// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { RowsByText } from './rows-by-text.ts'

test('rows are found as in a map, however many there are', () => {
  const texts = fc.uniqueArray(fc.string({ maxLength: 3 }), { maxLength: 20 })
  fc.assert(
    fc.property(texts, fc.string({ maxLength: 3 }), (added, other) => {
      const rows = new RowsByText<{ readonly text: string }>()
      const map = new Map<string, { readonly text: string }>()
      for (const text of added) {
        assert.equal(rows.get(text), undefined)
        const row = { text }
        rows.add(row)
        map.set(text, row)
        assert.equal(rows.all.length, map.size)
        for (const sought of [...added, other]) assert.equal(rows.get(sought), map.get(sought))
      }
      assert.deepEqual(rows.all, [...map.values()])
    }),
  )
})
