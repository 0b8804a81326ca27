// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { type Answer, startTestServer, type TestServer } from '../../../test/server/test-server.ts'
import { TokenServer } from '../../../test/server/token-server.ts'

const ACCOUNT = `CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL DEFAULT 0 CHECK (balance >= 0),
  cap INTEGER, CONSTRAINT below CHECK (balance <= cap))`

async function serverWithBob(t: TestContext): Promise<TestServer> {
  const server = await startTestServer(t)
  await server.query(ACCOUNT)
  await server.rows("INSERT INTO account (id, balance, cap) VALUES ('bob', 5, 10)")
  return server
}

function failure({ status, body }: Answer): unknown[] {
  return [status, body?.code, body?.constraint, body?.key]
}

const TOO_LITTLE = [409, 'check_failed', 'account_balance_check', ['bob']]

describe('the CHECK of a table refuses a row', () => {
  const doors: Readonly<Record<string, string>> = {
    'of a SET by its key': "SET balance = balance - 6 ON account WHERE id = 'bob'",
    'of a SET that reads nothing': "SET balance = -1, cap = 3 ON account WHERE id = 'bob'",
    'of a SET of a range': "SET balance = balance - 6 ON account WHERE id < 'c'",
    'of an INSERT that changes it':
      "INSERT INTO account (id) VALUES ('bob') ON CONFLICT DO UPDATE SET balance = balance - 6",
    'of a SET inside a longer transaction':
      "BEGIN; GET * FROM account WHERE id = 'bob'; SET balance = -1 ON account WHERE id = 'bob'; COMMIT",
  }
  for (const [door, sql] of Object.entries(doors)) {
    test(door, async (t) => {
      const server = await serverWithBob(t)
      assert.deepEqual(failure(await server.query(sql)), TOO_LITTLE)
      assert.deepEqual(await server.rows("GET balance FROM account WHERE id = 'bob'"), [
        { balance: 5 },
      ])
    })
  }

  test('of an INSERT, whichever it is, and tells which', async (t) => {
    const server = await serverWithBob(t)
    const rows = "('ann', 1, 1), ('bob', 9, 8)"
    for (const conflict of ['', ' ON CONFLICT DO NOTHING']) {
      const answer = await server.query(
        `INSERT INTO account (id, balance, cap) VALUES ${rows}${conflict}`,
      )
      assert.deepEqual(failure(answer), [409, 'check_failed', 'below', ['bob']])
      assert.equal(answer.body.row, 1)
    }
    assert.equal((await server.rows('SCAN * FROM account USE PRIMARY KEY')).length, 1)
  })

  test('whatever the statement computes or looks for beside it', async (t) => {
    const server = await startTestServer(t)
    await server.query(`CREATE TABLE door (id INTEGER PRIMARY KEY, state TEXT CHECK (state IN ('open', 'shut')),
      width INTEGER CHECK (width < length('12345')))`)
    await server.rows("INSERT INTO door (id, state, width) VALUES (1, 'open', 4)")
    const open = "state IN ('ajar', 'open')"
    for (const sql of [
      `SET state = 'ajar' ON door WHERE id < 9 AND ${open}`,
      `SET state = 'ajar' ON door WHERE id = 1 IF ${open}`,
      "SET width = length(upper('1234567')) ON door WHERE id = 1",
      "SET width = length(upper('1234567')) ON door WHERE id < 9",
      `INSERT INTO door (id) VALUES (1) ON CONFLICT DO UPDATE SET state = 'ajar' IF door.${open}`,
      "INSERT INTO door (id) VALUES (1) ON CONFLICT DO UPDATE SET width = length(upper('1234567'))",
      "INSERT INTO door (id, state) VALUES (2, 'ajar') RETURNING id, 'ajar' IN ('ajar')",
    ]) {
      assert.equal((await server.query(sql)).body.code, 'check_failed', sql)
    }
  })

  test('that is put, changed or posted as a resource', async (t) => {
    const server = await serverWithBob(t)
    const path = '/v1/tables/account/rows/bob'
    for (const method of ['PUT', 'PATCH'] as const) {
      const answer = await server.send({ method, path, json: { balance: -1 } })
      assert.deepEqual(failure(answer), TOO_LITTLE)
    }
    const posted = { id: 'ann', balance: -1 }
    const one = await server.post('/v1/tables/account/rows', posted)
    assert.deepEqual(failure(one), [409, 'check_failed', 'account_balance_check', ['ann']])
    const several = await server.post('/v1/tables/account/rows', [{ id: 'joe' }, posted])
    assert.deepEqual(failure(several), [409, 'check_failed', 'account_balance_check', ['ann']])
    assert.equal((await server.rows('SCAN * FROM account USE PRIMARY KEY')).length, 1)
  })

  test('and leaves a transaction over several requests as it is', async (t) => {
    const server = await serverWithBob(t)
    const transaction = await server.begin()
    const inside = (sql: string) => server.query(sql, { transaction })
    assert.equal((await inside("SET cap = 7 ON account WHERE id = 'bob'")).status, 200)
    const refused = await inside("SET balance = 8 ON account WHERE id = 'bob'")
    assert.deepEqual(failure(refused), [409, 'check_failed', 'below', ['bob']])
    assert.equal((await server.post(`/v1/transactions/${transaction}/commit`)).status, 200)
    assert.deepEqual(await server.rows("GET balance, cap FROM account WHERE id = 'bob'"), [
      { balance: 5, cap: 7 },
    ])
  })

  test('that a SET makes with a default', async (t) => {
    const server = await startTestServer(t)
    await server.query(
      'CREATE TABLE part (id INTEGER PRIMARY KEY, n INTEGER DEFAULT 0 CHECK (n > 0), m INTEGER)',
    )
    const answer = await server.query('SET m = 1 ON part WHERE id = 1')
    assert.deepEqual(failure(answer), [409, 'check_failed', 'part_n_check', [1]])
  })

  test('for which it cannot be computed, but none for which it is NULL', async (t) => {
    const server = await startTestServer(t)
    await server.query(
      'CREATE TABLE part (id INTEGER PRIMARY KEY, of INTEGER, CHECK (10 / of > 1))',
    )
    assert.equal((await server.query('INSERT INTO part (id, of) VALUES (1, NULL)')).status, 200)
    const answer = await server.query('SET of = 0 ON part WHERE id = 1')
    assert.deepEqual(failure(answer), [409, 'check_failed', 'part_of_check', [1]])
    assert.match(answer.body.detail, /cannot be computed of it: A number cannot be divided by zero/)
  })
})

