// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { startTestServer, type TestServer } from '../../../../test/server/test-server.ts'
import { SERVER_LIMITS } from '../../../limits.ts'

const ACCOUNTS = 'CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL DEFAULT 0)'

async function serverWithAccounts(t: TestContext): Promise<TestServer> {
  const server = await startTestServer(t)
  assert.equal((await server.query(ACCOUNTS)).status, 200)
  await server.rows("INSERT INTO account (id, balance) VALUES ('bob', 10), ('joe', 2)")
  return server
}

test('a transfer inside BEGIN and COMMIT is one transaction with one stamp', async (t) => {
  const server = await serverWithAccounts(t)
  const { status, body, headers } = await server.query(
    `BEGIN;
     SET balance = balance - :amount ON account WHERE id = 'bob';
     SET balance = balance + :amount ON account WHERE id = 'joe';
     COMMIT`,
    { params: { amount: 7 } },
  )
  assert.equal(status, 200)
  assert.deepEqual(
    body.results.map((result: { rowsAffected: number }) => result.rowsAffected),
    [0, 1, 1, 0],
  )
  assert.equal(body.attempts, 1)
  assert.ok(body.commitTimestamp > body.readTimestamp)
  assert.equal(Number(headers['percolite-read-timestamp']), body.readTimestamp)
  assert.equal(Number(headers['percolite-commit-timestamp']), body.commitTimestamp)
  assert.deepEqual(await server.rows('SCAN * FROM account'), [
    { id: 'bob', balance: 3 },
    { id: 'joe', balance: 9 },
  ])
})

test('statements with parameters of their own are one transaction: one fails, none happened', async (t) => {
  const server = await serverWithAccounts(t)
  const { status, body } = await server.post('/v1/query', {
    statements: [
      { sql: 'SET balance = $1 ON account WHERE id = $2', params: [1, 'bob'] },
      { sql: 'SET balance = balance / $1 ON account WHERE id = $2', params: [0, 'joe'] },
    ],
  })
  assert.equal(status, 400)
  assert.equal(body.code, 'division_by_zero')
  assert.equal(body.statement, 1)
  const [bob] = await server.rows("GET balance FROM account WHERE id = 'bob'")
  assert.deepEqual(bob, { balance: 10 })
})

test('a request that ends in ROLLBACK answers its rows and keeps nothing', async (t) => {
  const server = await serverWithAccounts(t)
  const { body } = await server.query(
    "BEGIN; SET balance = 0 ON account WHERE id = 'bob'; GET * FROM account WHERE id = 'bob'; ROLLBACK",
  )
  assert.deepEqual(body.results[2].rows, [{ id: 'bob', balance: 0 }])
  assert.equal(body.commitTimestamp, undefined)
  const [bob] = await server.rows("GET balance FROM account WHERE id = 'bob'")
  assert.equal(bob.balance, 10)
})

test('BEGIN READ ONLY refuses a write', async (t) => {
  const server = await serverWithAccounts(t)
  const sql = "BEGIN READ ONLY; SET balance = 0 ON account WHERE id = 'bob'; COMMIT"
  const { status, body } = await server.query(sql)
  assert.deepEqual([status, body.code, body.statement], [400, 'read_only_transaction', 1])
})

test('CREATE and DROP stand alone, and what committed before a failing one stays', async (t) => {
  const server = await serverWithAccounts(t)
  const create = (name: string) => `CREATE TABLE ${name} (id INTEGER PRIMARY KEY)`
  const { status, body } = await server.query(
    `${create('a')}; ${create('account')}; ${create('b')}`,
  )
  assert.deepEqual([status, body.code, body.statement], [409, 'already_exists', 1])
  const { body: list } = await server.get('/v1/tables')
  assert.deepEqual(
    list.tables.map((table: { name: string }) => table.name),
    ['a', 'account'],
  )
})

test('raw text and the type that curl sends are statements too', async (t) => {
  const server = await serverWithAccounts(t)
  const types = ['text/plain', 'application/sql', 'application/x-www-form-urlencoded']
  for (const type of [...types, 'text/plain; charset=utf-8']) {
    const { status, body } = await server.send({
      method: 'POST',
      path: '/v1/query',
      text: "GET balance FROM account WHERE id = 'bob' -- his\n",
      headers: { 'content-type': type },
    })
    assert.equal(status, 200, type)
    assert.deepEqual(body.results[0].rows, [{ balance: 10 }])
  }
})

