// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { startTestServer, type TestServer } from '../../../test/server/test-server.ts'

async function market(t: Parameters<typeof startTestServer>[0]): Promise<TestServer> {
  const server = await startTestServer(t)
  for (const sql of [
    'CREATE TABLE trade (id INTEGER PRIMARY KEY, broker TEXT NOT NULL, price INTEGER, meta JSON)',
    'CREATE TABLE broker (id TEXT PRIMARY KEY, commission REAL NOT NULL DEFAULT 0, trades INTEGER)',
    'CREATE TABLE counter (id TEXT PRIMARY KEY, next INTEGER NOT NULL)',
    `INSERT INTO trade (id, broker, price, meta)
       VALUES (1, 'ann', 70, '{"a":1e400}'), (2, 'ann', 30, NULL), (3, 'bob', NULL, NULL)`,
    "INSERT INTO broker (id, trades) VALUES ('ann', 0), ('bob', 0)",
    "INSERT INTO counter (id, next) VALUES ('trade', 4)",
  ]) {
    assert.equal((await server.query(sql)).status, 200, sql)
  }
  return server
}

/** The rows of each statement. */
async function rowsOf(server: TestServer, sql: string, params?: object) {
  const { status, body, text } = await server.query(sql, params === undefined ? {} : { params })
  assert.equal(status, 200, text)
  return body.results.map(({ rows }: { rows: unknown[] }) => rows)
}

async function refused(server: TestServer, sql: string, params?: object) {
  const { status, body } = await server.query(sql, params === undefined ? {} : { params })
  assert.notEqual(status, 200)
  const { code, detail, hint, statement, line, column } = body
  return { code, detail, hint, statement, line, column }
}

