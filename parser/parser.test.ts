// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ALL, column, compared, integer, parameter, parse, text } from '../test/statement-tree.ts'
import { createParser } from './parser.ts'

const parser = createParser({ skipValidations: false })

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

test('CHECK stands among the statements of a transaction', () => {
  const condition = compared(column('balance'), '>=', integer(7))
  const where = compared(column('id'), '=', text('bob'))
  const script = `BEGIN; CHECK balance >= 7 ON account WHERE id = 'bob';
    SET balance = 0 ON account WHERE id = 'bob'; COMMIT`
  const table = { text: 'account' }
  assert.deepEqual(parse(script), [
    { kind: 'begin', readOnly: false },
    { kind: 'check', condition, table, where },
    {
      kind: 'set',
      assignments: [{ column: { text: 'balance' }, value: integer(0) }],
      table,
      where,
    },
    { kind: 'commit' },
  ])
})

test('SHOW, DESCRIBE and EXPLAIN', () => {
  assert.deepEqual(parse('SHOW TABLES; SHOW INDEXES FROM t; SHOW CREATE TABLE t; DESCRIBE t'), [
    { kind: 'showTables' },
    { kind: 'showIndexes', table: { text: 't' } },
    { kind: 'showCreateTable', table: { text: 't' } },
    { kind: 'describe', table: { text: 't' } },
  ])
  const scan = { kind: 'scan', projection: ALL, table: { text: 't' }, groupBy: [], orderBy: [] }
  assert.deepEqual(parse('EXPLAIN SCAN * FROM t; EXPLAIN ANALYZE SCAN * FROM t'), [
    { kind: 'explain', analyze: false, statement: scan },
    { kind: 'explain', analyze: true, statement: scan },
  ])
})

test('EXPLAIN takes every statement on rows, with and without ANALYZE', () => {
  for (const statement of [
    'GET * FROM t WHERE a = 1',
    'SCAN * FROM t',
    'SET b = 1 ON t WHERE a = 1 IF EXISTS RETURNING *',
    'INSERT INTO t (a) VALUES (1) ON CONFLICT DO NOTHING',
    'DELETE FROM t WHERE a = 1',
    'CHECK b > 0 ON t WHERE a = 1',
    'NOTIFY o ON t WHERE a = 1',
  ]) {
    const [alone] = parse(statement) as unknown[]
    assert.deepEqual(parse(`EXPLAIN ${statement}; EXPLAIN ANALYZE ${statement}`), [
      { kind: 'explain', analyze: false, statement: alone },
      { kind: 'explain', analyze: true, statement: alone },
    ])
  }
})

test('EXPLAIN SCRIPT takes all statements after it, also of a text that is parsed in parts', () => {
  const get = 'GET * FROM t WHERE a = 1'
  const [alone] = parse(get) as unknown[]
  const explained = { kind: 'explain', analyze: true, script: true, statement: alone }
  const begin = { kind: 'begin', readOnly: false }
  assert.deepEqual(parse(`${get}; EXPLAIN ANALYZE SCRIPT ${get}; ${get}`), [
    alone,
    explained,
    explained,
  ])
  const many = `EXPLAIN ANALYZE SCRIPT BEGIN; ${`${get};`.repeat(300)} COMMIT`
  assert.deepEqual(parse(many), [begin, ...Array(300).fill(explained), { kind: 'commit' }])
  assert.equal((parse('SCAN * FROM script') as unknown[]).length, 1)
})
