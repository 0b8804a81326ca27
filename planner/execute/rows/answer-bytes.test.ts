// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { AnswerBytes } from './answer-bytes.ts'

/** `{"":""},` and what stands for numbers, which are short. */
const OVERHEAD = 48

function bytesOfJson(name: string, text: string): number {
  return Buffer.byteLength(JSON.stringify(name) + JSON.stringify(text)) - '""""'.length
}

test('a text counts as the bytes that it takes in JSON', () => {
  const unit = fc.constantFrom('a', '\n', '"', '\\', '/', '\u0001', '\u007f', 'é', '日', '😀')
  const text = fc.oneof(fc.string({ unit }), fc.string({ unit: 'binary' }))
  fc.assert(
    fc.property(text, text, (name, value) => {
      const counted = new AnswerBytes([{ name, type: 'TEXT' }]).of([value])
      assert.equal(counted, OVERHEAD + bytesOfJson(name, value))
    }),
  )
})

test('JSON counts as the bytes that it has, for it is not escaped again', () => {
  const json = '{"a":"\\u0001日"}'
  const counted = new AnswerBytes([{ name: 'v', type: 'JSON' }]).of([json])
  assert.equal(counted, OVERHEAD + 'v'.length + Buffer.byteLength(json))
})
