// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { OrderedRowKeys } from './ordered-row-keys.ts'

test('keys stay in order while thousands are added and removed', () => {
  const order = fc.constantFrom('ascending', 'descending', 'shuffled')
  fc.assert(
    fc.property(order, fc.integer({ min: 1, max: 7 }), (order, keptEach) => {
      const keys = new OrderedRowKeys()
      const texts = Array.from({ length: 3_000 }, (_, at) => {
        const rank = order === 'shuffled' ? (at * 1_999) % 3_000 : at
        return String(order === 'descending' ? 2_999 - rank : rank).padStart(4, '0')
      })
      for (const text of texts) keys.insert(text)
      const removed = texts.filter((text) => Number(text) % keptEach !== 0)
      for (const text of removed) keys.remove(text)
      const kept = texts.filter((text) => Number(text) % keptEach === 0).sort()
      assert.deepEqual(ascending(keys), kept)
      assert.deepEqual(descending(keys), kept.reverse())
    }),
    { numRuns: 30 },
  )
})

function ascending(keys: OrderedRowKeys): string[] {
  const found: string[] = []
  for (let key = keys.firstFrom(''); key !== undefined; key = keys.firstFrom(`${key}\0`)) {
    found.push(key)
  }
  return found
}

function descending(keys: OrderedRowKeys): string[] {
  const found: string[] = []
  for (let key = keys.lastBefore(undefined); key !== undefined; key = keys.lastBefore(key)) {
    found.push(key)
  }
  return found
}
