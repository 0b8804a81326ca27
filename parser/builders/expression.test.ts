// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Expression } from '../ast.ts'
import { createParser } from '../parser.ts'

const parser = createParser({ skipValidations: false })

function parseExpression(text: string): Expression {
  const [statement] = parser.parseScript(`SCAN * FROM t WHERE ${text}`)
  assert.ok(statement?.kind === 'scan' && statement.where !== undefined)
  return statement.where
}

/** Every node in its own brackets, so that precedence can be read. */
function shape(node: Expression): string {
  switch (node.kind) {
    case 'literal':
      if (node.type === 'bytes') return `x'${Buffer.from(node.value).toString('hex')}'`
      return node.type === 'text' ? `'${node.value.replaceAll("'", "''")}'` : `${node.value}`
    case 'parameter':
      return typeof node.key === 'number' ? `$${node.key}` : `:${node.key}`
    case 'column':
      return /^[a-z]+$/.test(node.name) ? node.name : `"${node.name.replaceAll('"', '""')}"`
    case 'call':
      return `${node.function}(${node.arguments.map(shape).join(', ')})`
    case 'aggregate':
      return `${node.function.toUpperCase()}(${node.operand === undefined ? '*' : shape(node.operand)})`
    case 'case': {
      const branches = node.branches.map(({ when, result }) => ` ${shape(when)}: ${shape(result)}`)
      const operand = node.operand === undefined ? '' : ` ${shape(node.operand)}`
      const otherwise = node.otherwise === undefined ? '' : ` else ${shape(node.otherwise)}`
      return `(case${operand}${branches.join('')}${otherwise})`
    }
    case 'cast':
      return `(${shape(node.operand)}${node.types.map(({ text }) => `::${text}`).join('')})`
    case 'unary':
      return `(${node.operator} ${shape(node.operand)})`
    case 'binary':
      return `(${[shape(node.first), ...node.rest.map((part) => `${part.operator} ${shape(part.operand)}`)].join(' ')})`
    case 'row':
      return `(${node.values.map(shape).join(', ')})`
    case 'logical':
      return `(${node.operands.map(shape).join(` ${node.operator} `)})`
    case 'isNull':
      return `(${shape(node.operand)} IS${not(node)} NULL)`
    case 'like':
      return `(${shape(node.operand)}${not(node)} LIKE ${shape(node.pattern)})`
    case 'between':
      return `(${shape(node.operand)}${not(node)} BETWEEN ${shape(node.lower)} AND ${shape(node.upper)})`
    case 'in': {
      const list = 'kind' in node.list ? shape(node.list) : `(${node.list.map(shape).join(', ')})`
      return `(${shape(node.operand)}${not(node)} IN ${list})`
    }
  }
}

function not({ negated }: { negated: boolean }): string {
  return negated ? ' NOT' : ''
}

for (const [text, expected] of [
  ['a OR b AND NOT c = d', '(a OR (b AND (NOT (c = d))))'],
  ['a or b or c and d and e', '(a OR b OR (c AND d AND e))'],
  ['a - b + c || d', '((a - b + c) || d)'],
  ["a || b + c -> 'd' ->> 1 - 2", "(a || (b + c) -> 'd' ->> (1 - 2))"],
  ["a ->> 'b' = 'c' AND a @> b", "(((a ->> 'b') = 'c') AND (a @> b))"],
  ["a #> '{b,0}' #>> '{c}'", "(a #> '{b,0}' #>> '{c}')"],
  ['-a::TEXT', '(- (a::TEXT))'],
  ['a::integer::text * :b::REAL', '((a::INTEGER::TEXT) * (:b::REAL))'],
  ['CAST(a + b AS TEXT)', '((a + b)::TEXT)'],
  ["cast = interval AND INTERVAL '1 day 2 hours' > 0", '((cast = interval) AND (93600000000 > 0))'],
  ['CASE WHEN a THEN b WHEN c OR d THEN e END', '(case a: b (c OR d): e)'],
  ['case a when 1 then b else c end + 1', '((case a 1: b else c) + 1)'],
  ['CASE end WHEN then THEN else ELSE end END', '(case end then: else else end)'],
  ['a + b * c % d - e', '(a + (b * c % d) - e)'],
  ['- a * + b', '((- a) * (+ b))'],
  ['- - a', '(- (- a))'],
  ['- + a', '(- (+ a))'],
  ['not not a', '(NOT (NOT a))'],
  ['(a + b) * c', '((a + b) * c)'],
  ['a <> b', '(a <> b)'],
  ['a != b', '(a <> b)'],
  ['a + 1 <= b * 2', '((a + 1) <= (b * 2))'],
  ['a BETWEEN 1 + 1 AND 2 AND b', '((a BETWEEN (1 + 1) AND 2) AND b)'],
  ['a NOT BETWEEN 1 AND 2 OR b', '((a NOT BETWEEN 1 AND 2) OR b)'],
  ['NOT a NOT IN (1, b)', '(NOT (a NOT IN (1, b)))'],
  ['a IN :list', '(a IN :list)'],
  ['a LIKE b || c', '(a LIKE (b || c))'],
  ['a NOT LIKE $2', '(a NOT LIKE $2)'],
  ['a IS NOT NULL AND b IS NULL', '((a IS NOT NULL) AND (b IS NULL))'],
  ['COALESCE(a, greatest(), 1)', 'coalesce(a, greatest(), 1)'],
  ['now = now()', '(now = now())'],
  ["'it''s' = x'0aFF'", "('it''s' = x'0aff')"],
  ['"a""b" = """"', '("a""b" = """")'],
  ['1.5e3 + .25 = 1E2', '((1500 + 0.25) = 100)'],
  ['TRUE = false', '(true = false)'],
  ['a = null', '(a = null)'],
  ['a-- minus\n-1', '(a - 1)'],
  ['a/* * / */-1', '(a - 1)'],
] as const) {
  test(`${JSON.stringify(text)} is ${expected}`, () => {
    assert.equal(shape(parseExpression(text)), expected)
  })
}

