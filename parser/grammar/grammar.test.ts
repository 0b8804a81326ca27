// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { GENERATED_FILE, grammarCstTypes } from '../../tools/generate-grammar-cst.ts'
import { createParser } from '../parser.ts'
import { Grammar } from './grammar.ts'
import { RESERVED_WORDS, UNRESERVED_WORDS } from './keywords.ts'
import { createLexer } from './tokens.ts'

test('the grammar and the lexer pass their own checks', () => {
  assert.doesNotThrow(() => new Grammar({ skipValidations: false }))
  assert.doesNotThrow(() => createLexer({ skipValidations: false }))
})

test('the types of the syntax tree are the ones of the grammar', () => {
  const types = grammarCstTypes(new Grammar({ skipValidations: false }))
  assert.equal(readFileSync(GENERATED_FILE, 'utf8'), types, 'run tools/generate-grammar-cst.ts')
})

test('the reserved words are the ones of the dialect', () => {
  const words = `AND AS ASC BEGIN BETWEEN BY CASE CHECK COMMIT CREATE DELETE DESC DISTINCT DROP EXISTS EXPLAIN
    FALSE FOR FROM GET GROUP IF IN INSERT INTO IS LIKE LIMIT NOT NULL ON OR ORDER RETURNING
    ROLLBACK SCAN SELECT SET TRUE UPDATE USE VALUES WHEN WHERE`
  const reserved = RESERVED_WORDS.map(({ name }) => name).sort()
  assert.deepEqual(reserved, words.split(/\s+/).sort())
})

test('a word that is not reserved names tables, columns and labels; a reserved one only in quotes', () => {
  const { parseScript } = parserOf()
  for (const { name } of UNRESERVED_WORDS) {
    for (const text of statementsNaming(name)) assert.doesNotThrow(() => parseScript(text), text)
  }
  for (const name of ['count', 'sum', 'min', 'max', 'avg', 'now', 'uuid', 'text', 'time', 'type']) {
    for (const text of statementsNaming(name)) assert.doesNotThrow(() => parseScript(text), text)
  }
  for (const { name } of RESERVED_WORDS) {
    assert.throws(() => parseScript(`SCAN * FROM ${name}`), { code: 'syntax_error', column: 13 })
    parseScript(`SCAN "${name}" FROM "${name}"`)
  }
})

test('a name may begin with a keyword', () => {
  const { parseScript } = parserOf()
  for (const name of ['order_id', 'ascending', 'description', 'note', 'index', 'setting', 'x']) {
    parseScript(`SCAN ${name} FROM ${name} WHERE ${name} = 1`)
  }
})

/** The same name wherever a name can stand. */
function statementsNaming(n: string): readonly string[] {
  return [
    `CREATE TABLE ${n} (${n} TEXT PRIMARY KEY DEFAULT 'x', b REAL, FAMILY ${n} (${n}, b))`,
    `CREATE TABLE ${n} (a TEXT, ${n} TEXT NOT NULL, PRIMARY KEY (${n} DESC, a))`,
    `CREATE UNIQUE INDEX ${n} ON ${n} (${n}, ${n} DESC) STORING (${n})`,
    `ALTER TABLE ${n} ADD COLUMN ${n} TEXT; ALTER TABLE ${n} DROP COLUMN ${n}`,
    `DROP TABLE ${n}; DROP INDEX ${n}; SHOW INDEXES FROM ${n}; SHOW CREATE TABLE ${n}; DESCRIBE ${n}`,
    `GET ${n} AS ${n} FROM ${n} WHERE ${n} = 1`,
    `SCAN ${n}, COUNT(${n}) AS ${n} FROM ${n} USE INDEX ${n} WHERE ${n} > ${n} GROUP BY ${n} ORDER BY ${n} DESC`,
    `SCAN ${n} FROM ${n} AS OF 1 ORDER BY ${n}, ${n} LIMIT 1`,
    `SET ${n} = ${n} + 1 ON ${n} WHERE ${n} = 1 IF ${n} > 1 RETURNING ${n}`,
    `INSERT INTO ${n} (${n}) VALUES (1) ON CONFLICT DO NOTHING RETURNING ${n}, ${n} AS ${n}`,
    `DELETE FROM ${n} USE INDEX ${n} WHERE ${n} = 1 RETURNING ${n}`,
    `CHECK ${n} = 1 ON ${n} WHERE ${n} = 1`,
  ]
}

function parserOf() {
  const parser = createParser({ skipValidations: false })
  return { parseScript: (text: string) => parser.parseScript(text) }
}
