// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { arbitraryValue } from '../../test/storage/arbitrary-values.ts'
import { editDistance, nearestNames } from '../tables/nearest-names.ts'
import { canonicalJson } from './json/canonical-json.ts'
import { compareText, compareValues, requireValue } from './sql-value.ts'

test('texts compare as their UTF-8 bytes', () => {
  const text = arbitraryValue('TEXT') as fc.Arbitrary<string>
  fc.assert(
    fc.property(text, text, text, (shared, a, b) => {
      const [left, right] = [shared + a, shared + b]
      const expected = Buffer.compare(Buffer.from(left), Buffer.from(right))
      assert.equal(Math.sign(compareText(left, right)), expected)
    }),
    { numRuns: 1_000 },
  )
})

test('NULL comes before every value and equals itself', () => {
  assert.equal(compareValues('INTEGER', null, null), 0)
  assert.ok(compareValues('INTEGER', null, -(2n ** 63n)) < 0)
  assert.ok(compareValues('TEXT', '', null) > 0)
})

test('minus zero equals zero, bytes are unsigned, false comes before true', () => {
  assert.equal(compareValues('REAL', -0, 0), 0)
  assert.ok(compareValues('BYTES', Uint8Array.of(0x7f), Uint8Array.of(0x80)) < 0)
  assert.ok(compareValues('BYTES', Uint8Array.of(1), Uint8Array.of(1, 0)) < 0)
  assert.ok(compareValues('BOOLEAN', false, true) < 0)
})

test('JSON documents are equal whatever the order of members, the spaces and the form of numbers', () => {
  const equal = [
    ['{"b": [1.0, "x"], "a": null}', '{"a":null,"b":[1,"x"]}'],
    ['1e2', '100'],
    ['-0', '0'],
    ['"\\u0061"', '"a"'],
    ['{"__proto__":1,"10":2,"9":3}', '{"9":3,"10":2,"__proto__":1}'],
    ['[]', '[ ]'],
  ] as const
  for (const [a, b] of equal) assert.equal(compareValues('JSON', a, b), 0, `${a} and ${b}`)
  const different = [
    ['1', '"1"'],
    ['[1,2]', '[2,1]'],
    ['{"a":1}', '{"a":1,"b":null}'],
    ['{}', '[]'],
    ['["a,b"]', '["a","b"]'],
  ] as const
  for (const [a, b] of different) assert.notEqual(compareValues('JSON', a, b), 0, `${a} and ${b}`)
})

test('the canonical text is the same document and its own canonical text', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat({ max: 3 }), (document, indent) => {
      const canonical = canonicalJson(JSON.stringify(document, null, indent))
      assert.deepEqual(JSON.parse(canonical), JSON.parse(JSON.stringify(document)))
      assert.equal(canonicalJson(canonical), canonical)
    }),
  )
})

test('a deeply nested document does not exhaust the call stack', () => {
  const depth = 100_000
  const text = '['.repeat(depth) + ']'.repeat(depth)
  assert.equal(canonicalJson(text), text)
})

test('64 bits are the range of whole numbers', () => {
  requireValue('INTEGER', 2n ** 63n - 1n)
  requireValue('TIMESTAMP', -(2n ** 63n))
  assert.throws(() => requireValue('INTEGER', 2n ** 63n, 'n'), {
    code: 'out_of_range',
    message: /Column "n"/,
  })
  assert.throws(() => requireValue('TIMESTAMP', -(2n ** 63n) - 1n), { code: 'out_of_range' })
})

test('names near a misspelt one are found, nearest first', () => {
  const names = ['account', 'accounts', 'amount', 'trade', 'Customer']
  assert.deepEqual(nearestNames('acount', names), ['account', 'amount', 'accounts'])
  assert.deepEqual(nearestNames('customer', names), ['Customer'])
  assert.deepEqual(nearestNames('tarde', names), ['trade'])
  assert.deepEqual(nearestNames('zzz', names), [])
  assert.deepEqual(nearestNames('b', ['n', 'B', 'bo']), ['B', 'bo'])
})

test('an edit is one insertion, deletion, replacement or swap of neighbours', () => {
  const distances: Array<[string, string, number]> = [
    ['', '', 0],
    ['', 'abc', 3],
    ['abc', 'abc', 0],
    ['abc', 'axc', 1],
    ['abc', 'acb', 1],
    ['kitten', 'sitting', 3],
  ]
  for (const [a, b, distance] of distances) {
    assert.equal(editDistance(a, b), distance, `${a} to ${b}`)
    assert.equal(editDistance(b, a), distance, `${b} to ${a}`)
  }
})
