// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { integer, named, parameter, parse, text } from '../../test/statement-tree.ts'

test('CREATE TABLE with every constraint, the key as a clause', () => {
  const create = `CREATE TABLE IF NOT EXISTS trade (customer text NOT NULL, time TIMESTAMP,
    n Integer DEFAULT -1, at TIMESTAMP DEFAULT NOW() NOT NULL, PRIMARY KEY (customer, time DESC))`
  assert.deepEqual(parse(create), [
    {
      kind: 'createTable',
      ifNotExists: true,
      table: { text: 'trade' },
      columns: [
        { name: { text: 'customer' }, type: { text: 'TEXT' }, notNull: true },
        { name: { text: 'time' }, type: { text: 'TIMESTAMP' }, notNull: false },
        {
          name: { text: 'n' },
          type: { text: 'INTEGER' },
          notNull: false,
          default: { kind: 'unary', operator: '-', operand: integer(1) },
        },
        {
          name: { text: 'at' },
          type: { text: 'TIMESTAMP' },
          notNull: true,
          default: { kind: 'call', function: 'now', arguments: [] },
        },
      ],
      primaryKey: [
        { column: { text: 'customer' }, descending: false },
        { column: { text: 'time' }, descending: true },
      ],
      families: [],
      uniques: [],
      checks: [],
    },
  ])
})

test('CREATE TABLE with the key at its column, columns named like keywords', () => {
  assert.deepEqual(parse("CREATE TABLE t (key TEXT PRIMARY KEY DEFAULT 'k', primary BYTES)"), [
    {
      kind: 'createTable',
      ifNotExists: false,
      table: { text: 't' },
      columns: [
        { name: { text: 'key' }, type: { text: 'TEXT' }, notNull: false, default: text('k') },
        { name: { text: 'primary' }, type: { text: 'BYTES' }, notNull: false },
      ],
      primaryKey: [{ column: { text: 'key' }, descending: false }],
      families: [],
      uniques: [],
      checks: [],
    },
  ])
})

test('CREATE TABLE has the checks of its columns and its own in their order, and names may be missing', () => {
  const create = `CREATE TABLE t (CHECK (a > b), constraint TEXT PRIMARY KEY, a INTEGER CHECK (a > 0) NOT NULL
    CONSTRAINT little CHECK (a < 9), b INTEGER, CONSTRAINT "no b" CHECK (b IS NULL))`
  const [table] = parse(create) as [{ columns: unknown[]; checks: Array<{ name?: unknown }> }]
  assert.equal(table.columns.length, 3)
  assert.deepEqual(
    table.checks.map(({ name }) => name),
    [undefined, undefined, { text: 'little' }, { text: 'no b' }],
  )
})

test('CREATE TABLE has what is unique in its order, and a column may be called unique', () => {
  const create = `CREATE TABLE t (unique TEXT PRIMARY KEY, UNIQUE (a, b DESC), a INTEGER UNIQUE, b INTEGER,
    CONSTRAINT once UNIQUE (b))`
  const [table] = parse(create) as [{ columns: unknown[]; uniques: unknown[] }]
  const key = (column: string, descending = false) => ({ column: { text: column }, descending })
  assert.equal(table.columns.length, 3)
  assert.deepEqual(table.uniques, [
    { columns: [key('a'), key('b', true)] },
    { columns: [key('a')] },
    { name: { text: 'once' }, columns: [key('b')] },
  ])
})

test('ALTER TABLE adds and drops a check', () => {
  const sql = 'ALTER TABLE t ADD CONSTRAINT little CHECK (:a)'
  const condition = parameter('a')
  assert.deepEqual(parse(sql), [
    {
      kind: 'addCheck',
      table: { text: 't' },
      check: { name: { text: 'little' }, condition },
    },
  ])
  assert.deepEqual(parse('ALTER TABLE t DROP CONSTRAINT little'), [
    { kind: 'dropConstraint', table: { text: 't' }, constraint: { text: 'little' } },
  ])
})

