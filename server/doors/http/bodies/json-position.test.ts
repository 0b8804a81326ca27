// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { offsetOfJsonError, positionAt } from './json-position.ts'

const FAULTS: ReadonlyArray<readonly [string, number]> = [
  ['', 0],
  ['{', 1],
  ['{"a":1,}', 7],
  ['[1,]', 3],
  ['[1 2]', 3],
  ['[}', 1],
  ['{]', 1],
  ['{"a" 1}', 5],
  ['{"a":[1,{"b":}]}', 13],
  ['{"a":1}}', 7],
  ['01', 1],
  ['"abc', 0],
  ['{"a":"\\u12"}', 5],
]

for (const [text, offset] of FAULTS) {
  test(`the fault of ${JSON.stringify(text)} is at ${offset}`, () => {
    assert.equal(offsetOfJsonError(text), offset)
  })
}

test('a JSON text has no fault, whatever it holds', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.equal(offsetOfJsonError(text), text.length)
    }),
  )
})

test('a text is at fault exactly when JSON.parse refuses it', () => {
  fc.assert(
    fc.property(
      fc.json(),
      fc.nat(),
      fc.constantFrom('}', ']', ',', ':', '#'),
      (text, at, wrong) => {
        const position = at % (text.length + 1)
        const broken = text.slice(0, position) + wrong + text.slice(position)
        try {
          JSON.parse(broken)
        } catch {
          assert.ok(offsetOfJsonError(broken) <= broken.length)
          assert.throws(() => JSON.parse(broken))
          // Whatever stands before the fault can be the beginning of a JSON text.
          assert.ok(offsetOfJsonError(broken.slice(0, offsetOfJsonError(broken))) >= 0)
          return
        }
        assert.equal(offsetOfJsonError(broken), broken.length)
      },
    ),
  )
})

test('lines and columns count from 1', () => {
  assert.deepEqual(positionAt('a\nbc\n', 3), { line: 2, column: 2 })
  assert.deepEqual(positionAt('', 0), { line: 1, column: 1 })
})