describe('a CHECK that is added', () => {
  test('is kept when each row that is there meets it, and shown as it can be written', async (t) => {
    const server = await serverWithBob(t)
    await server.rows('ALTER TABLE account ADD CHECK (balance <> 6)')
    const { body } = await server.get('/v1/tables/account')
    assert.deepEqual(body.checks.at(-1), {
      name: 'account_balance_check1',
      condition: 'balance <> 6',
      state: 'ready',
    })
    const six = await server.query("SET balance = 6 ON account WHERE id = 'bob'")
    assert.deepEqual(failure(six), [409, 'check_failed', 'account_balance_check1', ['bob']])
    const [shown] = await server.rows('SHOW CREATE TABLE account')
    await server.rows('DROP TABLE account')
    await server.rows(shown.statement)
    assert.deepEqual((await server.rows('SHOW CREATE TABLE account'))[0], shown)
  })

  test('is taken back for a row that fails it, which is told', async (t) => {
    const server = await serverWithBob(t)
    const answer = await server.query('ALTER TABLE account ADD CONSTRAINT big CHECK (balance > 5)')
    assert.deepEqual(failure(answer), [409, 'check_failed', 'big', ['bob']])
    const { body } = await server.get('/v1/tables/account')
    assert.equal(body.checks.length, 2)
    await server.rows("SET balance = 1 ON account WHERE id = 'bob'")
  })

  test('leaves no row behind of a transaction that began before it', async (t) => {
    const server = await serverWithBob(t)
    const transaction = await server.begin()
    const written = await server.query("SET balance = 6 ON account WHERE id = 'bob'", {
      transaction,
    })
    assert.equal(written.status, 200)
    await server.rows('ALTER TABLE account ADD CHECK (balance <> 6)')
    const { body } = await server.post(`/v1/transactions/${transaction}/commit`)
    assert.equal(body.code, 'schema_changed')
  })

  test('is noted by a script when it holds for all rows, and not before', async (t) => {
    const server = await serverWithBob(t)
    await server.query('CREATE TABLE progress (name TEXT PRIMARY KEY, done INTEGER NOT NULL)')
    await server.query("INSERT INTO progress (name, done) VALUES ('first', 0)")
    const sql = 'ALTER TABLE account ADD CONSTRAINT big CHECK (balance > 5)'
    const note = {
      sql: "CHECK done = :before ON progress WHERE name = 'first'; SET done = :done ON progress WHERE name = 'first'",
      params: {},
    }
    const done = async () => (await server.rows("GET done FROM progress WHERE name = 'first'"))[0]
    assert.equal((await server.post('/v1/scripts', { sql, note })).body.code, 'check_failed')
    assert.deepEqual(await done(), { done: 0 })
    await server.rows("SET balance = 6 ON account WHERE id = 'bob'")
    assert.equal((await server.post('/v1/scripts', { sql, note })).status, 200)
    assert.deepEqual(await done(), { done: 1 })
  })
})

