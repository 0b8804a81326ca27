// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { buildScript } from '../builders/ast-builder.ts'
import { Grammar } from '../grammar/grammar.ts'
import { createLexer } from '../grammar/tokens.ts'
import { ParseError } from '../parse-error.ts'
import { createParser } from '../parser.ts'
import { ExpectedTokens } from '../syntax-error/expected-tokens.ts'
import { describeMistake, type Mistake } from '../syntax-error/syntax-error.ts'
import { statementAt } from '../text-limits.ts'
import { scriptParts } from './script-parts.ts'

const CACHE_NOTHING = { entriesMax: 1, bytesMax: 0, entryBytesMax: 0 }
const parser = createParser({ skipValidations: false, cacheLimits: CACHE_NOTHING })
const lexer = createLexer({ skipValidations: false })
const grammar = new Grammar({ skipValidations: false })
const expected = new ExpectedTokens(grammar.scriptRule())

const rowsOf = (count: number, row = "(1, 'a')") => new Array<string>(count).fill(row).join(', ')
const partsOf = (text: string) => [...scriptParts(lexer.tokenize(text).tokens)]

function mistakeIn(text: string): Mistake | undefined {
  const { tokens } = lexer.tokenize(text)
  grammar.parse(tokens)
  const wrong = grammar.errors[0]?.token
  if (wrong === undefined) return undefined
  const at = tokens.indexOf(wrong)
  return { text, tokens, at: at < 0 ? tokens.length : at }
}

/** The whole text at once. */
function parsedWhole(text: string) {
  const { tokens } = lexer.tokenize(text)
  const script = grammar.parse(tokens)
  const wrong = grammar.errors[0]?.token
  try {
    if (wrong === undefined) return buildScript(script, text)
    const at = tokens.indexOf(wrong)
    const mistake = { text, tokens, at: at < 0 ? tokens.length : at }
    throw describeMistake(mistake, expected, mistakeIn)
  } catch (error) {
    assert.ok(error instanceof ParseError)
    return error.inStatement(statementAt(tokens, error.offset))
  }
}

function parsedInParts(text: string) {
  try {
    return parser.parseScript(text)
  } catch (error) {
    assert.ok(error instanceof ParseError)
    return error
  }
}

const arbitraryInsert = fc
  .record({
    rows: fc.integer({ min: 1, max: 400 }),
    row: fc.constantFrom("(1, 'a')", '((1 + 2) * 3, :b)', '(f(1, (2)), NULL)'),
    end: fc.constantFrom('', ' ON CONFLICT DO NOTHING', ' RETURNING a, b', ' RETURNING *'),
  })
  .map(({ rows, row, end }) => `INSERT INTO t (a, b) VALUES ${rowsOf(rows, row)}${end}`)

const shortStatement = fc.constantFrom(
  ...['', 'BEGIN', 'COMMIT', 'GET a, b FROM t WHERE id = 1', 'SCAN * FROM t LIMIT 3'],
)

const arbitraryStatement = fc.oneof(
  arbitraryInsert,
  fc.array(shortStatement, { maxLength: 60 }).map((statements) => statements.join(';')),
  fc
    .integer({ min: 1, max: 300 })
    .map((count) => `GET a FROM t WHERE id IN (${rowsOf(count, '1')})`),
)

const arbitraryText = fc
  .array(arbitraryStatement, { minLength: 1, maxLength: 4 })
  .map((statements) => statements.join('; '))

test('a text is the same statements in parts and whole', () => {
  fc.assert(
    fc.property(arbitraryText, (text) => {
      assert.deepEqual(parsedInParts(text), parsedWhole(text))
    }),
  )
})

test('one mistake is described the same in parts and whole, wherever it is', () => {
  const words = fc.constantFrom('', '(', ')', ',', ';', '1', 'a', 'VALUES', 'INSERT', 'FROM', '= 2')
  fc.assert(
    fc.property(arbitraryText, fc.nat(), words, (text, place, word) => {
      const { tokens } = lexer.tokenize(text)
      const token = tokens[place % Math.max(1, tokens.length)]
      if (token === undefined) return
      const end = (token.endOffset as number) + 1
      const changed = `${text.slice(0, token.startOffset)} ${word} ${text.slice(end)}`
      const [inParts, whole] = [parsedInParts(changed), parsedWhole(changed)]
      // A row that a grammar takes may have too few values, and that is told before what comes behind it.
      if (inParts instanceof ParseError && /for 2 columns|cannot name/.test(inParts.message)) {
        assert.ok(whole instanceof ParseError && inParts.offset <= whole.offset)
      } else assert.deepEqual(inParts, whole)
    }),
    { numRuns: 300 },
  )
})

test('a text of many tokens is many parts, each of which is short', () => {
  const long = `INSERT INTO t (a, b) VALUES ${rowsOf(2_000)} RETURNING a`
  for (const text of [long, `BEGIN; ${long}; COMMIT`, new Array(900).fill('BEGIN').join(';')]) {
    for (const part of partsOf(text)) {
      const ranges =
        part.kind === 'statements' ? [part.range] : [part.head, ...part.rows, part.tail]
      for (const { from, to } of ranges) assert.ok(to - from < 300, `${to - from} tokens`)
    }
  }
  assert.deepEqual(partsOf('BEGIN; COMMIT'), [{ kind: 'statements', range: { from: 0, to: 3 } }])
})

test('between two parts of a text another one can be parsed', () => {
  const text = `INSERT INTO t (a, b) VALUES ${rowsOf(500)}; GET * FROM t WHERE id = 1`
  const parts = parser.parseInParts(text)
  let count = 0
  let part = parts.next()
  for (; !part.done; part = parts.next()) {
    count += 1
    assert.throws(() => parser.parseScript('GET'), ParseError)
    assert.equal(parser.parseScript('BEGIN').length, 1)
  }
  assert.ok(count > 10, `${count} parts`)
  assert.deepEqual(part.value, parsedWhole(text))
})