test('every type goes out as its column says, and comes back the same', async (t) => {
  const server = await startTestServer(t)
  await server.query(
    'CREATE TABLE every (i INTEGER PRIMARY KEY, t TEXT, r REAL, b BOOLEAN, y BYTES, s TIMESTAMP, j JSON)',
  )
  const row = {
    i: '9223372036854775807',
    t: 'ü\u0000🙂',
    r: 0.1,
    b: true,
    y: 'AP8=',
    s: '2026-01-31T12:00:00.000001Z',
    j: { a: [1, null, 'x'] },
  }
  await server.rows('INSERT INTO every (i, t, r, b, y, s, j) VALUES (:i, :t, :r, :b, :y, :s, :j)', {
    params: row,
  })
  assert.deepEqual(await server.rows('SCAN * FROM every'), [row])
  await server.rows('INSERT INTO every (i) VALUES (7)')
  const number = await server.rows('GET i FROM every WHERE i = 7')
  const text = await server.rows('GET i FROM every WHERE i = 7', { integers: 'string' })
  assert.deepEqual([number, text], [[{ i: 7 }], [{ i: '7' }]])
})

test('a column named __proto__ is a column', async (t) => {
  const server = await startTestServer(t)
  await server.query(
    'CREATE TABLE odd (id INTEGER PRIMARY KEY, "__proto__" TEXT, "constructor" TEXT)',
  )
  await server.rows(`INSERT INTO odd (id, "__proto__", "constructor") VALUES (1, 'p', 'c')`)
  const { text } = await server.query('SCAN * FROM odd')
  assert.match(text, /\{"id":1,"__proto__":"p","constructor":"c"\}/)
})

async function serverWithRows(t: TestContext, count: number): Promise<TestServer> {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE n (id INTEGER PRIMARY KEY)')
  const values = Array.from({ length: count }, (_, id) => `(${id})`)
  await server.rows(`INSERT INTO n (id) VALUES ${values.join(', ')}`)
  return server
}

const idsOf = (rows: ReadonlyArray<{ id: number }>) => rows.map(({ id }) => id)

test('a long SCAN comes in pages of one snapshot, LIMIT over all of them', async (t) => {
  const server = await serverWithRows(t, 25)
  const sql = 'SCAN id FROM n ORDER BY id DESC LIMIT 21'
  const ids: number[] = []
  const stamps = new Set<number>()
  let cursor: string | undefined
  do {
    const more = cursor === undefined ? {} : { cursor }
    const { status, body, text } = await server.query(sql, { pageSize: 10, ...more })
    assert.equal(status, 200, text)
    ids.push(...idsOf(body.results[0].rows))
    stamps.add(body.readTimestamp)
    cursor = body.cursor
    // Rows that come between two pages belong to a later snapshot.
    await server.rows('INSERT INTO n (id) VALUES (:id)', { params: { id: 1_000 + ids.length } })
  } while (cursor !== undefined)
  assert.deepEqual(
    ids,
    Array.from({ length: 21 }, (_, index) => 24 - index),
  )
  assert.equal(stamps.size, 1)
})

test('writers of one row all succeed in the end, and some needed more than one attempt', async (t) => {
  // On a machine that has other things to do, two seconds may be too few for four.
  t.mock.property(
    SERVER_LIMITS as { transactionRetryMsMax: number },
    'transactionRetryMsMax',
    60_000,
  )
  const server = await serverWithRows(t, 600)
  await server.query('CREATE TABLE total (id INTEGER PRIMARY KEY, n INTEGER)')
  // A SCAN of so many rows lets the others have their turn between the snapshot and the commit.
  const sql = 'SCAN id FROM n; SET n = coalesce(n, 0) + 1 ON total WHERE id = 1'
  const answers = await Promise.all(Array.from({ length: 4 }, () => server.query(sql)))
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200, 200],
  )
  assert.ok(answers.some(({ body }) => body.attempts > 1))
  assert.deepEqual(await server.rows('SCAN n FROM total'), [{ n: 4 }])
})

test('a cursor is refused with other text, other parameters, or after it was changed', async (t) => {
  const server = await serverWithRows(t, 5)
  const scan = { params: { low: 0 }, pageSize: 2 }
  const { body } = await server.query('SCAN id FROM n WHERE id >= :low', scan)
  const { cursor } = body
  const others = [
    server.query('SCAN id FROM n', { pageSize: 2, cursor }),
    server.query('SCAN id FROM n WHERE id >= :low', { ...scan, params: { low: 1 }, cursor }),
    server.query('SCAN id FROM n WHERE id >= :low', { ...scan, cursor: `${cursor}A` }),
    server.query('GET id FROM n WHERE id = 1', { cursor }),
  ]
  for (const { status, body } of await Promise.all(others)) {
    assert.deepEqual([status, body.code], [400, 'bad_cursor'])
  }
})

