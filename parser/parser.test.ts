// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createParser } from './parser.ts'

const parser = createParser({ skipValidations: false })

/** The statements of a text, without the positions, which tests of their own look at. */
function parse(text: string): unknown {
  const withoutPositions = (_key: string, value: unknown) => {
    if (typeof value === 'bigint') return `${value}n`
    if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
    if (typeof value !== 'object' || value === null || !('position' in value)) return value
    const { position: _, ...rest } = value
    return rest
  }
  return JSON.parse(JSON.stringify(parser.parseScript(text), withoutPositions))
}

const column = (name: string) => ({ kind: 'column', name })
const integer = (value: number) => ({ kind: 'literal', type: 'integer', value: `${value}n` })
const text = (value: string) => ({ kind: 'literal', type: 'text', value })
const parameter = (key: string | number) => ({ kind: 'parameter', key })
const compared = (first: unknown, operator: string, operand: unknown) => ({
  kind: 'binary',
  first,
  rest: [{ operator, operand }],
})
const ALL = { kind: 'allColumns' }

test('statements are separated by semicolons, empty ones left out', () => {
  assert.deepEqual(parse(''), [])
  assert.deepEqual(parse(' ;; -- nothing\n /* at all */ ;'), [])
  assert.deepEqual(parse('begin;;COMMIT;'), [
    { kind: 'begin', readOnly: false },
    { kind: 'commit' },
  ])
  assert.deepEqual(parse('Rollback'), [{ kind: 'rollback' }])
})

test('BEGIN takes READ ONLY and AS OF a stamp, a time or a parameter', () => {
  assert.deepEqual(parse('BEGIN READ ONLY'), [{ kind: 'begin', readOnly: true }])
  assert.deepEqual(parse('BEGIN AS OF 17'), [{ kind: 'begin', readOnly: false, asOf: integer(17) }])
  assert.deepEqual(parse("BEGIN READ ONLY AS OF '2026-01-31T12:00:00Z'"), [
    { kind: 'begin', readOnly: true, asOf: text('2026-01-31T12:00:00Z') },
  ])
  assert.deepEqual(parse('BEGIN AS OF :then'), [
    { kind: 'begin', readOnly: false, asOf: parameter('then') },
  ])
})

test('GET reads by a condition, at a snapshot, guarded by FOR UPDATE', () => {
  assert.deepEqual(parse('GET * FROM t AS OF 5 WHERE id = :id FOR UPDATE'), [
    {
      kind: 'get',
      projection: ALL,
      table: { text: 't' },
      asOf: integer(5),
      where: compared(column('id'), '=', parameter('id')),
      forUpdate: true,
    },
  ])
})

test('a projection is labelled by AS, by the column, or by the text of the expression', () => {
  const [statement] = parser.parseScript(
    'GET a, "b c", a +  1 /* one */ AS d, (a)+ 2 /* x */ FROM t WHERE a = 1',
  )
  assert.ok(statement?.kind === 'get' && statement.projection.kind === 'expressions')
  const labels = statement.projection.items.map(({ label }) => label)
  assert.deepEqual(labels, ['a', 'b c', 'd', '(a)+ 2'])
})

test('SCAN takes every clause in its order', () => {
  const scan =
    'SCAN a FROM t AS OF :s USE PRIMARY KEY WHERE a > 1 ORDER BY a DESC, b ASC, c LIMIT $1'
  assert.deepEqual(parse(scan), [
    {
      kind: 'scan',
      projection: { kind: 'expressions', items: [{ expression: column('a'), label: 'a' }] },
      table: { text: 't' },
      asOf: parameter('s'),
      hint: { kind: 'primaryKey' },
      where: compared(column('a'), '>', integer(1)),
      orderBy: [
        { column: { text: 'a' }, descending: true },
        { column: { text: 'b' }, descending: false },
        { column: { text: 'c' }, descending: false },
      ],
      limit: parameter(1),
    },
  ])
  assert.deepEqual(parse('SCAN * FROM t'), [
    { kind: 'scan', projection: ALL, table: { text: 't' }, orderBy: [] },
  ])
})

test('SET assigns expressions on a table', () => {
  assert.deepEqual(parse("SET a = 1, \"B\" = 'x' ON t WHERE id = 'bob'"), [
    {
      kind: 'set',
      assignments: [
        { column: { text: 'a' }, value: integer(1) },
        { column: { text: 'B' }, value: text('x') },
      ],
      table: { text: 't' },
      where: compared(column('id'), '=', text('bob')),
    },
  ])
})

test('INSERT takes several rows', () => {
  assert.deepEqual(parse('INSERT INTO t (a, b) VALUES (1, :b), (2, now())'), [
    {
      kind: 'insert',
      table: { text: 't' },
      columns: [{ text: 'a' }, { text: 'b' }],
      rows: [
        [integer(1), parameter('b')],
        [integer(2), { kind: 'call', function: 'now', arguments: [] }],
      ],
    },
  ])
})

test('DELETE takes a hint, a condition and a limit', () => {
  assert.deepEqual(parse('DELETE FROM t USE PRIMARY KEY'), [
    { kind: 'delete', table: { text: 't' }, hint: { kind: 'primaryKey' } },
  ])
  assert.deepEqual(parse('DELETE FROM t WHERE a < 3 LIMIT 10'), [
    {
      kind: 'delete',
      table: { text: 't' },
      where: compared(column('a'), '<', integer(3)),
      limit: integer(10),
    },
  ])
})

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
    },
  ])
})

test('DROP, SHOW, DESCRIBE and EXPLAIN', () => {
  assert.deepEqual(parse('DROP TABLE IF EXISTS t; DROP TABLE t; SHOW TABLES; DESCRIBE t'), [
    { kind: 'dropTable', ifExists: true, table: { text: 't' } },
    { kind: 'dropTable', ifExists: false, table: { text: 't' } },
    { kind: 'showTables' },
    { kind: 'describe', table: { text: 't' } },
  ])
  const scan = { kind: 'scan', projection: ALL, table: { text: 't' }, orderBy: [] }
  assert.deepEqual(parse('EXPLAIN SCAN * FROM t; EXPLAIN ANALYZE SCAN * FROM t'), [
    { kind: 'explain', analyze: false, statement: scan },
    { kind: 'explain', analyze: true, statement: scan },
  ])
})

test('positions are of the whole text: lines, columns and offsets of statements and their parts', () => {
  const source = 'BEGIN;\r\n  SET a = b\n+ 1 ON t WHERE id = 1;'
  const [begin, set] = parser.parseScript(source)
  assert.deepEqual(begin?.position, { line: 1, column: 1, offset: 0 })
  assert.deepEqual(set?.position, { line: 2, column: 3, offset: 10 })
  assert.ok(set?.kind === 'set')
  assert.deepEqual(set.table.position, { line: 3, column: 8, offset: source.indexOf(' t ') + 1 })
  const value = set.assignments[0]?.value
  assert.ok(value?.kind === 'binary')
  assert.deepEqual(value.position, { line: 2, column: 11, offset: 18 })
  assert.deepEqual(value.rest[0]?.position, { line: 3, column: 1, offset: 20 })
})

test('the same text is parsed once', () => {
  const first = parser.parseScript('SCAN * FROM cached')
  assert.equal(parser.parseScript('SCAN * FROM cached'), first)
})
