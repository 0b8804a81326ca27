// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { KEYWORDS } from './grammar/keywords.ts'
import { createParser, ParseError } from './parser.ts'

const parser = createParser({ skipValidations: false })

/** Whatever a text holds, the only error is a ParseError with a place inside the text. */
function assertParsesOrRefuses(text: string): 'parsed' | 'refused' {
  try {
    parser.parseScript(text)
    return 'parsed'
  } catch (error) {
    assert.ok(error instanceof ParseError, `${error}`)
    const { line, column, offset } = error
    assert.ok(offset >= 0 && offset <= text.length, `offset ${offset} of ${text.length}`)
    const before = text.slice(0, offset).split(/\r\n?|\n/)
    assert.deepEqual([line, column], [before.length, (before.at(-1)?.length ?? 0) + 1])
    assert.ok(error.message.length > 0 && error.message.length < 500)
    return 'refused'
  }
}

const VALID = [
  'BEGIN READ ONLY AS OF 17',
  "GET a AS b, count FROM t AS OF '2026-01-01' WHERE k = 'it''s' AND l IN (1, -2.5e3, x'0aff') FOR UPDATE",
  'SCAN a, COUNT(*) AS n, max(b) - 1 FROM t USE INDEX i WHERE a = 1 GROUP BY a, b ORDER BY a LIMIT :n',
  'SCAN a + 1, f(b), "q""d" FROM t USE PRIMARY KEY WHERE NOT a BETWEEN 1 AND 2 OR (b NOT LIKE $1) ORDER BY a DESC, b LIMIT 5',
  "SET a = coalesce(a, 0) || 'x', b = NULL ON t WHERE id = :id IF NOT a > 1 RETURNING *",
  'SET a = 1 ON t WHERE id = 1 IF NOT EXISTS; CHECK a > 1 AND NOT b ON t WHERE id = :id',
  'INSERT INTO t (a, b) VALUES (1, TRUE), (uuid(), now()) ON CONFLICT DO NOTHING RETURNING a AS b',
  'DELETE FROM t WHERE a IS NOT NULL LIMIT :n RETURNING a',
  "CREATE TABLE IF NOT EXISTS t (a TEXT NOT NULL DEFAULT 'x', b REAL DEFAULT -1.5, PRIMARY KEY (a, b DESC), FAMILY f (b))",
  'CREATE UNIQUE INDEX IF NOT EXISTS i ON t (a DESC, b) STORING (c, d); DROP INDEX IF EXISTS i',
  'ALTER TABLE t ADD COLUMN c TEXT NOT NULL DEFAULT uuid(); ALTER TABLE t DROP COLUMN c',
  'DROP TABLE IF EXISTS t',
  'SHOW TABLES; SHOW INDEXES FROM t; SHOW CREATE TABLE t; DESCRIBE t; EXPLAIN ANALYZE SCAN * FROM t; /* done */ COMMIT -- really',
]

test('every prefix of a right text is right or refused at a place inside it', () => {
  for (const text of VALID) {
    assert.equal(assertParsesOrRefuses(text), 'parsed')
    for (let length = 0; length < text.length; length += 1) {
      assertParsesOrRefuses(text.slice(0, length))
    }
  }
})

test('a right text with one character changed is right or refused', () => {
  const changed = fc
    .tuple(fc.constantFrom(...VALID), fc.nat(), fc.string({ unit: 'binary', maxLength: 2 }))
    .map(([text, at, put]) => {
      const position = at % text.length
      return text.slice(0, position) + put + text.slice(position + 1)
    })
  fc.assert(
    fc.property(changed, (text) => void assertParsesOrRefuses(text)),
    { numRuns: 2000 },
  )
})

test('soup of tokens is parsed or refused', () => {
  const token = fc.oneof(
    fc.constantFrom(...KEYWORDS.map(({ name }) => name)),
    fc.constantFrom(
      ...['a', 't', '"q"', '1', '2.5', "'s'", "x'00'", ':p', '$1', '*', ',', '(', ')'],
    ),
    fc.constantFrom(
      ...['=', '<>', '<', '+', '-', '/', '||', ';', '==', "'", '"', '/*', '--', '\n'],
    ),
  )
  const soup = fc
    .tuple(
      fc.constantFrom(
        '',
        'GET ',
        'SCAN * FROM t WHERE ',
        'SET a = ',
        'SELECT ',
        'INSERT INTO t ',
        'CREATE TABLE t (',
        'CREATE INDEX ',
        'CHECK ',
      ),
      fc.array(token, { maxLength: 25 }),
      fc.constantFrom(' ', ''),
    )
    .map(([start, tokens, glue]) => start + tokens.join(glue))
  fc.assert(
    fc.property(soup, (text) => void assertParsesOrRefuses(text)),
    { numRuns: 5000 },
  )
})

test('random characters, lone surrogates among them, are parsed or refused', () => {
  const bytes = fc.uint8Array({ maxLength: 60 }).map((each) => Buffer.from(each).toString('latin1'))
  const units = fc.uint16Array({ maxLength: 30 }).map((each) => String.fromCharCode(...each))
  fc.assert(
    fc.property(fc.oneof(bytes, units), (text) => void assertParsesOrRefuses(text)),
    { numRuns: 2000 },
  )
})
