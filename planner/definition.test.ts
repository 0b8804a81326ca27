// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { afterEach, beforeEach } from 'node:test'
import { planError, SqlSession } from '../test/sql-session.ts'

let session: SqlSession
beforeEach(async () => {
  session = await SqlSession.open()
})
afterEach(() => session.close())

test('SHOW TABLES and DESCRIBE tell what CREATE TABLE made', async () => {
  await session.run(`
    CREATE TABLE b (id INTEGER PRIMARY KEY);
    CREATE TABLE a (x TEXT, y TIMESTAMP DEFAULT '2026-01-31T12:00:00+01:00', z REAL NOT NULL DEFAULT 1,
      u TEXT DEFAULT uuid(), n INTEGER DEFAULT -7, j JSON DEFAULT '{"a": [1]}', h BYTES DEFAULT x'0aff',
      q TEXT DEFAULT 'it''s', f BOOLEAN DEFAULT TRUE, PRIMARY KEY (y DESC, x))`)
  assert.deepEqual(await session.rows('SHOW TABLES'), [
    { table: 'a', columns: 9, key: 'PRIMARY KEY (y DESC, x)' },
    { table: 'b', columns: 1, key: 'PRIMARY KEY (id)' },
  ])
  const described = (await session.run('DESCRIBE a')).rows
  assert.deepEqual(described, [
    ['x', 'TEXT', true, null, 2n, false],
    ['y', 'TIMESTAMP', true, "'2026-01-31T11:00:00.000000Z'", 1n, true],
    ['z', 'REAL', true, '1', null, null],
    ['u', 'TEXT', false, 'uuid()', null, null],
    ['n', 'INTEGER', false, '-7', null, null],
    ['j', 'JSON', false, '\'{"a":[1]}\'', null, null],
    ['h', 'BYTES', false, "x'0aff'", null, null],
    ['q', 'TEXT', false, "'it''s'", null, null],
    ['f', 'BOOLEAN', false, 'TRUE', null, null],
  ])
})

test('a definition that cannot be is refused where its mistake stands', async () => {
  await session.run('CREATE TABLE taken (id INTEGER PRIMARY KEY)')
  const refused: ReadonlyArray<readonly [string, string, number]> = [
    ['CREATE TABLE taken (id INTEGER PRIMARY KEY)', 'already_exists', 14],
    ['CREATE TABLE Taken (id INTEGER PRIMARY KEY)', 'already_exists', 14],
    ['CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, A TEXT)', 'invalid_request', 49],
    ['CREATE TABLE t (id INTEGER, PRIMARY KEY (ids))', 'unknown_column', 42],
    ['CREATE TABLE t (id JSON PRIMARY KEY)', 'invalid_request', 17],
    ["CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER DEFAULT 'x')", 'type_mismatch', 59],
    ['CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT DEFAULT now())', 'type_mismatch', 56],
    ['CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER DEFAULT uuid())', 'type_mismatch', 59],
    ["CREATE TABLE t (id INTEGER PRIMARY KEY, a TIMESTAMP DEFAULT 'never')", 'type_mismatch', 61],
    [
      'CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER NOT NULL DEFAULT NULL)',
      'invalid_request',
      41,
    ],
    [
      'CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER DEFAULT 9223372036854775808)',
      'out_of_range',
      59,
    ],
    ['DROP TABLE nosuch', 'unknown_table', 12],
  ]
  for (const [text, code, column] of refused) {
    await assert.rejects(session.run(text), planError(code, { column }), text)
  }
})

test('IF NOT EXISTS and IF EXISTS find nothing to do', async () => {
  await session.run('CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY)')
  await session.run('CREATE TABLE IF NOT EXISTS t (id TEXT PRIMARY KEY)')
  assert.deepEqual((await session.run('DESCRIBE t')).rows[0]?.[1], 'INTEGER')
  await session.run('DROP TABLE IF EXISTS t; DROP TABLE IF EXISTS t')
  assert.deepEqual(await session.rows('SHOW TABLES'), [])
})
