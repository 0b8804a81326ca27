// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createParser } from '../parser/parser.ts'
import { rowsToJson, SqlSession } from '../test/sql-session.ts'
import { tableOf } from '../test/storage/table-of.ts'
import { createExpressionCompiler } from './expressions/expression.ts'
import { type RowPart, rowOf } from './row-parts.ts'

let session: SqlSession
before(async () => {
  session = await SqlSession.open(
    'CREATE TABLE orders (id INTEGER PRIMARY KEY, customer TEXT, n INTEGER)',
  )
  await session.run("INSERT INTO orders (id, customer, n) VALUES (1, 'bob', 5), (2, 'joe', 6)")
})
after(() => session.close())

const answer = async (text: string) => rowsToJson(await session.run(text))

test('a column may stand with its table before it, or with the alias of the table', async () => {
  for (const text of [
    'GET orders.id, n FROM orders WHERE orders.id = 2',
    'GET o.id, o.n FROM orders AS o WHERE o.id = 2',
    'SCAN o.id, n FROM orders AS o WHERE o.id > 1 ORDER BY o.id DESC',
    'SCAN o.id, SUM(o.n) AS n FROM orders AS o WHERE o.id > 1 GROUP BY o.id ORDER BY o.id',
  ]) {
    assert.deepEqual(await answer(text), [{ id: 2, n: 6 }], text)
  }
  const written =
    'SET n = orders.n + 1 ON orders WHERE orders.id = 2 IF orders.n = 6 RETURNING orders.n'
  assert.deepEqual(await answer(written), [{ n: 7 }])
  assert.deepEqual(await answer('SET n = 6 ON orders WHERE id = 2 RETURNING orders.*'), [
    { id: 2, customer: 'joe', n: 6 },
  ])
})

test('table.* are all columns of the table, among others', async () => {
  assert.deepEqual(await answer('GET n + 1 AS more, o.* FROM orders AS o WHERE id = 1'), [
    { more: 6, id: 1, customer: 'bob', n: 5 },
  ])
})

test('EXPLAIN shows columns as they were written', async () => {
  const [[text] = []] = (await session.run('EXPLAIN SCAN n FROM orders AS o WHERE o.id > 1')).rows
  assert.match(String(text), /o\.id > 1/)
})

for (const [text, code, message, hint] of [
  [
    'SCAN x.n FROM orders AS o',
    'unknown_column',
    'No table of this statement is named x.',
    'Its table is o.',
  ],
  [
    'SCAN orders.n FROM orders AS o',
    'unknown_column',
    'No table of this statement is named orders.',
    'orders is named o here.',
  ],
  [
    'SCAN order_.* FROM orders',
    'unknown_column',
    'No table of this statement is named order_.',
    'Did you mean orders?',
  ],
  [
    'SCAN o.costumer FROM orders AS o',
    'unknown_column',
    'The table orders has no column costumer.',
    'Did you mean customer?',
  ],
  [
    'SCAN o.*, n FROM orders AS o',
    'invalid_request',
    'Two columns of the result are named n.',
    'Give one of them another name with AS.',
  ],
  [
    'SCAN o.*, COUNT(*) FROM orders AS o',
    'invalid_request',
    'A group of rows has no *.',
    undefined,
  ],
] as const) {
  test(`${text}: ${message} ${hint ?? ''}`, async () => {
    await assert.rejects(session.run(text), {
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
    })
  })
}

// Several parts, before any statement has them.
const table = (name: string, ...columns: readonly string[]) =>
  tableOf(
    columns.map((column, at) => ({ id: at + 1, name: column, type: 'INTEGER', notNull: false })),
    { name },
  )
const [FIRST] = rowOf(table('a', 'id', 'x')) as [RowPart]
const SECOND: RowPart = { name: 'b', table: table('b', 'id', 'y'), offset: 2 }
const EXCLUDED: RowPart = { ...FIRST, name: 'excluded', offset: 2, isQualifiedOnly: true }
const parser = createParser()

function columnsOf(parts: readonly RowPart[], text: string): number[] {
  const [statement] = parser.parseScript(`SCAN ${text} AS value FROM t`)
  assert.ok(statement?.kind === 'scan' && statement.projection.kind === 'expressions')
  const [item] = statement.projection.items
  assert.ok(item?.kind === 'expression')
  return [...createExpressionCompiler(parts).compile(item.expression).columns]
}

test('columns of a second part stand after those of the first, and are found alone where only it has them', () => {
  assert.deepEqual(columnsOf([FIRST, SECOND], 'x'), [1])
  assert.deepEqual(columnsOf([FIRST, SECOND], 'y'), [3])
  assert.deepEqual(columnsOf([FIRST, SECOND], 'a.id'), [0])
  assert.deepEqual(columnsOf([FIRST, SECOND], 'b.id + a.x'), [2, 1])
})

test('a column that two parts have is ambiguous alone, and the error says how to write it', () => {
  assert.throws(() => columnsOf([FIRST, SECOND], 'id'), {
    code: 'invalid_request',
    message: 'The column id is one of a and of b.',
    hint: 'Write a.id or b.id.',
  })
  assert.throws(() => columnsOf([FIRST, SECOND], 'z'), {
    code: 'unknown_column',
    message: 'None of the tables a, b has a column z.',
  })
})

test('a part that is found by its qualifier only makes no column ambiguous', () => {
  assert.deepEqual(columnsOf([FIRST, EXCLUDED], 'x'), [1])
  assert.deepEqual(columnsOf([FIRST, EXCLUDED], 'excluded.x'), [3])
})
