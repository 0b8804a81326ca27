// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { ManualClock } from '../../../test/manual-clock.ts'
import { openSocket } from '../../../test/server/socket-client.ts'
import { type AnswerBody, startTestServer } from '../../../test/server/test-server.ts'
import { TokenServer } from '../../../test/server/token-server.ts'
import { SERVER_LIMITS } from '../../limits.ts'

const ACCOUNT = 'CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)'

async function countingServer(t: TestContext) {
  const server = await startTestServer(t)
  await server.query(ACCOUNT)
  const list = async (query = ''): Promise<AnswerBody> => {
    const { status, body, text } = await server.get(`/v1/statements${query}`)
    assert.equal(status, 200, text)
    return body
  }
  /** The counts of runs by shape. */
  const counts = async () => {
    const { statements } = await list()
    return Object.fromEntries(statements.map((one: AnswerBody) => [one.statement, one.count]))
  }
  return { server, list, counts }
}

describe('GET /v1/statements', () => {
  it('counts by shape what ran, what it came to, and how its rows are found', async (t) => {
    const { server, list } = await countingServer(t)
    for (const [id, balance] of [
      ['bob', 10],
      ['joe', 2],
    ]) {
      await server.query(`INSERT INTO account (id, balance) VALUES ('${id}', ${balance})`)
    }
    await server.query("INSERT INTO account (id, balance) VALUES ('bob', 1)")
    await server.query('SCAN * FROM account USE PRIMARY KEY')
    const { since, total, forgotten, statements } = await list('?order=count')
    assert.ok(Date.parse(since) > 0)
    assert.deepEqual([total, forgotten, statements.length], [2, 0, 2])
    const [{ totalMs, p50Ms, p99Ms, maxMs, ...insert }, scan] = statements
    assert.deepEqual(insert, {
      statement: 'INSERT INTO account (id, balance) VALUES (?, …)',
      table: 'account',
      access: 'point get',
      key: 'PRIMARY KEY (id)',
      count: 3,
      errors: { already_exists: 1 },
      rowsReturned: 0,
      rowsWritten: 2,
    })
    assert.ok(0 <= p50Ms && p50Ms <= p99Ms && p99Ms <= maxMs && maxMs <= totalMs)
    assert.deepEqual([scan.access, scan.rowsReturned, scan.count], ['whole key', 2, 1])
    assert.equal((await list('?limit=1')).statements.length, 1)
    assert.equal((await list('?order=rows')).statements.length, 2)
  })

  it('counts statements of every door', async (t) => {
    const { server, counts } = await countingServer(t)
    const { port } = await server.listen()
    const one = "GET * FROM account WHERE id = 'bob'"
    await server.query(one)
    await server.query(`BEGIN; ${one}; GET balance FROM account WHERE id = 'joe'; COMMIT`)
    await server.post('/v1/query', { statements: [{ sql: one }, { sql: one }] })
    await server.post('/v1/scripts', { sql: `${one};\n${one};` })
    const transaction = await server.begin()
    await server.post(`/v1/transactions/${transaction}/query`, { sql: one })
    const client = await openSocket(t, port)
    await client.query(one)
    const scan = 'SCAN id FROM account USE PRIMARY KEY'
    await server.send({ path: '/v1/query?format=ndjson', method: 'POST', json: { sql: scan } })
    await server.get('/v1/tables/account/rows/bob')
    // These only say what there is.
    await server.query('SHOW TABLES; DESCRIBE account')
    assert.deepEqual(await counts(), {
      'GET * FROM account WHERE id = ?': 8,
      'GET balance FROM account WHERE id = ?': 1,
      'SCAN id FROM account USE PRIMARY KEY': 1,
      'getRow: GET account': 1,
    })
  })

  it('forgets what was used longest ago, and all when it is told to', async (t) => {
    const { server, list, counts } = await countingServer(t)
    const { statementShapesMax } = SERVER_LIMITS
    const often = "GET * FROM account WHERE id = 'bob'"
    await server.query(often)
    for (let first = 0; first < statementShapesMax + 5; first += 50) {
      const statements = Array.from({ length: 50 }, (_, n) => ({
        sql: `GET id AS n${first + n} FROM account WHERE id = 'joe'`,
      }))
      await server.post('/v1/query', { statements: [...statements, { sql: often }] })
    }
    const { total, forgotten } = await list()
    assert.deepEqual([total, forgotten], [statementShapesMax, 51])
    assert.equal((await list('?order=count')).statements[0].count, 12)
    assert.equal((await server.send({ method: 'DELETE', path: '/v1/statements' })).status, 204)
    assert.deepEqual(await counts(), {})
    await server.query(often)
    assert.deepEqual(await counts(), { 'GET * FROM account WHERE id = ?': 1 })
  })

  it('follows new definitions of the table', async (t) => {
    const { server, list } = await countingServer(t)
    const sql = "GET balance FROM account WHERE id = 'bob'"
    await server.query(sql)
    await server.query('DROP TABLE account')
    await server.query('CREATE TABLE account (no INTEGER PRIMARY KEY, id TEXT, balance INTEGER)')
    await server.query('CREATE UNIQUE INDEX byId ON account (id)')
    await server.query(sql)
    const [found] = (await list()).statements
    assert.deepEqual([found.count, found.errors], [2, {}])
    assert.match(found.key, /byId/)
  })

  it('has no value of them, and no statement on tokens', async (t) => {
    const { server, list } = await countingServer(t)
    await server.query('CREATE ROLE secretary')
    const sql = "INSERT INTO account (id, balance) VALUES ('hidden-1', 4711)"
    await server.query(sql)
    await server.query("SET balance = 4712 ON account WHERE id = 'hidden-2' IF balance = 4713")
    await server.query("EXPLAIN GET * FROM account WHERE id = 'hidden-3'")
    await server.post('/v1/query', {
      sql: 'GET * FROM account WHERE id = :id',
      params: { id: 'hidden-4' },
    })
    await server.get(
      "/v1/tables/account/rows?where=balance%20%3D%204714%20AND%20id%20%3D%20'hidden-5'",
    )
    const text = JSON.stringify((await list()).statements)
    assert.doesNotMatch(text, /hidden|471\d|secretary/)
    assert.match(text, /EXPLAIN GET \* FROM account WHERE id = \?/)
    assert.match(text, /id = :id/)
    assert.match(text, /listRows: SCAN account/)
  })

  it('counts nothing where that is turned off, and says so', async (t) => {
    const server = await startTestServer(t, { flags: { 'statement-statistics': 'off' } })
    assert.equal((await server.get('/v1/status')).body.statementStatistics, false)
    for (const method of ['GET', 'DELETE'] as const) {
      const { status, body } = await server.send({ method, path: '/v1/statements' })
      assert.deepEqual([status, body.code], [403, 'not_enabled'])
      assert.equal(body.flag, '--statement-statistics')
    }
  })

  it('is for those alone who may inspect, and is cleared by administrators', async (t) => {
    const tokens = await TokenServer.start(t, { clock: new ManualClock() })
    await tokens.query(ACCOUNT)
    await tokens.query('CREATE ROLE app')
    await tokens.query('CREATE ROLE operator')
    await tokens.query('GRANT READ, WRITE ON account TO app')
    await tokens.query('GRANT INSPECT TO operator')
    const made = (role: string) => tokens.made(`CREATE TOKEN ${role} ROLE ${role} EXPIRES IN 1 DAY`)
    const [app, operator] = [tokens.as(await made('app')), tokens.as(await made('operator'))]
    await app.query("GET * FROM account WHERE id = 'bob'")
    const path = '/v1/statements'
    assert.equal((await app.send({ path })).body.code, 'not_permitted')
    for (const other of [app, operator]) {
      assert.equal((await other.send({ method: 'DELETE', path })).body.code, 'not_permitted')
    }
    assert.equal((await operator.send({ path })).body.total, 1)
    const cleared = await tokens.as(tokens.token).send({ method: 'DELETE', path })
    assert.equal(cleared.status, 204)
    assert.equal((await operator.send({ path })).body.total, 0)
  })
})