test('an integer of any length keeps every digit', () => {
  const node = parseExpression('123456789012345678901234567890')
  assert.ok(node.kind === 'literal')
  assert.equal(node.value, 123456789012345678901234567890n)
})

test('a text literal may hold line ends, quotes and any character', () => {
  const value = "a\r\n'b' \u0000 😀 -- /* ;"
  const node = parseExpression(`'${value.replaceAll("'", "''")}'`)
  assert.ok(node.kind === 'literal')
  assert.equal(node.value, value)
})

const leaf = fc.oneof(
  fc.bigInt({ min: 0n, max: 1n << 80n }).map(String),
  fc.constantFrom('a', 'b', 'null', 'true', ':p', '$1', '"And"', '0.5', "x''", "x'00ff'"),
  fc.string({ unit: 'grapheme' }).map((value) => `'${value.replaceAll("'", "''")}'`),
)
/** Texts in the notation of `shape`, where every operation has brackets and so one meaning. */
const { expression: bracketed } = fc.letrec<{ expression: string }>((tie) => {
  const inner = tie('expression')
  const sum = fc.constantFrom('+', '-')
  const loose = fc.constantFrom('||', '->', '->>', '#>', '#>>', '@>')
  return {
    expression: fc.oneof(
      { maxDepth: 5, withCrossShrink: true },
      leaf,
      fc.array(inner, { maxLength: 3 }).map((list) => `f(${list.join(', ')})`),
      fc.tuple(fc.constantFrom('-', '+', 'NOT'), inner).map(([sign, of]) => `(${sign} ${of})`),
      ...[sum, loose].map((operator) =>
        fc
          .tuple(inner, fc.array(fc.tuple(operator, inner), { minLength: 1, maxLength: 4 }))
          .map(([first, rest]) => `(${[first, ...rest.map((part) => part.join(' '))].join(' ')})`),
      ),
      inner.map((operand) => `(${operand}::TEXT::JSON)`),
      fc
        .tuple(inner, fc.constantFrom('*', '/', '%', '=', '<>', '<', '>='), inner)
        .map((parts) => `(${parts.join(' ')})`),
      fc
        .tuple(fc.constantFrom(' AND ', ' OR '), fc.array(inner, { minLength: 2, maxLength: 4 }))
        .map(([word, list]) => `(${list.join(word)})`),
      fc
        .tuple(inner, fc.constantFrom('', ' NOT'), fc.array(inner, { minLength: 1, maxLength: 3 }))
        .map(([operand, negation, list]) => `(${operand}${negation} IN (${list.join(', ')}))`),
      fc
        .tuple(inner, fc.constantFrom('', ' NOT'), inner, inner)
        .map(
          ([operand, negation, low, high]) => `(${operand}${negation} BETWEEN ${low} AND ${high})`,
        ),
      inner.map((operand) => `(${operand} IS NOT NULL)`),
    ),
  }
})

test('printing what was parsed gives the text again', () => {
  fc.assert(
    fc.property(bracketed, (text) => {
      assert.equal(shape(parseExpression(text)), text)
    }),
    { numRuns: 500 },
  )
})
