// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createParser } from './parser.ts'
import { StatementCache } from './statement-cache.ts'

const LIMITS = { entriesMax: 3, bytesMax: 100, entryBytesMax: 60 }

test('the text not used for longest leaves first when there are too many', () => {
  const cache = new StatementCache(LIMITS)
  for (const text of ['a', 'b', 'c']) cache.add(text, [], 1)
  cache.get('a')
  cache.add('d', [], 1)
  const kept = ['a', 'b', 'c', 'd'].filter((text) => cache.get(text) !== undefined)
  assert.deepEqual(kept, ['a', 'c', 'd'])
  assert.equal(cache.bytes, 3)
})

test('the text that was asked for last is told apart from others, and leaves as they do', () => {
  const cache = new StatementCache({ ...LIMITS, entriesMax: 1 })
  const [of, other] = [createParser().parseScript('SHOW TABLES'), []]
  cache.add('a', of, 1)
  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('a')], [of, undefined, of])
  cache.add('b', other, 1)
  assert.deepEqual([cache.get('a'), cache.get('b')], [undefined, other])
})

test('texts leave until the bytes fit, and one too large is never kept', () => {
  const cache = new StatementCache(LIMITS)
  cache.add('a', [], 50)
  cache.add('b', [], 50)
  cache.add('c', [], 60)
  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [undefined, undefined, []])
  cache.add('d', [], 61)
  assert.equal(cache.get('d'), undefined)
  assert.deepEqual([cache.size, cache.bytes], [1, 60])
})

test('a text that was refused is not kept', () => {
  const parser = createParser({ skipValidations: false })
  assert.throws(() => parser.parseScript('GET'))
  assert.throws(() => parser.parseScript('GET'), { code: 'syntax_error' })
})
