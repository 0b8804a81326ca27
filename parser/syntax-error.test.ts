// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createParser, ParseError } from './parser.ts'

const parser = createParser({ skipValidations: false })

function errorOf(text: string): ParseError {
  try {
    parser.parseScript(text)
  } catch (error) {
    assert.ok(error instanceof ParseError, `${error}`)
    assert.equal(error.code, 'syntax_error')
    return error
  }
  assert.fail(`no error: ${text}`)
}

const END = "';' or the end of the text"

// Each line: the text, where the error is, and its message. The offending place is marked by ^.
for (const [marked, message] of [
  ['^FOO', "expected a statement, found 'FOO'"],
  ['BEGIN READ^', 'expected ONLY, found the end of the text'],
  ['BEGIN AS OF ^-1', "expected a timestamp, found '-'"],
  ['COMMIT ^COMMIT', `expected ${END}, found 'COMMIT'`],
  ['GET ^FROM t WHERE a = 1', "expected '*' or an expression, found 'FROM'"],
  ['GET * FROM ^', 'expected a table name, found the end of the text'],
  ['GET * FROM\n  t ^GROUP', "expected AS OF or WHERE, found 'GROUP'"],
  ['SCAN a ^b FROM t', "expected AS, ',', FROM or an operator, found 'b'"],
  [
    'SCAN * FROM t ^WEHRE a = 1',
    `expected AS OF, USE PRIMARY KEY, WHERE, ORDER BY, LIMIT, ${END}, found 'WEHRE'`,
  ],
  ['SCAN * FROM t USE ^INDEX i', "expected PRIMARY, found 'INDEX'"],
  ['SCAN * FROM t WHERE a NOT ^NULL', "expected IN, BETWEEN or LIKE, found 'NULL'"],
  ['SCAN * FROM t WHERE a IS ^5', "expected NOT or NULL, found '5'"],
  ['SCAN * FROM t WHERE a IN ^5', "expected a parameter or '(', found '5'"],
  ['SCAN * FROM t WHERE a IN (^)', "expected an expression, found ')'"],
  ['SCAN * FROM t WHERE a BETWEEN 1^', 'expected AND or an operator, found the end of the text'],
  ['SCAN * FROM t WHERE (a ^', "expected ')' or an operator, found the end of the text"],
  ['SCAN * FROM t LIMIT ^-1', "expected a number of rows, found '-'"],
  ['SCAN f(a ^b) FROM t', "expected ',', ')' or an operator, found 'b'"],
  ['SET a ^1 ON t WHERE id = 1', "expected '=', found '1'"],
  ['SET a = 1 ^WHERE id = 1', "expected ',', ON or an operator, found 'WHERE'"],
  ['INSERT INTO t (a, b) VALUES ^(1)', '1 value for 2 columns'],
  ['INSERT INTO t (a) VALUES (1), ^(1, 2)', '2 values for 1 column'],
  ['INSERT INTO t (a) VALUES (^b)', 'VALUES cannot name a column: there is no row yet'],
  ['CREATE ^INDEX i ON t (a)', "expected TABLE, found 'INDEX'"],
  ['CREATE TABLE t (a ^INT)', 'there is no type INT'],
  ['CREATE TABLE ^t (a TEXT)', 'the table t has no primary key'],
  ['CREATE TABLE t (a TEXT PRIMARY KEY, b TEXT ^PRIMARY KEY)', 'a second primary key'],
  ['CREATE TABLE t (a TEXT PRIMARY KEY, ^PRIMARY KEY (a))', 'a second primary key'],
  ['CREATE TABLE t (a TEXT DEFAULT 1 ^DEFAULT 2, PRIMARY KEY (a))', 'a second DEFAULT'],
  [
    'CREATE TABLE t (a TEXT DEFAULT ^f(), PRIMARY KEY (a))',
    'only now() and uuid() can be called in DEFAULT',
  ],
  ['CREATE TABLE t (a TEXT DEFAULT ^(1))', "expected a literal, now() or uuid(), found '('"],
  ['DROP TABLE ^', 'expected IF EXISTS or a table name, found the end of the text'],
  ['EXPLAIN ^COMMIT', "expected ANALYZE, GET, SCAN, SET, INSERT or DELETE, found 'COMMIT'"],
  ["SCAN * FROM t WHERE a = ^'it", 'the string that begins here has no closing quote'],
  ["SCAN * FROM t WHERE a = ^'it''", 'the string that begins here has no closing quote'],
  ['SCAN ^"a FROM t', 'the quoted name that begins here has no closing quote'],
  ['SCAN ^"" FROM t', 'a name cannot be empty'],
  ['SCAN a\nFROM t ^/* no end', 'the comment that begins here has no end */'],
  ["SCAN ^x'0af' FROM t", "bytes are pairs of hexadecimal digits between quotes: x'0aff'"],
  ["SCAN ^x'0g' FROM t", "bytes are pairs of hexadecimal digits between quotes: x'0aff'"],
  ['SCAN ^12ab FROM t', 'this is not a number'],
  ['SCAN ^1.2.3 FROM t', 'this is not a number'],
  ['SCAN ^1. FROM t', 'this is not a number'],
  ['SCAN ^1e FROM t', 'this is not a number'],
  ['SCAN a, ^1e999 FROM t', 'the number is too large for a REAL'],
  ['SCAN * FROM t WHERE a = ^?', 'a parameter is written :name or $1'],
  ['SCAN * FROM t WHERE a = ^$0', 'a parameter is written :name or $1'],
  ["SCAN '^\ud83d' FROM t", 'the text is not well-formed Unicode: half of a surrogate pair'],
  ['SCAN ^😀 FROM t', "expected '*' or an expression, found '😀'"],
] as const) {
  test(`${JSON.stringify(marked)}: ${message}`, () => {
    const offset = marked.indexOf('^')
    const error = errorOf(marked.replace('^', ''))
    const before = marked.slice(0, offset).split(/\r\n?|\n/)
    const place = { offset, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 }
    const { line, column } = error
    assert.deepEqual({ offset: error.offset, line, column }, place)
    assert.equal(error.message, message)
  })
}

test('an error carries its token and what was expected as data', () => {
  const error = errorOf('GET * FROM t WHERE a = 1 LIMIT 1')
  assert.equal(error.token, 'LIMIT')
  assert.deepEqual(error.expected, ['FOR UPDATE', 'an operator', "';'", 'the end of the text'])
  assert.equal(errorOf('GET').token, undefined)
})

test('a long token is shown shortened', () => {
  const error = errorOf(`COMMIT '${'x'.repeat(1000)}'`)
  assert.equal(error.token, `'${'x'.repeat(59)}…`)
})

test('the first mistake of several is the one reported', () => {
  assert.equal(errorOf("FOO 'never closed").column, 1)
  assert.equal(errorOf('COMMIT; FOO; BAR').column, 9)
})

test('an error names its statement, and empty statements do not count', () => {
  assert.equal(errorOf('SCAN * FRM t').statement, 0)
  assert.equal(errorOf('COMMIT;; COMMIT; SCAN * FRM t; COMMIT').statement, 2)
  assert.equal(errorOf('COMMIT; SCAN * FROM').statement, 1)
  assert.equal(errorOf("COMMIT; SCAN 'a").statement, 1)
})