test('ALTER COLUMN makes a column NOT NULL, or lets it be NULL', () => {
  const table = { text: 't' }
  const column = { text: 'not' }
  assert.deepEqual(parse('ALTER TABLE t ALTER COLUMN "not" SET NOT NULL'), [
    { kind: 'setNotNull', table, column },
  ])
  assert.deepEqual(parse('ALTER TABLE t ALTER COLUMN "not" DROP NOT NULL'), [
    { kind: 'alterColumn', table, column, change: { kind: 'dropNotNull' } },
  ])
})

test('CREATE TABLE keeps columns in families, and a column may be called family', () => {
  const create = `CREATE TABLE t (family TEXT PRIMARY KEY, a TEXT, b REAL, c REAL,
    FAMILY body (a), FAMILY family (b, c))`
  const [table] = parse(create) as [{ columns: Array<{ name: unknown }>; families: unknown }]
  assert.deepEqual(
    table.columns.map(({ name }) => name),
    named('family', 'a', 'b', 'c'),
  )
  assert.deepEqual(table.families, [
    { name: { text: 'body' }, columns: named('a') },
    { name: { text: 'family' }, columns: named('b', 'c') },
  ])
})

test('CREATE INDEX, unique or not, ascending and descending, with stored columns', () => {
  const create = `CREATE INDEX by_time ON trade (customer, time DESC, id ASC) STORING (price, size);
    CREATE UNIQUE INDEX IF NOT EXISTS index ON index (index)`
  assert.deepEqual(parse(create), [
    {
      kind: 'createIndex',
      unique: false,
      ifNotExists: false,
      index: { text: 'by_time' },
      table: { text: 'trade' },
      columns: [
        { column: { text: 'customer' }, descending: false },
        { column: { text: 'time' }, descending: true },
        { column: { text: 'id' }, descending: false },
      ],
      storing: named('price', 'size'),
    },
    {
      kind: 'createIndex',
      unique: true,
      ifNotExists: true,
      index: { text: 'index' },
      table: { text: 'index' },
      columns: [{ column: { text: 'index' }, descending: false }],
      storing: [],
    },
  ])
})

test('ALTER TABLE adds a column with its constraints, and drops one', () => {
  const alter = `ALTER TABLE t ADD COLUMN a TEXT NOT NULL DEFAULT 'x'; ALTER TABLE t DROP COLUMN a`
  assert.deepEqual(parse(alter), [
    {
      kind: 'addColumn',
      table: { text: 't' },
      column: { name: { text: 'a' }, type: { text: 'TEXT' }, notNull: true, default: text('x') },
    },
    { kind: 'dropColumn', table: { text: 't' }, column: { text: 'a' } },
  ])
})

test('DROP takes a table or an index', () => {
  const drop = 'DROP TABLE IF EXISTS t; DROP TABLE t; DROP INDEX IF EXISTS i; DROP INDEX i'
  assert.deepEqual(parse(drop), [
    { kind: 'dropTable', ifExists: true, table: { text: 't' } },
    { kind: 'dropTable', ifExists: false, table: { text: 't' } },
    { kind: 'dropIndex', ifExists: true, index: { text: 'i' } },
    { kind: 'dropIndex', ifExists: false, index: { text: 'i' } },
  ])
})

test('CREATE OBSERVER names the columns that it observes, weak or not', () => {
  const create = `CREATE OBSERVER invert ON page (body, title);
    CREATE WEAK OBSERVER IF NOT EXISTS observer ON observer (weak)`
  assert.deepEqual(parse(create), [
    {
      kind: 'createObserver',
      weak: false,
      ifNotExists: false,
      observer: { text: 'invert' },
      table: { text: 'page' },
      columns: named('body', 'title'),
    },
    {
      kind: 'createObserver',
      weak: true,
      ifNotExists: true,
      observer: { text: 'observer' },
      table: { text: 'observer' },
      columns: named('weak'),
    },
  ])
})

