// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import {
  type AnswerBody,
  startTestServer,
  type TestServer,
} from '../../../test/server/test-server.ts'
import { TokenServer } from '../../../test/server/token-server.ts'
import { SERVER_LIMITS } from '../../limits.ts'

const SET = (id: string) => `SET balance = balance + 1 ON account WHERE id = '${id}'`

async function withAccounts(t: TestContext, commit: 'auto' | 'two-phase' = 'auto') {
  const server = await startTestServer(t, { flags: { commit } })
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)')
  await server.query('CREATE TABLE other (id TEXT PRIMARY KEY, balance INTEGER)')
  for (const table of ['account', 'other']) {
    await server.rows(`INSERT INTO ${table} (id, balance) VALUES ('bob', 1), ('joe', 1)`)
  }
  return server
}

const inside = (server: TestServer, id: string, sql: string) =>
  server.post(`/v1/transactions/${id}/query`, { sql })
const commit = (server: TestServer, id: string) => server.post(`/v1/transactions/${id}/commit`)

/** Two transactions; the one that commits second is refused. */
async function conflict(server: TestServer, winning: string, losing = winning) {
  const [winner, loser] = [await server.begin(), await server.begin()]
  await inside(server, winner, winning)
  await inside(server, loser, losing)
  const won = await commit(server, winner)
  assert.equal((await commit(server, loser)).status, 409)
  const winnerTs: number = won.body.commitTimestamp
  return { winner: winnerTs, loser: Number.parseInt(loser, 10) }
}

async function told(server: Pick<TestServer, 'get'>, query = ''): Promise<AnswerBody> {
  const { status, body, text } = await server.get(`/v1/conflicts${query}`)
  assert.equal(status, 200, text)
  return body
}

