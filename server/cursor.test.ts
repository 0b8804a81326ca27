// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { Cursors } from './cursor.ts'

const cursors = new Cursors(new Uint8Array(32).fill(7))
const owner = { sql: 'SCAN * FROM t', params: { a: 1 } }

test('a cursor is read as it was written', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.uint8Array(), (readTimestamp, after) => {
      const cursor = cursors.write({ readTimestamp, after }, owner)
      const position = cursors.read(cursor, owner)
      assert.equal(position.readTimestamp, readTimestamp)
      assert.deepEqual(new Uint8Array(position.after), after)
    }),
  )
})

const position = { readTimestamp: 5, after: Uint8Array.of(1, 2) }
const refused = { code: 'bad_cursor' }

test('a cursor is refused with any other statement or parameters', () => {
  const cursor = cursors.write(position, owner)
  assert.throws(() => cursors.read(cursor, { ...owner, sql: 'SCAN * FROM u' }), refused)
  assert.throws(() => cursors.read(cursor, { ...owner, params: { a: 2 } }), refused)
  assert.throws(() => cursors.read(cursor, { ...owner, params: undefined }), refused)
})

test('a cursor of another store is refused', () => {
  const other = new Cursors(new Uint8Array(32).fill(8))
  assert.throws(() => other.read(cursors.write(position, owner), owner), refused)
})

test('a cursor that was changed anywhere is refused', () => {
  const cursor = cursors.write(position, owner)
  fc.assert(
    fc.property(fc.nat(cursor.length - 2), fc.constantFrom('A', '9', '.', '-'), (at, character) => {
      const changed = cursor.slice(0, at) + character + cursor.slice(at + 1)
      fc.pre(changed !== cursor)
      assert.throws(() => cursors.read(changed, owner), refused)
    }),
  )
})

test('any other text is refused', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      assert.throws(() => cursors.read(text, owner), refused)
    }),
  )
})
