// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { afterEach, beforeEach } from 'node:test'
import { planError, SqlSession } from '../../test/sql-session.ts'

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
    ['x', 'TEXT', true, null, 2n, false, null, null],
    ['y', 'TIMESTAMP', true, "'2026-01-31T11:00:00.000000Z'", 1n, true, null, null],
    ['z', 'REAL', true, '1.0', null, null, null, null],
    ['u', 'TEXT', false, 'uuid()', null, null, null, null],
    ['n', 'INTEGER', false, '-7', null, null, null, null],
    ['j', 'JSON', false, '\'{"a":[1]}\'', null, null, null, null],
    ['h', 'BYTES', false, "x'0aff'", null, null, null, null],
    ['q', 'TEXT', false, "'it''s'", null, null, null, null],
    ['f', 'BOOLEAN', false, 'TRUE', null, null, null, null],
  ])
})

test('DESCRIBE tells of each column the checks that name it', async () => {
  await session.run(`CREATE TABLE checked (id INTEGER PRIMARY KEY, n INTEGER CHECK (n > 0), m INTEGER, note TEXT,
    CONSTRAINT "in order" CHECK (n < m))`)
  const described = (await session.run('DESCRIBE checked')).rows
  assert.deepEqual(
    described.map((row) => row.at(-1)),
    [null, 'checked_n_check (n > 0); "in order" (n < m)', '"in order" (n < m)', null],
  )
})

