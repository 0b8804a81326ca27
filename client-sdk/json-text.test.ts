// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inexactNumber, keptTextsOf, parseKeeping } from './json-text.ts'

test('what a double can hold is no inexact number, whatever its writing', () => {
  for (const text of [
    '1.50',
    '[1e2,-0,0.1]',
    '"1e400 9007199254740993"',
    '{"9007199254740993":1}',
  ]) {
    assert.equal(inexactNumber(text), undefined, text)
  }
  assert.equal(inexactNumber('{"a":["\\"",9007199254740993]}'), '9007199254740993')
  assert.equal(inexactNumber('[1e400]'), '1e400')
  assert.equal(
    inexactNumber('0.1000000000000000055511151231257827'),
    '0.1000000000000000055511151231257827',
  )
})

test('the texts of a row are kept where its numbers might be rounded, and always when asked for', () => {
  const text = '{"rows":[ {"j" : {"a":[1,{"b":"}\\""}], "n":9007199254740993} ,"t":"x"} ]}'
  const rowOf = (json: unknown) => (json as { rows: object[] }).rows[0] as object
  const row = rowOf(parseKeeping(text))
  assert.equal(keptTextsOf(row)?.texts.get('j'), '{"a":[1,{"b":"}\\""}], "n":9007199254740993}')
  assert.equal(keptTextsOf(row)?.texts.get('t'), '"x"')
  const short = '{"rows":[{"j":1.0}],"readTimestamp":1795265382461775}'
  assert.equal(keptTextsOf(rowOf(parseKeeping(short))), undefined)
  assert.equal(keptTextsOf(rowOf(parseKeeping(short, 'text')))?.texts.get('j'), '1.0')
})

test('a text as long as an answer can be is walked through once', () => {
  const long = JSON.stringify({ rows: [{ j: '\\"'.repeat(1_000_000), k: [[[[[[[[{}]]]]]]]] }] })
  const row = (parseKeeping(long, 'text') as { rows: object[] }).rows[0] as object
  assert.equal(keptTextsOf(row)?.texts.get('k'), '[[[[[[[[{}]]]]]]]]')
})
