// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { arbitraryJsonText } from '../../test/arbitrary-json.ts'
import { copiedJson, isPlainText } from './copied-json.ts'
import { JsonSource } from './json-source.ts'

function copied(text: string, nestingMax = 256): string | undefined {
  const parsed: object = JSON.parse(text)
  return copiedJson(text, { from: 0, nestingMax, parsed, isPlain: isPlainText(text) })
}

test('whatever has no mistake is copied without its blanks, and its names are never collected', () => {
  fc.assert(
    fc.property(arbitraryJsonText, arbitraryJsonText, (one, other) => {
      const text = ` [ ${one.text}, {"a" :${other.text} } ]`
      const compact = `[${one.compact},{"a":${other.compact}}]`
      assert.equal(copied(text), compact)
      assert.equal(copied(compact), compact)
      assert.equal(JsonSource.of(text).exact(), compact)
    }),
    { numRuns: 300 },
  )
})

test('escapes are written as JSON.stringify writes them', () => {
  const texts: ReadonlyArray<readonly [string, string]> = [
    ['["\\u00e9\\/\\n", "\\\\/", "\\"\\u001F"]', '["é/\\n","\\\\/","\\"\\u001f"]'],
    ['{"\\u0061" : "\\ud83d\\ude00" , "b":"\\\\u0061"}', '{"a":"😀","b":"\\\\u0061"}'],
    ['["\\/","\\/" ]', '["/","/"]'],
    ['["\\\\ud800"]', '["\\\\ud800"]'],
  ]
  for (const [text, written] of texts) assert.equal(copied(text), written)
})

test('where there may be a mistake nothing is copied, and the other way names it', () => {
  const mistakes: ReadonlyArray<readonly [string, string]> = [
    ['{"n":1,"n":2}', 'type_mismatch'],
    ['[{"a":1},{"n":[],"\\u006e":{}}]', 'type_mismatch'],
    ['{"__proto__":1,"__proto__":2}', 'type_mismatch'],
    ['{"a":1e1234567890123456}', 'out_of_range'],
    ['{"a":"\\ud800"}', 'type_mismatch'],
    ['["\ud800"]', 'type_mismatch'],
    ['['.repeat(257) + ']'.repeat(257), 'limit_exceeded'],
  ]
  for (const [text, code] of mistakes) {
    assert.equal(copied(text), undefined, text)
    assert.throws(() => JsonSource.of(text).exact(JSON.parse(text)), { code })
  }
})

test('of a text of many values each is looked at alone', () => {
  let asked = 0
  const text = `[${'{"a":[1, 2]},'.repeat(1_000)}0]`
  const source = JsonSource.of(text)
  const { isWellFormed } = String.prototype
  String.prototype.isWellFormed = function (this: string) {
    asked += this.length
    return isWellFormed.call(this)
  }
  try {
    for (const [step, value] of (JSON.parse(text) as object[]).slice(0, -1).entries()) {
      assert.equal(source.member(step).exact(value), '{"a":[1,2]}')
    }
  } finally {
    String.prototype.isWellFormed = isWellFormed
  }
  assert.ok(asked <= text.length, `${asked}`)
})
