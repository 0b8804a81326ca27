// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { StandardSQL } from '@codemirror/lang-sql'
import { endOfToken, offsetOf, parameterNames, placeOf, statementAt } from './statement-range.ts'

const TEXT = "GET * FROM a;\n\n-- b; c\nSCAN 'x;y' FROM b\n  WHERE c = 1;\n;\n"

function at(cursor: number): string | undefined {
  return statementAt(StandardSQL.language.parser.parse(TEXT), TEXT, cursor)?.text
}

describe('the statement at the cursor', () => {
  it('is the one that it is in or behind', () => {
    const second = TEXT.indexOf('SCAN')
    assert.equal(at(0), 'GET * FROM a;')
    assert.equal(at(second - 1), 'GET * FROM a;')
    assert.match(at(second) ?? '', /^SCAN 'x;y' FROM b\n {2}WHERE c = 1;$/)
    assert.match(at(TEXT.length) ?? '', /^SCAN/)
  })

  it('is the first one before any, and none in a text without one', () => {
    const text = '  \n-- nothing\nGET * FROM a'
    const tree = StandardSQL.language.parser.parse(text)
    assert.equal(statementAt(tree, text, 0)?.text, 'GET * FROM a')
    assert.equal(statementAt(StandardSQL.language.parser.parse(' ;'), ' ;', 0), undefined)
    assert.equal(statementAt(undefined, '\n', 0), undefined)
    assert.deepEqual(statementAt(undefined, 'a; b', 2), {
      text: 'a; b',
      from: 0,
      to: 4,
      isOne: false,
    })
  })
})

describe('a place in a text', () => {
  it('is found by line and column, and told again', () => {
    const offset = TEXT.indexOf('WHERE')
    assert.deepEqual(placeOf(TEXT, offset), { line: 5, column: 3 })
    assert.equal(offsetOf(TEXT, 5, 3), offset)
    assert.equal(offsetOf('ab', 7, 40), 2)
    assert.deepEqual(placeOf('', 0), { line: 1, column: 1 })
  })

  it('ends with its word, its text or its sign', () => {
    assert.equal(endOfToken('SCAN * x', 0, undefined), 4)
    assert.equal(endOfToken('SCAN * x', 5, undefined), 6)
    assert.equal(endOfToken("a 'b c' d", 2, undefined), 7)
    assert.equal(endOfToken('a >= 1', 2, '>='), 4)
    assert.equal(endOfToken('a', 1, undefined), 2)
  })
})

describe('the names of parameters', () => {
  it('are those of a text, each once, and of a part of it', async () => {
    const { SQLDialect } = await import('@codemirror/lang-sql')
    const { language } = SQLDialect.define({ specialVar: ':$' })
    const text = "GET :a, $2, b::text, ':no' FROM t WHERE c = :a -- :no\n; SCAN :c"
    const tree = language.parser.parse(text)
    assert.deepEqual(parameterNames(tree, text, 0, text.indexOf('--')), ['a', '$2'])
    assert.deepEqual(parameterNames(tree, text, 0, text.length), ['a', '$2', 'c'])
  })
})