test('UNIQUE in a CREATE TABLE makes indexes that are ready at once, each with an id and a name of its own', async () => {
  await session.run(`
    CREATE TABLE other (id INTEGER PRIMARY KEY, email TEXT, UNIQUE (email));
    CREATE INDEX "user_email_KEY" ON other (email);
    CREATE TABLE user (id INTEGER PRIMARY KEY, email TEXT UNIQUE, a INTEGER, b INTEGER, UNIQUE (a, b DESC),
      CONSTRAINT once UNIQUE (b), UNIQUE (a, b))`)
  const shown = await session.rows('SHOW INDEXES FROM user')
  assert.deepEqual(
    shown.map((row) => {
      const { name, columns, unique, state } = row as Record<string, unknown>
      return [name, columns, unique, state]
    }),
    [
      ['user_email_key1', 'email', true, 'ready'],
      ['user_a_b_key', 'a, b DESC', true, 'ready'],
      ['once', 'b', true, 'ready'],
      ['user_a_b_key1', 'a, b', true, 'ready'],
    ],
  )
  await session.run("INSERT INTO user (id, email, a, b) VALUES (1, 'x', 1, 1)")
  const again = "INSERT INTO user (id, email, a, b) VALUES (2, 'x', 2, 2)"
  await assert.rejects(session.run(again), planError('unique_violation'))
  const ids = (await session.catalog())
    .tables()
    .flatMap(({ id, indexes }) => [id, ...indexes.map((one) => one.id)])
  assert.equal(new Set(ids).size, 8)
  const taken = 'CREATE TABLE late (id INTEGER PRIMARY KEY, CONSTRAINT "Once" UNIQUE (id))'
  await assert.rejects(session.run(taken), planError('already_exists'))
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

test('CREATE TABLE hints at a family for what may be large beside what changes often', async () => {
  const hintOf = async (columns: string) => {
    const { hint, text } = await session.run(
      `CREATE TABLE IF NOT EXISTS t (id INTEGER PRIMARY KEY, ${columns})`,
    )
    if (hint !== undefined) assert.equal(text, `OK\nHINT:  ${hint}`)
    await session.run('DROP TABLE t')
    return hint
  }
  assert.equal(
    await hintOf('likes INTEGER, picture BYTES, "from" JSON'),
    'each change of likes writes picture, "from" again: where that may be large, add FAMILY large (picture, "from")',
  )
  assert.match((await hintOf('price NUMERIC(9, 2), picture BYTES')) ?? '', /^each change of price/)
  assert.equal(await hintOf('likes INTEGER, picture BYTES, FAMILY large (picture)'), undefined)
  assert.equal(await hintOf('likes INTEGER, picture BYTES, FAMILY hot (likes)'), undefined)
  assert.equal(await hintOf('name TEXT, picture BYTES'), undefined)
  await session.run('CREATE TABLE t (id INTEGER PRIMARY KEY)')
  assert.equal(await hintOf('likes INTEGER, picture BYTES'), undefined)
})

test('SHOW INDEXES tells of each index what it holds and how far it is', async () => {
  await session.run(
    'CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, b INTEGER, note TEXT, FAMILY notes (note, b))',
  )
  await session.run("INSERT INTO t (id, a, b) VALUES (1, 'x', 1), (2, 'x', 2)")
  await session.run('CREATE INDEX byA ON t (a, b DESC) STORING (note)')
  await session.run('CREATE UNIQUE INDEX twice ON t (a)')
  await session.run('CREATE UNIQUE INDEX IF NOT EXISTS twice ON t (b)')
  const [byA, twice, ...none] = (await session.run('SHOW INDEXES FROM t')).rows
  assert.deepEqual(byA, ['byA', false, 'a, b DESC', 'note', 'ready', null, null])
  assert.deepEqual(twice?.slice(0, 6), ['twice', true, 'a', null, 'failed', null])
  assert.match(String(twice?.[6]), /\w+ .*\.$/)
  assert.deepEqual(none, [])
  const described = (await session.run('DESCRIBE t')).rows
  assert.deepEqual(
    described.map((row) => row.at(-2)),
    [null, null, 'notes', 'notes'],
  )
  await session.run('DROP INDEX twice; DROP INDEX IF EXISTS twice')
  assert.equal((await session.run('SHOW INDEXES FROM t')).rows.length, 1)
})

test('ADD COLUMN gives old rows its default at once, DROP COLUMN takes a column away', async () => {
  await session.run('CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)')
  await session.run("INSERT INTO t (id, a) VALUES (1, 'x')")
  await session.run("ALTER TABLE t ADD COLUMN b TEXT NOT NULL DEFAULT 'new'")
  await session.run('ALTER TABLE t ADD COLUMN c INTEGER')
  await session.run('INSERT INTO t (id, c) VALUES (2, 5)')
  assert.deepEqual(await session.rows('SCAN * FROM t'), [
    { id: 1, a: 'x', b: 'new', c: null },
    { id: 2, a: null, b: 'new', c: 5 },
  ])
  await session.run('ALTER TABLE t DROP COLUMN a')
  await session.run('CREATE INDEX byC ON t (c)')
  assert.deepEqual(await session.rows('SCAN * FROM t WHERE c = 5'), [{ id: 2, b: 'new', c: 5 }])
})

test('a change of a table that cannot be is refused where its mistake stands', async () => {
  await session.run('CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT, j JSON)')
  await session.run('CREATE INDEX byA ON t (a)')
  const refused: ReadonlyArray<readonly [string, string, number]> = [
    ['CREATE INDEX byA ON t (j)', 'already_exists', 14],
    ['CREATE INDEX byJ ON t (j)', 'invalid_request', 24],
    ['CREATE INDEX x ON t (nosuch)', 'unknown_column', 22],
    ['CREATE INDEX x ON t (a) STORING (nosuch)', 'unknown_column', 34],
    ['CREATE INDEX x ON t (a) STORING (id)', 'invalid_request', 34],
    ['CREATE INDEX x ON nosuch (a)', 'unknown_table', 19],
    ['DROP INDEX byB', 'unknown_index', 12],
    ['ALTER TABLE t ADD COLUMN a TEXT', 'invalid_request', 26],
    ['ALTER TABLE t ADD COLUMN b TEXT NOT NULL', 'invalid_request', 26],
    ['ALTER TABLE nosuch ADD COLUMN b TEXT', 'unknown_table', 13],
    ['ALTER TABLE t DROP COLUMN nosuch', 'unknown_column', 27],
    ['ALTER TABLE t DROP COLUMN id', 'invalid_request', 27],
    ['ALTER TABLE t DROP COLUMN a', 'invalid_request', 27],
    ['CREATE TABLE u (id INTEGER PRIMARY KEY, FAMILY f (nosuch))', 'unknown_column', 51],
    ['CREATE TABLE u (id INTEGER PRIMARY KEY, FAMILY f (id))', 'invalid_request', 51],
  ]
  for (const [text, code, column] of refused) {
    await assert.rejects(session.run(text), planError(code, { column }), text)
  }
})
