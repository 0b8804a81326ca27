// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createParser, ParseError } from './parser.ts'

const parser = createParser({ skipValidations: false })

function hintOf(text: string): string | undefined {
  try {
    parser.parseScript(text)
  } catch (error) {
    assert.ok(error instanceof ParseError, `${error}`)
    return error.hint
  }
  assert.fail(`no error: ${text}`)
}

const SELECT = 'SELECT is written GET for rows by their full primary key, SCAN for a range of rows'
const UPDATE = 'UPDATE is written SET … ON table WHERE full primary key'
const RANGE = 'GET reads rows by their full primary key, SCAN walks rows in key order'
const PARAMETER_HINT = 'a parameter begins with a colon: SCAN * FROM t WHERE a = :x'

for (const [text, hint] of [
  ['SELECT * FROM t WHERE id = 1', `${SELECT}: GET * FROM t WHERE id = 1`],
  ['SELECT a FROM t WHERE a == 1 AND b=2', `${SELECT}: GET a FROM t WHERE a = 1 AND b=2`],
  ['SELECT a FROM t WHERE a > 1 LIMIT 5', `${SELECT}: SCAN a FROM t WHERE a > 1 LIMIT 5`],
  ['COMMIT; select * from t; COMMIT', `${SELECT}: SCAN * from t`],
  ['EXPLAIN ANALYZE SELECT a FROM t', `${SELECT}: EXPLAIN ANALYZE SCAN a FROM t`],
  ['SELECT 1', SELECT],
  ['SELECT * FROM a JOIN b ON a.x = b.x', SELECT],
  [
    "UPDATE t SET a = a + 1, b = 'x' WHERE id = 5",
    `${UPDATE}: SET a = a + 1, b = 'x' ON t WHERE id = 5`,
  ],
  ['UPDATE t SET a = 1', UPDATE],
  [
    "INSERT INTO t VALUES (1, f(2, 3), 'x')",
    "INSERT names its columns: INSERT INTO t (column1, column2, column3) VALUES (1, f(2, 3), 'x')",
  ],
  ['INSERT t (a) VALUES (1)', 'INSERT needs INTO: INSERT INTO t (a) VALUES (1)'],
  ['DELETE t WHERE a = 1', 'DELETE needs FROM: DELETE FROM t WHERE a = 1'],
  ['GET * FROM t WHERE a == 1', 'equality is a single =: GET * FROM t WHERE a = 1'],
  ['GET * FROM t', `${RANGE}: SCAN * FROM t`],
  ['GET * FROM t WHERE a = 1 LIMIT 5', `${RANGE}: SCAN * FROM t WHERE a = 1 LIMIT 5`],
  ['SCAN a, b, FROM t', 'drop the comma before it: SCAN a, b FROM t'],
  ['SET a = 1, ON t WHERE id = 1', 'drop the comma before it: SET a = 1 ON t WHERE id = 1'],
  ["GET * FROM t WHERE a = 'it's'", "a quote inside a string is written twice: 'it''s'"],
  ['INSERT INTO t (a) VALUES ("bob")', "a string is written in single quotes: 'bob'"],
  ['INSERT INTO t (a) VALUES (bob)', "a string is written in single quotes: 'bob'"],
  ['SCAN order FROM t', 'ORDER is a reserved word, quoted it is a name: SCAN "order" FROM t'],
  ['SCAN `a` FROM `t`', 'names are quoted by double quotes: SCAN "a" FROM "t"'],
  ['SCAN [a b] FROM t', 'names are quoted by double quotes: SCAN "a b" FROM t'],
  ['SCAN t.a FROM t', 'a statement has one table, so its columns are named alone: SCAN a FROM t'],
  ['SCAN * FROM t WHERE a = ‘x’', "quotes are straight: SCAN * FROM t WHERE a = 'x'"],
  ['SCAN * FROM t WHERE a = @x', PARAMETER_HINT],
  [
    'SCAN * FROM t WHERE 1 < a < 3',
    'comparisons do not chain: write a < b AND b < c, or b BETWEEN a AND c',
  ],
  ['CREATE TABLE t (a VARCHAR(20) PRIMARY KEY)', 'a type has no length: TEXT'],
  ['CREATE TABLE t (a bigint PRIMARY KEY)', 'BIGINT is written INTEGER'],
  ['BEGIN TRANSACTION READ ONLY', 'BEGIN stands alone: BEGIN READ ONLY'],
  ['START TRANSACTION', 'a transaction begins with: BEGIN'],
  ['END', 'a transaction ends with: COMMIT'],
  ['DESC t', 'DESC is written out: DESCRIBE t'],
  ['TRUNCATE TABLE t', 'all rows are deleted with: DELETE FROM t USE PRIMARY KEY'],
  [
    'SCAN * FROM t LIMIT 5 OFFSET 5',
    'there is no OFFSET: continue behind the last key read, WHERE key > :last',
  ],
  ['SCAN * FROM t WEHRE a = 1', undefined],
  ['toString', undefined],
  ['SCAN * FROM t constructor', undefined],
] as const) {
  test(`${text}: ${hint ?? 'no hint'}`, () => {
    assert.equal(hintOf(text), hint)
  })
}
