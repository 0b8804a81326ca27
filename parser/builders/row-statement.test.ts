// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  ALL,
  column,
  compared,
  integer,
  item,
  named,
  parameter,
  parse,
  projected,
  text,
} from '../../test/statement-tree.ts'
import { createParser } from '../parser.ts'

const parser = createParser({ skipValidations: false })

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
  const labels = statement.projection.items.map((item) => 'label' in item && item.label)
  assert.deepEqual(labels, ['a', 'b c', 'd', '(a)+ 2'])
})

test('a table gets another name by AS, and its columns are qualified with it', () => {
  const inTable = (qualifier: string, name: string) => ({ ...column(name), qualifier })
  assert.deepEqual(
    parse('SCAN o.a, o.*, "O".a + 1 AS b FROM t AS o AS OF 5 WHERE o.a > o.of ORDER BY o.a DESC'),
    [
      {
        kind: 'scan',
        projection: {
          kind: 'expressions',
          items: [
            item(inTable('o', 'a'), 'a'),
            { kind: 'columnsOf', qualifier: { text: 'o' } },
            item(compared(inTable('O', 'a'), '+', integer(1)), 'b'),
          ],
        },
        table: { text: 't' },
        alias: { text: 'o' },
        asOf: integer(5),
        where: compared(inTable('o', 'a'), '>', inTable('o', 'of')),
        groupBy: [],
        orderBy: [{ expression: inTable('o', 'a'), descending: true }],
      },
    ],
  )
  const get = { kind: 'get', table: { text: 't' }, forUpdate: false }
  assert.deepEqual(
    parse('GET t.* FROM t AS "of" WHERE key.id = 1; GET * FROM t AS OF 1 WHERE id = 1'),
    [
      {
        ...get,
        projection: {
          kind: 'expressions',
          items: [{ kind: 'columnsOf', qualifier: { text: 't' } }],
        },
        alias: { text: 'of' },
        where: compared(inTable('key', 'id'), '=', integer(1)),
      },
      { ...get, projection: ALL, asOf: integer(1), where: compared(column('id'), '=', integer(1)) },
    ],
  )
  assert.deepEqual(parse('SCAN t.a, COUNT(t.a) FROM t GROUP BY t.a'), [
    {
      kind: 'scan',
      projection: {
        kind: 'expressions',
        items: [
          item(inTable('t', 'a'), 'a'),
          item({ kind: 'aggregate', function: 'count', operand: inTable('t', 'a') }, 'COUNT(t.a)'),
        ],
      },
      table: { text: 't' },
      groupBy: [inTable('t', 'a')],
      orderBy: [],
    },
  ])
})

