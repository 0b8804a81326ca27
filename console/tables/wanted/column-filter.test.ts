// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { it } from 'node:test'
import { type Comparison, comparisonsOf, conditionOf, joined } from './column-filter.ts'

const condition = (type: string, comparison: Comparison, text: string) =>
  conditionOf({ name: 'my n', type }, comparison, text)

it('a condition has the value as a literal of its type', () => {
  const ok = (text: string) => ({ condition: `"my n" ${text}` })
  assert.deepEqual(condition('TEXT', '=', "o'hara"), ok("= 'o''hara'"))
  assert.deepEqual(condition('TEXT', 'begins with', "o'h"), ok("LIKE 'o''h%'"))
  assert.deepEqual(condition('INTEGER', '>=', ' 9007199254740993 '), ok('>= 9007199254740993'))
  assert.deepEqual(condition('DECIMAL', '<', '12.50'), ok('< 12.50'))
  assert.deepEqual(condition('REAL', '<', '1e3'), ok('< 1000'))
  assert.deepEqual(condition('BOOLEAN', '=', 'true'), ok('= TRUE'))
  assert.deepEqual(condition('BYTES', '=', '0aff'), ok("= x'0aff'"))
  assert.deepEqual(condition('TIMESTAMP', '>', '2026-01-31'), ok("> '2026-01-31'"))
  assert.deepEqual(condition('JSON', 'is NULL', ''), ok('IS NULL'))
})

it('a value of another type is said, and is no condition', () => {
  for (const text of ['1; DELETE FROM x', '', '1 OR 1 = 1', "'"]) {
    assert.ok('problem' in condition('INTEGER', '=', text), text)
    assert.ok('problem' in condition('DECIMAL', '=', text), text)
  }
  for (const text of ['', '50%', 'a_'])
    assert.ok('problem' in condition('TEXT', 'begins with', text), text)
  assert.deepEqual(comparisonsOf({ name: 'a', type: 'JSON' }), ['is NULL'])
  assert.ok(!comparisonsOf({ name: 'a', type: 'DATE' }).includes('begins with'))
})

it('it comes to what is there already', () => {
  assert.equal(joined(undefined, 'a = 1'), 'a = 1')
  assert.equal(joined('b = 2', 'a = 1'), 'b = 2 AND a = 1')
  assert.equal(joined('b = 2 or c = 3', 'a = 1'), '(b = 2 or c = 3) AND a = 1')
})
