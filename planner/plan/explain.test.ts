// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { SqlSession } from '../../test/sql-session.ts'

let session: SqlSession
before(async () => {
  session = await SqlSession.open(
    'CREATE TABLE n (id INTEGER PRIMARY KEY, v INTEGER)',
    'INSERT INTO n (id, v) VALUES (1, 1), (2, 2), (3, 3)',
  )
})
after(() => session.close())

test('EXPLAIN needs no parameters and reads no row', async () => {
  const { rows, columns } = await session.run(
    'EXPLAIN SCAN v FROM n WHERE id > :low AND (v = 1 OR v = 2) ORDER BY id DESC LIMIT :n',
  )
  assert.deepEqual(columns, [
    { name: 'text', type: 'TEXT' },
    { name: 'plan', type: 'JSON' },
  ])
  const [text, plan] = rows[0] as [string, string]
  assert.equal(
    text,
    [
      'SCAN n',
      '  access: range scan by PRIMARY KEY (id)',
      '  rule: key prefix',
      '  bounds: id > :low',
      '  filter: ((v = 1) OR (v = 2))',
      '  order: reverse',
      '  limit: :n',
    ].join('\n'),
  )
  assert.deepEqual(JSON.parse(plan), {
    statement: 'SCAN',
    table: 'n',
    key: 'PRIMARY KEY (id)',
    rule: 'key prefix',
    access: 'range scan',
    bounds: ['id > :low'],
    filter: ['((v = 1) OR (v = 2))'],
    order: 'reverse',
    limit: ':n',
    rejected: [],
  })
})

test('EXPLAIN of what writes tells the checks that it may fail', async () => {
  await session.run(
    'CREATE TABLE c (id INTEGER PRIMARY KEY, v INTEGER CONSTRAINT positive CHECK (v > 0), w INTEGER CHECK (w > 0))',
  )
  const all = ['positive (v > 0)', 'c_w_check (w > 0)']
  for (const [sql, checks] of [
    ['SET v = 1 ON c WHERE id = 1', all],
    ['SET v = 1 ON c WHERE id = 1 IF NOT EXISTS', all],
    ['SET v = 1 ON c WHERE id = 1 IF EXISTS', all.slice(0, 1)],
    ['SET v = 1 ON c WHERE id = 1 IF w > 3', all.slice(0, 1)],
    ['SET v = 1 ON c WHERE id = 1 IF coalesce(w, 1) = 1', all],
    ['SET w = w + 1 ON c WHERE id = 1', all.slice(1)],
    ['SET v = 1 ON c WHERE id > 1', all.slice(0, 1)],
    ['INSERT INTO c (id, v) VALUES (1, 1)', all],
    ['INSERT INTO c (id, v) VALUES (1, 1) ON CONFLICT DO UPDATE SET v = 2', all],
    ['DELETE FROM c WHERE id = 1', undefined],
    ['GET * FROM c WHERE id = 1', undefined],
    ['SET v = 1 ON n WHERE id = 1', undefined],
  ] as const) {
    const [text, plan] = (await session.run(`EXPLAIN ${sql}`)).rows[0] as [string, string]
    assert.deepEqual(JSON.parse(plan).checks, checks, sql)
    assert.equal(
      text.split('\n').find((line) => line.startsWith('  checks: ')),
      checks && `  checks: ${checks.join(', ')}`,
    )
  }
})

test('EXPLAIN of a SET over rows tells how it finds them and what it sets', async () => {
  const sql = 'EXPLAIN SET v = v + :n ON n WHERE id < 3 AND v > 1 LIMIT 5 RETURNING id'
  const { rows } = await session.run(sql)
  assert.equal(
    rows[0]?.[0],
    [
      'SET n',
      '  access: range scan by PRIMARY KEY (id)',
      '  rule: key prefix',
      '  bounds: id < 3',
      '  filter: v > 1',
      '  order: forward',
      '  limit: 5',
      '  writes: sets v = v + :n of the rows found',
      '  returning: id',
    ].join('\n'),
  )
})

const measured = async (text: string): Promise<unknown> =>
  JSON.parse((await session.run(`EXPLAIN ANALYZE ${text}`)).rows[0]?.[1] as string).measured

test('EXPLAIN ANALYZE counts rows, and what it writes never happened', async () => {
  const expected: ReadonlyArray<readonly [string, number, number, number]> = [
    ['GET * FROM n WHERE id IN (1, 2, 9)', 2, 2, 0],
    ['SCAN * FROM n WHERE id > 1 AND v <> 2', 2, 1, 0],
    ['SET v = v + 1 ON n WHERE id = 1', 1, 0, 1],
    ['SET v = v + 1 ON n WHERE id >= 2 AND v > 2', 2, 0, 1],
    ['SET v = v + 1 ON n WHERE id IN (1, 2, 9) RETURNING v', 2, 2, 2],
    ['INSERT INTO n (id) VALUES (7), (8)', 0, 0, 2],
    ['DELETE FROM n WHERE id >= 2', 2, 0, 2],
  ]
  for (const [text, rowsRead, rowsReturned, rowsAffected] of expected) {
    const read = { rowsRead, entriesRead: 0, cellsRead: rowsRead, roundTrips: 1 }
    assert.deepEqual(await measured(text), { ...read, rowsReturned, rowsAffected }, text)
  }
  assert.deepEqual((await session.run('SCAN * FROM n')).rows, [
    [1n, 1n],
    [2n, 2n],
    [3n, 3n],
  ])
})

test('EXPLAIN ANALYZE of a statement that fails fails alike', async () => {
  await assert.rejects(measured('INSERT INTO n (id) VALUES (1)'), { code: 'already_exists' })
})