describe('INTO', () => {
  test('gives what one statement has read to those after it, in one request', async (t) => {
    const server = await market(t)
    const rows = await rowsOf(
      server,
      `GET broker, price FROM trade WHERE id = :trade INTO :broker, :price;
       SET commission = commission + :price * 0.1, trades = trades + 1 ON broker WHERE id = :broker;
       GET * FROM broker WHERE id = :broker`,
      { trade: 1 },
    )
    assert.deepEqual(rows[0], [{ broker: 'ann', price: 70 }])
    assert.deepEqual(rows[2], [{ id: 'ann', commission: 7, trades: 1 }])
  })

  test('takes aggregates, RETURNING, and values of every type as they are', async (t) => {
    const server = await market(t)
    const rows = await rowsOf(
      server,
      `SET next = next + 1 ON counter WHERE id = 'trade' RETURNING next - 1 AS id INTO :id;
       SCAN MAX(price), COUNT(*) FROM trade USE PRIMARY KEY WHERE broker = 'ann' INTO :top, :count;
       GET meta FROM trade WHERE id = 1 INTO :meta;
       INSERT INTO trade (id, broker, price, meta) VALUES (:id, 'eve', :top + :count, :meta);
       GET * FROM trade WHERE id = :id`,
    )
    assert.deepEqual(rows.at(-1), [
      { id: 4, broker: 'eve', price: 72, meta: { a: Number.POSITIVE_INFINITY } },
    ])
  })

  test('is NULL where the column is, and where an aggregate has no rows', async (t) => {
    const server = await market(t)
    const rows = await rowsOf(
      server,
      `SCAN MAX(price) AS top FROM trade USE PRIMARY KEY WHERE broker = 'nobody' INTO :top;
       GET price FROM trade WHERE id = 3 INTO :price;
       GET id, coalesce(:top, 1) AS top, :price IS NULL AS unknown FROM broker WHERE id = 'bob'`,
    )
    assert.deepEqual(rows[2], [{ id: 'bob', top: 1, unknown: true }])
  })

  test('wants one row: none and several end the request, and nothing of it is kept', async (t) => {
    const server = await market(t)
    const raise = "SET trades = 9 ON broker WHERE id = 'ann';\n"
    const none = await refused(server, `${raise}GET price FROM trade WHERE id = 9 INTO :p`)
    assert.deepEqual(
      [none.code, none.statement, none.line, none.column],
      ['row_not_found', 1, 2, 35],
    )
    const sql = `${raise}SCAN price FROM trade WHERE id > 0 INTO :p`
    const several = await refused(server, sql)
    assert.equal(several.code, 'invalid_request')
    assert.equal(several.detail, 'INTO wants one row, and there are several.')
    assert.deepEqual(await rowsOf(server, "GET trades FROM broker WHERE id = 'ann'"), [
      [{ trades: 0 }],
    ])
    await rowsOf(server, 'SCAN price FROM trade WHERE id > 0 LIMIT 1 INTO :p')
  })

  test('has the types of the columns: what does not fit is refused with its place', async (t) => {
    const server = await market(t)
    const wrong = await refused(
      server,
      `GET broker FROM trade WHERE id = 1 INTO :b;
SET trades = :b ON broker WHERE id = :b`,
    )
    assert.deepEqual([wrong.code, wrong.statement, wrong.line], ['type_mismatch', 1, 2])
    const list = await refused(
      server,
      'GET id FROM trade WHERE id = 1 INTO :i; GET id FROM trade WHERE id IN :i',
    )
    assert.deepEqual([list.code, list.hint], ['type_mismatch', 'Write IN (:i).'])
    const branches = `GET price FROM trade WHERE id = 1 INTO :n;
       GET CASE id WHEN 'ann' THEN :n ELSE :m END AS v FROM broker WHERE id = 'bob'`
    assert.deepEqual((await rowsOf(server, branches, { m: 5 }))[1], [{ v: 5 }])
    // The same text with other types of columns is planned anew.
    const text = 'GET v FROM one WHERE id = 1 INTO :v; GET id FROM two WHERE id = :v'
    for (const type of ['TEXT', 'INTEGER']) {
      for (const name of ['one', 'two']) {
        await rowsOf(server, `DROP TABLE IF EXISTS ${name}`)
      }
      await rowsOf(server, `CREATE TABLE one (id INTEGER PRIMARY KEY, v ${type})`)
      await rowsOf(server, `CREATE TABLE two (id ${type} PRIMARY KEY)`)
      const value = type === 'TEXT' ? "'5'" : '5'
      await rowsOf(
        server,
        `INSERT INTO one (id, v) VALUES (1, ${value}); INSERT INTO two (id) VALUES (${value})`,
      )
      const [, found] = await rowsOf(server, text)
      assert.deepEqual(found, [{ id: type === 'TEXT' ? '5' : 5 }])
    }
  })

  test('has a name once, which params do not give as well', async (t) => {
    const server = await market(t)
    const read = 'GET price FROM trade WHERE id = 1 INTO :p; '
    const again = await refused(server, `${read}${read}`)
    assert.equal(again.detail, 'An earlier statement has read INTO :p.')
    const given = await refused(server, `${read}GET id FROM trade WHERE id = :p`, { p: 1 })
    assert.match(given.detail, /params has it as well/)
    const twice = await refused(server, 'GET id, price FROM trade WHERE id = 1 INTO :p, :p')
    assert.equal(twice.code, 'syntax_error')
    const fewer = await refused(server, 'GET id, price FROM trade WHERE id = 1 INTO :p')
    assert.match(fewer.detail, /INTO has 1 name for 2 values/)
    const star = await refused(server, 'GET * FROM trade WHERE id = 1 INTO :p')
    assert.match(star.detail, /INTO has 1 name, and the row has 4 columns/)
    const before = await refused(server, `GET id FROM trade WHERE id = :p; ${read}`)
    assert.match(before.detail, /The parameter :p has no value/)
  })

  test('goes over the statements of a list, and not over requests', async (t) => {
    const server = await market(t)
    const { status, body, text } = await server.send({
      method: 'POST',
      path: '/v1/query',
      json: {
        statements: [
          { sql: 'GET broker FROM trade WHERE id = $1 INTO :b', params: [3] },
          { sql: 'SET trades = trades + 1 ON broker WHERE id = :b' },
          { sql: 'GET trades FROM broker WHERE id = :b' },
        ],
      },
    })
    assert.equal(status, 200, text)
    assert.deepEqual(body.results[2].rows, [{ trades: 1 }])
    const begun = await server.query('BEGIN')
    const { transaction } = begun.body
    const inside = (sql: string) =>
      server.send({ method: 'POST', path: '/v1/query', json: { sql, transaction } })
    assert.equal((await inside('GET broker FROM trade WHERE id = 1 INTO :b')).status, 200)
    const later = await inside('GET trades FROM broker WHERE id = :b')
    assert.match(later.body.detail, /The parameter :b has no value/)
  })

  test('is explained with its types, and with the values of a run by ANALYZE', async (t) => {
    const server = await market(t)
    const explained = await server.query(
      `EXPLAIN GET broker FROM trade WHERE id = 1 INTO :b;
       EXPLAIN SET trades = trades + 1 ON broker WHERE id = :b`,
    )
    assert.equal(explained.status, 200, explained.text)
    const analyzed = await refused(
      server,
      `EXPLAIN GET broker FROM trade WHERE id = 1 INTO :b;
       EXPLAIN ANALYZE SET trades = trades + 1 ON broker WHERE id = :b`,
    )
    assert.equal(analyzed.detail, 'EXPLAIN has read nothing INTO :b.')
    const both = await rowsOf(
      server,
      `EXPLAIN ANALYZE GET broker FROM trade WHERE id = 1 INTO :b;
       EXPLAIN ANALYZE SET trades = trades + 1 ON broker WHERE id = :b RETURNING trades INTO :n;
       EXPLAIN ANALYZE SCAN id FROM trade WHERE id = :n`,
    )
    assert.equal(both[1][0].plan.measured.rowsAffected, 1)
    assert.equal(both[2][0].plan.measured.rowsReturned, 1)
    assert.deepEqual(await rowsOf(server, "GET trades FROM broker WHERE id = 'ann'"), [
      [{ trades: 0 }],
    ])
  })

  test('is part of the request that is run again after a conflict', async (t) => {
    const server = await market(t)
    const text = `GET next FROM counter WHERE id = 'trade' INTO :n;
      SET next = :n + 1 ON counter WHERE id = 'trade'`
    const runs = await Promise.all(Array.from({ length: 20 }, () => server.query(text)))
    for (const { status, text: answer } of runs) assert.equal(status, 200, answer)
    assert.deepEqual(await rowsOf(server, "GET next FROM counter WHERE id = 'trade'"), [
      [{ next: 24 }],
    ])
  })
})