test('SCAN takes every clause in its order', () => {
  const scan =
    'SCAN a FROM t AS OF :s USE PRIMARY KEY WHERE a > 1 ORDER BY a DESC, b ASC, c LIMIT $1'
  assert.deepEqual(parse(scan), [
    {
      kind: 'scan',
      projection: { kind: 'expressions', items: [item(column('a'), 'a')] },
      table: { text: 't' },
      asOf: parameter('s'),
      hint: { kind: 'primaryKey' },
      where: compared(column('a'), '>', integer(1)),
      groupBy: [],
      orderBy: [
        { expression: column('a'), descending: true },
        { expression: column('b'), descending: false },
        { expression: column('c'), descending: false },
      ],
      limit: parameter(1),
    },
  ])
  assert.deepEqual(parse('SCAN * FROM t'), [
    { kind: 'scan', projection: ALL, table: { text: 't' }, groupBy: [], orderBy: [] },
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

test('SET of a range takes a hint, a limit and a projection of what it wrote', () => {
  const set = 'SET a = a + 1 ON t USE INDEX i WHERE a < 3 LIMIT :n RETURNING *'
  assert.deepEqual(parse(set), [
    {
      kind: 'set',
      assignments: [{ column: { text: 'a' }, value: compared(column('a'), '+', integer(1)) }],
      table: { text: 't' },
      hint: { kind: 'index', index: { text: 'i' } },
      where: compared(column('a'), '<', integer(3)),
      limit: parameter('n'),
      returning: ALL,
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

test('USE names an index or the primary key, of a SCAN and of a DELETE', () => {
  const hint = { kind: 'index', index: { text: 'by_time' } }
  assert.deepEqual(parse('SCAN * FROM t USE INDEX by_time; DELETE FROM t USE INDEX by_time'), [
    { kind: 'scan', projection: ALL, table: { text: 't' }, hint, groupBy: [], orderBy: [] },
    { kind: 'delete', table: { text: 't' }, hint },
  ])
})

test('SCAN groups rows and projects aggregates, alone and inside of expressions', () => {
  const scan = `SCAN a, COUNT(*), sum(n + 1) AS total, Max(n) - MIN(n), avg(n), count(n)
    FROM t WHERE a > 1 GROUP BY a, b ORDER BY a LIMIT 5`
  const aggregate = (name: string, operand: unknown) => ({
    kind: 'aggregate',
    function: name,
    operand,
  })
  const sum = { ...compared(column('n'), '+', integer(1)) }
  const spread = compared(aggregate('max', column('n')), '-', aggregate('min', column('n')))
  assert.deepEqual(parse(scan), [
    {
      kind: 'scan',
      projection: {
        kind: 'expressions',
        items: [
          item(column('a'), 'a'),
          item({ kind: 'aggregate', function: 'count' }, 'COUNT(*)'),
          item(aggregate('sum', sum), 'total'),
          item(spread, 'Max(n) - MIN(n)'),
          item(aggregate('avg', column('n')), 'avg(n)'),
          item(aggregate('count', column('n')), 'count(n)'),
        ],
      },
      table: { text: 't' },
      where: compared(column('a'), '>', integer(1)),
      groupBy: [column('a'), column('b')],
      orderBy: [{ expression: column('a'), descending: false }],
      limit: integer(5),
    },
  ])
})

test('SCAN takes different rows, aggregates of some rows, and some groups, in any order', () => {
  const filter = compared(column('b'), '>', integer(1))
  const count = { kind: 'aggregate', function: 'count' }
  const distinct = { ...count, operand: column('c'), distinct: true, filter }
  const lower = { kind: 'call', function: 'lower', arguments: [column('a')] }
  assert.deepEqual(
    parse(`SCAN DISTINCT COUNT(DISTINCT c) FILTER (WHERE b > 1) AS n, having FROM t
      GROUP BY lower(a), b HAVING COUNT(*) > 1 ORDER BY lower(a), n DESC`),
    [
      {
        kind: 'scan',
        distinct: true,
        projection: {
          kind: 'expressions',
          items: [
            { kind: 'expression', expression: distinct, label: 'n' },
            { kind: 'expression', expression: column('having'), label: 'having' },
          ],
        },
        table: { text: 't' },
        groupBy: [lower, column('b')],
        having: compared(count, '>', integer(1)),
        orderBy: [
          { expression: lower, descending: false },
          { expression: column('n'), descending: true },
        ],
      },
    ],
  )
})

test('DISTINCT and FILTER are of an aggregate, and FILTER is of rows', () => {
  for (const text of [
    'SCAN lower(DISTINCT a) FROM t',
    'SCAN lower(a) FILTER (WHERE b > 1) FROM t',
    'SCAN COUNT(DISTINCT *) FROM t',
    'SCAN COUNT(*) FILTER (WHERE COUNT(*) > 1) FROM t',
    'SCAN a FROM t GROUP BY COUNT(*)',
    'GET COUNT(DISTINCT a) FROM t WHERE id = 1',
  ]) {
    assert.throws(() => parse(text), { code: 'syntax_error' }, text)
  }
})

test('the name of an aggregate is a column where no parenthesis follows', () => {
  assert.deepEqual(parse('SCAN count, sum FROM max WHERE min = avg'), [
    {
      kind: 'scan',
      projection: projected('count', 'sum'),
      table: { text: 'max' },
      where: compared(column('min'), '=', column('avg')),
      groupBy: [],
      orderBy: [],
    },
  ])
})

test('SET asks before it writes, and answers what it wrote', () => {
  const set = (...rest: readonly object[]) =>
    rest.map((each) => ({
      kind: 'set',
      assignments: [{ column: { text: 'a' }, value: integer(1) }],
      table: { text: 't' },
      where: compared(column('id'), '=', integer(2)),
      ...each,
    }))
  const start = 'SET a = 1 ON t WHERE id = 2'
  const negated = {
    kind: 'unary',
    operator: 'NOT',
    operand: compared(column('a'), '=', integer(5)),
  }
  assert.deepEqual(
    parse(`${start} IF EXISTS; ${start} IF NOT EXISTS; ${start} IF NOT a = 5;
      ${start} IF a < 5 RETURNING *; ${start} RETURNING a, b`),
    set(
      { precondition: { kind: 'exists' } },
      { precondition: { kind: 'notExists' } },
      { precondition: { kind: 'condition', condition: negated } },
      {
        precondition: { kind: 'condition', condition: compared(column('a'), '<', integer(5)) },
        returning: ALL,
      },
      { returning: projected('a', 'b') },
    ),
  )
})

test('INSERT leaves duplicates out when told so, and answers what it wrote', () => {
  const insert = 'INSERT INTO t (a) VALUES (1) ON CONFLICT DO NOTHING RETURNING a, a + 1 AS next'
  assert.deepEqual(parse(insert), [
    {
      kind: 'insert',
      table: { text: 't' },
      columns: named('a'),
      rows: [[integer(1)]],
      onConflict: { action: { kind: 'nothing' } },
      returning: {
        kind: 'expressions',
        items: [item(column('a'), 'a'), item(compared(column('a'), '+', integer(1)), 'next')],
      },
    },
  ])
})

test('DELETE answers what it deleted', () => {
  assert.deepEqual(parse('DELETE FROM t USE PRIMARY KEY LIMIT :n RETURNING *'), [
    {
      kind: 'delete',
      table: { text: 't' },
      hint: { kind: 'primaryKey' },
      limit: parameter('n'),
      returning: ALL,
    },
  ])
})

test('NOTIFY names an observer and one row', () => {
  assert.deepEqual(parse('NOTIFY fold ON broker WHERE id = :id'), [
    {
      kind: 'notify',
      observer: { text: 'fold' },
      table: { text: 'broker' },
      where: compared(column('id'), '=', parameter('id')),
    },
  ])
})

test('a hint, a precondition and an aggregate know where they stand', () => {
  const [scan, set] = parser.parseScript(
    'SCAN 1 + COUNT(*) FROM t USE INDEX i; SET a = 1 ON t WHERE b = 1 IF EXISTS',
  )
  assert.ok(scan?.kind === 'scan' && scan.projection.kind === 'expressions')
  assert.equal(scan.hint?.position.offset, 25)
  const [item] = scan.projection.items
  assert.ok(item?.kind === 'expression')
  const sum = item.expression
  assert.ok(sum?.kind === 'binary' && sum.rest[0]?.operand.kind === 'aggregate')
  assert.equal(sum.rest[0].operand.position.offset, 9)
  assert.ok(set?.kind === 'set')
  assert.equal(set.precondition?.position.offset, 65)
})
