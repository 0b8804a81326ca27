// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { ServerError } from '../../errors/server-error.ts'
import { readEntityTags } from './entity-tags.ts'

const read = (field: string) => readEntityTags('If-Match', field)

test('lists are read by RFC 9110, empty elements and weak tags among them', () => {
  assert.equal(read(' * '), 'any')
  assert.deepEqual(read('"a"'), [{ isWeak: false, text: 'a' }])
  assert.deepEqual(read(', "a,b" ,\t, W/"" ,'), [
    { isWeak: false, text: 'a,b' },
    { isWeak: true, text: '' },
  ])
  assert.deepEqual(read('"\\"'), [{ isWeak: false, text: '\\' }])
})

test('what is no list of tags is refused, and never ignored', () => {
  const wrong = ['', ' ', ',', 'abc', '"a', 'a"', '"a""b"', '"a" "b"', '*, "a"', '"a", *', 'w/"a"']
  for (const field of [...wrong, 'W/', 'W /"a"', 'W/ "a"', '"a b"', '"a"x', '"a\u0001"', "'a'"]) {
    assert.throws(
      () => read(field),
      (error) => error instanceof ServerError && error.code === 'invalid_request',
      field,
    )
  }
})

test('any list comes back, and what is shown of a long mistake is short', () => {
  const tag = fc
    .tuple(fc.boolean(), fc.stringMatching(/^[!#-~]{0,20}$/))
    .map(([isWeak, text]) => ({ isWeak, text }))
  const gap = fc.constantFrom(',', ' , ', ',,\t,')
  fc.assert(
    fc.property(fc.array(tag, { minLength: 1, maxLength: 20 }), gap, (tags, between) => {
      const field = tags.map(({ isWeak, text }) => `${isWeak ? 'W/' : ''}"${text}"`).join(between)
      assert.deepEqual(read(field), tags)
    }),
  )
  try {
    read(`${'"a",'.repeat(100_000)}"${'x'.repeat(100_000)}`)
    assert.fail('it is taken')
  } catch (error) {
    assert.ok((error as Error).message.length < 400)
  }
})
