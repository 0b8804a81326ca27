// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { hashOfText } from '../../../cells/row-hash.ts'
import { RecentWrites } from './recent-writes.ts'

test('no write is overlooked, whatever was written before and after it', () => {
  const writes = fc.array(
    fc.record({ row: fc.string({ unit: 'binary' }), commitTs: fc.integer({ min: 1, max: 9 }) }),
  )
  fc.assert(
    fc.property(writes, (list) => {
      const recent = new RecentWrites()
      for (const { row, commitTs } of list) recent.committed(hashOfText(row), commitTs)
      for (const { row, commitTs } of list) assert.ok(recent.mayBeSince(hashOfText(row), commitTs))
    }),
  )
})

test('what was written before the snapshot is not in the way', () => {
  const recent = new RecentWrites()
  recent.committed(hashOfText('bob'), 8)
  assert.equal(recent.mayBeSince(hashOfText('bob'), 8), true)
  assert.equal(recent.mayBeSince(hashOfText('bob'), 9), false)
  const elsewhere = hashOfText('bob') + 1
  assert.equal(recent.mayBeSince(elsewhere, 1), false)
})

test('rows that lie beside each other hardly ever share a slot', () => {
  const recent = new RecentWrites()
  const hashAt = (at: number) =>
    hashOfText(`\u0001\u0000table${String.fromCharCode(at >> 8, at & 0xff)}`)
  for (let at = 0; at < 1_000; at += 1) recent.committed(hashAt(at), 8)
  let suspects = 0
  for (let at = 1_000; at < 11_000; at += 1) if (recent.mayBeSince(hashAt(at), 1)) suspects += 1
  assert.ok(suspects < 600, `${suspects} of 10,000`)
})