test('a script may not hold a SCAN that is longer than a page', async (t) => {
  const server = await serverWithRows(t, 10_001)
  const { status, body } = await server.query('SCAN id FROM n; SCAN id FROM n LIMIT 1')
  assert.deepEqual([status, body.code, body.limit], [413, 'limit_exceeded', 'pageRowsMax'])
  assert.equal(body.statement, 0)
})

test('AS OF reads the past: as a statement, as a transaction, beside the present', async (t) => {
  const server = await serverWithAccounts(t)
  const { body: before } = await server.query("GET balance FROM account WHERE id = 'bob'")
  const asOf = before.readTimestamp
  await server.rows("SET balance = 99 ON account WHERE id = 'bob'")
  const get = `GET balance FROM account AS OF ${asOf} WHERE id = 'bob'`
  assert.deepEqual(await server.rows(get), [{ balance: 10 }])
  const both = await server.query(`GET balance FROM account WHERE id = 'bob'; ${get}`)
  assert.deepEqual(
    both.body.results.map((result: { rows: unknown[] }) => result.rows[0]),
    [{ balance: 99 }, { balance: 10 }],
  )
  const parameter = 'GET balance FROM account AS OF :stamp WHERE id = :id'
  assert.deepEqual(await server.rows(parameter, { params: { stamp: asOf, id: 'bob' } }), [
    { balance: 10 },
  ])
  const iso = new Date(asOf / 1000 + 3_600_000).toISOString()
  const future = await server.query(`GET * FROM account AS OF '${iso}' WHERE id = 'bob'`)
  assert.deepEqual([future.status, future.body.code], [400, 'timestamp_in_future'])
  const transaction = await server.begin({ asOf })
  const inside = await server.query("GET balance FROM account WHERE id = 'bob'", { transaction })
  assert.deepEqual(inside.body.results[0].rows, [{ balance: 10 }])
})

test('before the table existed, AS OF does not know it', async (t) => {
  const server = await startTestServer(t)
  const { body: status } = await server.get('/v1/status')
  await server.query(ACCOUNTS)
  const { body } = await server.query(`SCAN * FROM account AS OF ${status.timestamp}`)
  assert.equal(body.code, 'unknown_table')
})

test('a statement that runs too long is stopped, and the server goes on', async (t) => {
  const server = await serverWithRows(t, 5_000)
  const sql = "SCAN id FROM n USE PRIMARY KEY WHERE upper('a') = 'B'"
  const { status, body } = await server.query(sql, { timeoutMs: 1 })
  assert.deepEqual([status, body.code], [504, 'statement_timeout'])
  assert.equal((await server.rows('GET id FROM n WHERE id = 1')).length, 1)
})

test('SHOW, DESCRIBE and EXPLAIN answer rows', async (t) => {
  const server = await serverWithAccounts(t)
  assert.equal((await server.rows('SHOW TABLES')).length, 1)
  assert.equal((await server.rows('DESCRIBE account')).length, 2)
  assert.equal((await server.rows("EXPLAIN GET * FROM account WHERE id = 'bob'")).length, 1)
  assert.equal((await server.rows('EXPLAIN ANALYZE SCAN * FROM account')).length, 1)
})

test('an observer is defined alone, is listed with its table, and NOTIFY is a statement of a transaction', async (t) => {
  const server = await serverWithAccounts(t)
  const create = 'CREATE WEAK OBSERVER audit ON account (balance)'
  const mixed = await server.query(`BEGIN; ${create}; COMMIT`)
  assert.deepEqual([mixed.status, mixed.body.code], [400, 'script_mixture'])
  assert.equal((await server.query(create)).status, 200)
  const observer = { name: 'audit', weak: true, columns: ['balance'], backfilled: true }
  const { body: before } = await server.get('/v1/tables/account')
  assert.deepEqual(before.observers, [{ ...observer, state: 'active' }])
  await server.query('ALTER OBSERVER audit PAUSE')
  const { body: after } = await server.get('/v1/tables/account')
  assert.deepEqual(after.observers, [{ ...observer, state: 'paused' }])
  const notify = "NOTIFY audit ON account WHERE id = 'nobody'"
  const { status, body } = await server.query(`BEGIN; ${notify}; COMMIT`)
  assert.equal(status, 200)
  assert.ok(body.commitTimestamp > body.readTimestamp)
  const replayed = await server.query('ALTER OBSERVER audit REPLAY FROM :since', {
    params: { since: body.commitTimestamp },
  })
  assert.deepEqual([replayed.status, replayed.body.code], [400, 'invalid_request'])
  assert.match(replayed.body.detail, /is weak/)
  const unknown = await server.query('DROP OBSERVER adit')
  assert.deepEqual([unknown.status, unknown.body.nearest], [404, ['audit']])
})
