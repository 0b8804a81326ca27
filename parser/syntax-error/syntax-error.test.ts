// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createParser, ParseError } from '../parser.ts'

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
  ['GET * FROM\n  t ^GROUP', "expected AS, AS OF, LOOKUP or WHERE, found 'GROUP'"],
  ['SCAN a ^b FROM t', "expected AS, ',', FROM or an operator, found 'b'"],
  [
    'SCAN * FROM t ^WEHRE a = 1',
    `expected AS, AS OF, USE, LOOKUP, WHERE, GROUP BY, ORDER BY, LIMIT, INTO, ${END}, found 'WEHRE'`,
  ],
  ['SCAN * FROM t USE ^KEY i', "expected INDEX or PRIMARY KEY, found 'KEY'"],
  ['SCAN * FROM t USE INDEX ^', 'expected an index name, found the end of the text'],
  ['SCAN * FROM t GROUP ^a', "expected BY, found 'a'"],
  ['SCAN ^COUNT() FROM t', 'COUNT takes one expression, not 0'],
  ['SCAN COUNT(*^, a) FROM t', "expected ')', found ','"],
  ['SCAN ^SUM(a, b) FROM t', 'SUM takes one expression, not 2'],
  ['SCAN SUM(^*) FROM t', 'only COUNT takes *, not SUM'],
  ['SCAN f(^*) FROM t', 'only COUNT takes *, not F'],
  [
    'GET a + ^COUNT(*) FROM t WHERE id = 1',
    'COUNT belongs in the projection, HAVING or ORDER BY of a SCAN, outside of other aggregates',
  ],
  [
    'SCAN a FROM t WHERE a > 1 AND ^MAX(b) > 1',
    'MAX belongs in the projection, HAVING or ORDER BY of a SCAN, outside of other aggregates',
  ],
  [
    'SCAN AVG(1 + ^SUM(b)) FROM t',
    'SUM belongs in the projection, HAVING or ORDER BY of a SCAN, outside of other aggregates',
  ],
  [
    'DELETE FROM t WHERE a = 1 RETURNING ^COUNT(*)',
    'COUNT belongs in the projection, HAVING or ORDER BY of a SCAN, outside of other aggregates',
  ],
  ['SCAN * FROM t WHERE a NOT ^NULL', "expected IN, BETWEEN, LIKE or MATCH, found 'NULL'"],
  ['SCAN * FROM t WHERE a IS ^5', "expected NOT or NULL, found '5'"],
  ['SCAN * FROM t WHERE a IN ^5', "expected a parameter or '(', found '5'"],
  ['SCAN * FROM t WHERE a IN (^)', "expected an expression, found ')'"],
  ['SCAN * FROM t WHERE a BETWEEN 1^', 'expected AND or an operator, found the end of the text'],
  ['SCAN * FROM t WHERE (a ^', "expected ',', ')' or an operator, found the end of the text"],
  ['SCAN * FROM t LIMIT ^-1', "expected a number of rows, found '-'"],
  ['SCAN f(a ^b) FROM t', "expected ',', ')' or an operator, found 'b'"],
  ['SCAN f(a ^AS TEXT) FROM t', "expected ',', ')' or an operator, found 'AS'"],
  ['SCAN CAST((a) ^b) FROM t', "expected ',', AS, ')' or an operator, found 'b'"],
  ['SCAN CASE ^FROM t', "expected an expression or WHEN, found 'FROM'"],
  ['SCAN CASE a ^THEN 1 END FROM t', "expected WHEN or an operator, found 'THEN'"],
  ['SCAN CASE WHEN a THEN 1 ^FROM t', "expected WHEN, ELSE, END or an operator, found 'FROM'"],
  ['SCAN a:: ^FROM t', "expected a type, found 'FROM'"],
  ['SCAN a::^money FROM t', 'there is no type money'],
  ['SCAN interval ^b FROM t', "expected AS, ',', FROM or an operator, found 'b'"],
  ['SET a ^1 ON t WHERE id = 1', "expected '=', found '1'"],
  ['SET a = 1 ^WHERE id = 1', "expected ',', ON or an operator, found 'WHERE'"],
  ['INSERT INTO t (a, b) VALUES ^(1)', '1 value for 2 columns'],
  ['INSERT INTO t (a) VALUES (1), ^(1, 2)', '2 values for 1 column'],
  ['INSERT INTO t (a) VALUES (^b)', 'VALUES cannot name a column: there is no row yet'],
  [
    'SET a = 1 ON t WHERE id = 1 ^IN (2)',
    "expected IF, LIMIT, RETURNING, an operator, ';' or the end of the text, found 'IN'",
  ],
  [
    'SET a = 1 ON t WHERE id = 1 IF ^',
    'expected EXISTS, NOT EXISTS or an expression, found the end of the text',
  ],
  ['SET a = 1 ON t WHERE id = 1 IF NOT ^=', "expected EXISTS or an expression, found '='"],
  [
    'SET a = 1 ON t WHERE id = 1 IF NOT a ^b',
    "expected LIMIT, RETURNING, an operator, ';' or the end of the text, found 'b'",
  ],
  [
    'INSERT INTO t (a) VALUES (1) ON CONFLICT DO ^DELETE',
    "expected NOTHING or UPDATE SET, found 'DELETE'",
  ],
  ['CHECK a > 1 ^WHERE id = 1', "expected ON or an operator, found 'WHERE'"],
  [
    'CREATE ^VIEW v',
    "expected TABLE, UNIQUE INDEX, INDEX, WEAK OBSERVER, OBSERVER, SCHEDULE, TOKEN, ROLE, BLOCK SUBJECT or RELAY, found 'VIEW'",
  ],
  ['CREATE INDEX i ON t ^a', "expected '(', found 'a'"],
  ['CREATE INDEX i ON t (a) ^WHERE b', `expected STORING, ${END}, found 'WHERE'`],
  [
    'DROP ^VIEW v',
    "expected TABLE, INDEX, OBSERVER, SCHEDULE, TOKEN, ROLE, BLOCK SUBJECT or RELAY, found 'VIEW'",
  ],
  ['CREATE BLOCK ^TOKEN a', "expected SUBJECT, found 'TOKEN'"],
  ['CREATE BLOCK SUBJECT ^ann', "expected a text in quotes, found 'ann'"],
  ["CREATE BLOCK SUBJECT 'ann' ^UNTIL '2027-01-01'", `expected EXPIRES, ${END}, found 'UNTIL'`],
  ['ROTATE ^cursor', "expected TOKEN or SECRET, found 'cursor'"],
  ['ROTATE SECRET ^jwt', "expected CURSOR, found 'jwt'"],
  [
    'ALTER ^COLUMN a',
    "expected TABLE, OBSERVER, SCHEDULE, TOKEN, ROLE, STORE or RELAY, found 'COLUMN'",
  ],
  ['ALTER OBSERVER o ^STOP', "expected PAUSE, RESUME or REPLAY FROM, found 'STOP'"],
  ['ALTER SCHEDULE s ^STOP', "expected PAUSE or RESUME, found 'STOP'"],
  ['CREATE SCHEDULE s ^RUN o', "expected EVERY or CRON, found 'RUN'"],
  ["CREATE SCHEDULE s EVERY '1 day' ^", 'expected AT, ZONE or RUN, found the end of the text'],
  [
    "CREATE SCHEDULE s CRON '* * * * *' RUN ^",
    'expected an observer name, found the end of the text',
  ],
  ['NOTIFY ^', 'expected an observer name, found the end of the text'],
  [
    'ALTER TABLE t ^STOP',
    "expected ADD COLUMN, ADD CHECK, DROP COLUMN, DROP CONSTRAINT, ALTER COLUMN, RENAME COLUMN or RENAME TO, found 'STOP'",
  ],
  ['ALTER TABLE t ADD COLUMN a TEXT ^PRIMARY KEY', 'a primary key cannot be added'],
  ['CREATE TABLE t (family ^(a))', "expected a family name or a type, found '('"],
  [
    'CREATE TABLE t (family f ^a)',
    "expected '(', PRIMARY KEY, NOT NULL, DEFAULT, UNIQUE, CONSTRAINT, CHECK, GENERATED, ',' or ')', found 'a'",
  ],
  ['CREATE TABLE t (family TEXT NOT ^a)', "expected NULL, found 'a'"],
  [
    'SHOW ^INDEX FROM t',
    "expected TABLES, OBSERVERS, SCHEDULES, TOKENS, ROLES, BLOCKS, RELAYS, GRANTS, INDEXES FROM or CREATE TABLE, found 'INDEX'",
  ],
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
  [
    'EXPLAIN ^COMMIT',
    "expected ANALYZE, GET, SCAN, SET, INSERT, DELETE, CHECK, NOTIFY or SCRIPT, found 'COMMIT'",
  ],
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
  ['SCAN ^😀 FROM t', "expected DISTINCT, '*' or an expression, found '😀'"],
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
  assert.deepEqual(error.expected, [
    'FOR UPDATE',
    'INTO',
    'an operator',
    "';'",
    'the end of the text',
  ])
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