describe('GET /v1/conflicts', () => {
  for (const mode of ['auto', 'two-phase'] as const) {
    it(`tells who lost a row to whom, with commits ${mode}`, async (t) => {
      const server = await withAccounts(t, mode)
      assert.deepEqual((await told(server)).recent, [])
      const { winner, loser } = await conflict(server, SET('bob'))
      const { total, recent, hot } = await told(server)
      assert.equal(total, 1)
      const [{ at, ...only }] = recent
      const row = { table: 'account', key: ['bob'] }
      const stood = { kind: 'row', met: 'write', loser, winner }
      assert.deepEqual(only, { ...row, ...stood, attempt: 1, retried: false })
      const counted = { conflicts: 1, overcount: 0, lost: 1, lastAt: at }
      assert.deepEqual(hot, [{ ...row, ...counted }])
    })

    it(`tells a guard from a write, with commits ${mode}`, async (t) => {
      const server = await withAccounts(t, mode)
      const guarding = `GET * FROM account WHERE id = 'joe' FOR UPDATE; ${SET('bob')}`
      await conflict(server, guarding, SET('joe'))
      const [{ met, key }] = (await told(server)).recent
      assert.deepEqual([met, key], ['guard', ['joe']])
    })

    it(`tells of a changed definition without a row, with commits ${mode}`, async (t) => {
      const server = await withAccounts(t, mode)
      const loser = await server.begin()
      await inside(server, loser, SET('bob'))
      await server.query('ALTER TABLE account ADD COLUMN note TEXT')
      assert.equal((await commit(server, loser)).body.code, 'schema_changed')
      const { recent, hot } = await told(server)
      const [{ at, ...only }] = recent
      const lost = { loser: Number.parseInt(loser, 10), attempt: 1, retried: false }
      assert.deepEqual(only, { kind: 'schema', met: 'schema', ...lost })
      assert.deepEqual(hot, [])
    })
  }

  it('tells of entries of an index by its name, and of what a commit under way holds', async (t) => {
    const server = await withAccounts(t)
    await server.query('CREATE TABLE user (id INTEGER PRIMARY KEY, email TEXT UNIQUE)')
    const add = (id: number) => `INSERT INTO user (id, email) VALUES (${id}, 'b@x')`
    const [first, second] = [await server.begin(), await server.begin()]
    await inside(server, first, add(1))
    await inside(server, second, add(2))
    const answers = await Promise.all([commit(server, first), commit(server, second)])
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409])
    const [{ table, kind, index, met, key }] = (await told(server)).recent
    assert.deepEqual([table, kind, key], ['user', 'index', undefined])
    assert.equal(typeof index, 'string')
    assert.ok(met === 'lock' || met === 'write')
  })

  it('says which ones the server ran again, and which run it was', async (t) => {
    const server = await withAccounts(t, 'two-phase')
    const answers = await Promise.all(Array.from({ length: 16 }, () => server.query(SET('bob'))))
    const attempts = answers.map(
      ({ body }) => body.attempts ?? SERVER_LIMITS.transactionAttemptsMax,
    )
    const { recent, hot, total } = await told(server)
    const again = recent.filter(({ retried }: { retried: boolean }) => retried)
    assert.ok(again.length > 0, 'none of 16 at a time met another')
    const failed = answers.filter(({ status }) => status !== 200).length
    assert.equal(hot[0].conflicts, total)
    assert.equal(hot[0].lost, total - again.length)
    assert.equal(total - again.length, failed)
    const most = Math.max(...recent.map(({ attempt }: { attempt: number }) => attempt))
    assert.ok(most >= Math.max(...attempts) - 1, `attempts ${attempts}, told ${most}`)
  })

  it('shows what is of one table, and at most so many', async (t) => {
    const server = await withAccounts(t)
    for (const id of ['bob', 'joe', 'bob']) await conflict(server, SET(id))
    await conflict(server, SET('bob').replace('account', 'other'))
    const keys = (list: AnswerBody[]) => list.map(({ table, key }) => `${table} ${key}`)
    const own = await told(server, '?table=account')
    assert.deepEqual(keys(own.recent), ['account bob', 'account joe', 'account bob'])
    assert.deepEqual(keys(own.hot), ['account bob', 'account joe'])
    assert.equal(own.total, 4)
    const last = await told(server, '?limit=1')
    assert.deepEqual([keys(last.recent), keys(last.hot)], [['other bob'], ['account bob']])
    const none = await server.get('/v1/conflicts?table=nowhere')
    assert.deepEqual([none.status, none.body.code], [404, 'unknown_table'])
    await server.query('DROP TABLE other')
    const [dropped] = (await told(server)).recent
    assert.deepEqual([typeof dropped.rowKey, dropped.table], ['string', undefined])
  })

  it('is for those alone who may inspect, whosever rows they are', async (t) => {
    const tokens = await TokenServer.start(t)
    await tokens.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)')
    await tokens.query("INSERT INTO account (id, balance) VALUES ('bob', 1)")
    await tokens.query('CREATE ROLE app')
    await tokens.query('CREATE ROLE operator')
    await tokens.query('GRANT READ, WRITE ON account TO app')
    await tokens.query('GRANT INSPECT TO operator')
    const made = (role: string) => tokens.made(`CREATE TOKEN ${role} ROLE ${role} EXPIRES IN 1 DAY`)
    const app = tokens.as(await made('app'))
    const operator = tokens.as(await made('operator'))
    const open = async () => (await app.query('BEGIN')).body.transaction
    const [winner, loser] = [await open(), await open()]
    for (const transaction of [winner, loser]) await app.query(SET('bob'), { transaction })
    await app.query('COMMIT', { transaction: winner })
    const lost = await app.query('COMMIT', { transaction: loser })
    assert.equal(lost.status, 409)
    // What a conflict met is for operators.
    assert.equal(lost.body.met, undefined)
    const refused = await app.send({ path: '/v1/conflicts' })
    assert.deepEqual([refused.status, refused.body.code], [403, 'not_permitted'])
    const { body } = await operator.send({ path: '/v1/conflicts' })
    assert.deepEqual(body.recent[0].key, ['bob'])
  })
})