test('ALTER OBSERVER pauses, resumes and replays from a stamp, a time or a parameter', () => {
  const alter = `ALTER OBSERVER o PAUSE; ALTER OBSERVER pause RESUME; ALTER OBSERVER o REPLAY FROM 7;
    ALTER OBSERVER o REPLAY FROM '2026-01-31'; ALTER OBSERVER o REPLAY FROM :since`
  const replay = { kind: 'replayObserver', observer: { text: 'o' } }
  assert.deepEqual(parse(alter), [
    { kind: 'pauseObserver', observer: { text: 'o' } },
    { kind: 'resumeObserver', observer: { text: 'pause' } },
    { ...replay, from: integer(7) },
    { ...replay, from: text('2026-01-31') },
    { ...replay, from: parameter('since') },
  ])
})

test('BLOCK SUBJECT with and without an end, and SHOW BLOCKS', () => {
  const blocks = `CREATE BLOCK SUBJECT 'ann''s'; CREATE BLOCK SUBJECT 'ann' EXPIRES IN 2 HOURS;
    DROP BLOCK SUBJECT 'ann'; SHOW BLOCKS`
  assert.deepEqual(parse(blocks), [
    { kind: 'createBlock', subject: { text: "ann's" } },
    { kind: 'createBlock', subject: { text: 'ann' }, expires: { ms: '7200000n' } },
    { kind: 'dropBlock', subject: { text: 'ann' } },
    { kind: 'showBlocks' },
  ])
})

test('ROTATE takes a token or the secret of cursors', () => {
  assert.deepEqual(parse('ROTATE TOKEN a; ROTATE TOKEN a KEEP 1 HOUR; rotate secret cursor'), [
    { kind: 'rotateToken', token: { text: 'a' } },
    { kind: 'rotateToken', token: { text: 'a' }, keep: { ms: '3600000n' } },
    { kind: 'rotateSecret' },
  ])
})

test('DROP OBSERVER and SHOW OBSERVERS', () => {
  assert.deepEqual(parse('DROP OBSERVER IF EXISTS o; DROP OBSERVER o; SHOW OBSERVERS'), [
    { kind: 'dropObserver', ifExists: true, observer: { text: 'o' } },
    { kind: 'dropObserver', ifExists: false, observer: { text: 'o' } },
    { kind: 'showObservers' },
  ])
})

test('ALTER ROLE LIMIT has numbers, durations and NONE; words of it are names as well', () => {
  const limit = (text: string, figure: string, isDuration = false) => ({
    limit: { text },
    figure,
    isDuration,
  })
  const alter = `ALTER ROLE member LIMIT rate 20, statement 2 SECONDS, running NONE;
    ALTER ROLE none LIMIT none NONE, seconds 1 MILLISECOND, b 1 HOUR`
  assert.deepEqual(parse(alter), [
    {
      kind: 'alterRole',
      limits: [limit('rate', '20n'), limit('statement', '2000n', true), limit('running', 'none')],
      role: { text: 'member' },
    },
    {
      kind: 'alterRole',
      limits: [limit('none', 'none'), limit('seconds', '1n', true), limit('b', '3600000n', true)],
      role: { text: 'none' },
    },
  ])
})

test('a token lives for any unit of time, in milliseconds', () => {
  const units = ['MILLISECONDS', 'SECOND', 'MINUTES', 'HOUR', 'DAYS']
  const alter = units.map((unit) => `ALTER TOKEN t EXPIRES IN 3 ${unit}`)
  const expires = [3n, 3_000n, 180_000n, 10_800_000n, 259_200_000n]
  assert.deepEqual(
    parse(alter.join('; ')),
    expires.map((ms) => ({
      kind: 'alterToken',
      token: { text: 't' },
      expires: { ms: `${ms}n` },
    })),
  )
})
