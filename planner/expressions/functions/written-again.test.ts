// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createParser } from '../../../parser/parser.ts'
import { expression } from '../../../test/fuzz/expression-sentences.ts'
import { expressionText } from '../expression-text.ts'

const parser = createParser()

function parsed(text: string) {
  const [statement] = parser.parseScript(`SCAN * FROM t WHERE ${text}`)
  assert.ok(statement?.kind === 'scan' && statement.where !== undefined)
  return statement.where
}

/** Without the places, which are others in another text. */
function plain(tree: unknown): string {
  return JSON.stringify(tree, (name, value) => {
    if (name === 'position') return undefined
    return typeof value === 'bigint' ? `${value}n` : value
  })
}

test('an expression that is written as text is parsed as the same again', () => {
  for (const text of [
    "CASE WHEN end THEN (a OR b)::TEXT::JSON ELSE -(1::REAL) END -> 'x' ->> -1 || 'y'",
    "((a::TEXT)::REAL::TEXT) || (-a)::TEXT || -a::REAL::TEXT || (a + 1)::TEXT || CAST(a->'b' AS TEXT)",
    "CASE (a = b) WHEN NOT c THEN CASE a WHEN 1 THEN then END END #>> '{a}' LIKE 'x'",
    "(a @> b) = (c IN (a::JSON, b->'x')) AND INTERVAL '1 day' = \"case\"",
  ]) {
    assert.equal(plain(parsed(expressionText(parsed(text)))), plain(parsed(text)), text)
  }
  const sentences = fc.oneof(expression('BOOLEAN', 'every', 3), expression('JSON', 'every', 3))
  fc.assert(
    fc.property(sentences, (text) => {
      let tree: ReturnType<typeof parsed>
      try {
        tree = parsed(text)
      } catch {
        // Some of them are wrong.
        return
      }
      assert.equal(plain(parsed(expressionText(tree))), plain(tree))
    }),
    { numRuns: 300 },
  )
})