test('a column that a rule of a role names keeps its name until that is revoked', async (t) => {
  const server = await TokenServer.start(t)
  await server.query('CREATE TABLE note (id TEXT PRIMARY KEY, owner TEXT, other TEXT)')
  await server.query('CREATE ROLE app')
  await server.query('GRANT READ ON note TO app WHERE owner = token.sub')
  const rename = 'ALTER TABLE note RENAME COLUMN owner TO holder'
  const { body } = await server.query(rename)
  assert.deepEqual([body.code, body.role], ['invalid_request', 'app'])
  await server.query('REVOKE READ ON note FROM app')
  assert.equal((await server.query(rename)).status, 200)
})

describe('a CHECK is refused', () => {
  const refused: ReadonlyArray<readonly [string, string, RegExp]> = [
    ['with a parameter', 'a > :least', /no parameters/],
    ['about whoever asks', 'a > token.sub', /WHERE of a GRANT only/],
    ['with a clock', 'b > now()', /no lasting value/],
    ['without a column', '1 < 2', /names at least one/],
    ['over two families', "a > 1 AND c = ''", /different families/],
    ['that is no condition', 'a + 1', /./],
  ]
  for (const [what, condition, detail] of refused) {
    test(what, async (t) => {
      const server = await startTestServer(t)
      const table = 'a INTEGER, b TIMESTAMP, c TEXT, FAMILY far (c)'
      const sql = `CREATE TABLE t (id TEXT PRIMARY KEY, ${table}, CHECK (${condition}))`
      const { status, body } = await server.query(sql)
      assert.equal(status, 400)
      assert.match(body.detail, detail)
    })
  }

  test('with a name that another one has', async (t) => {
    const server = await serverWithBob(t)
    const { body } = await server.query(
      'ALTER TABLE account ADD CONSTRAINT "Below" CHECK (cap > 0)',
    )
    assert.deepEqual([body.code, body.existing], ['already_exists', 'below'])
  })

  test('no more after it was dropped, nor with the column that it names', async (t) => {
    const server = await serverWithBob(t)
    const { body } = await server.query('ALTER TABLE account DROP COLUMN cap')
    assert.deepEqual([body.code, body.constraint], ['invalid_request', 'below'])
    await server.rows('ALTER TABLE account DROP CONSTRAINT below')
    await server.rows('ALTER TABLE account DROP COLUMN cap')
    await server.rows("SET balance = 20 ON account WHERE id = 'bob'")
  })
})
