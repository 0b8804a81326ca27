// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import test, { type TestContext } from 'node:test'
import { StorageError, Transaction } from '../../../storage/storage.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { StraightWrites } from './straight-writes.ts'

async function serverWithPairs(t: TestContext) {
  const server = await startTestServer(t)
  const { url } = await server.listen()
  await server.query('CREATE TABLE pair (a INTEGER, b TEXT, v TEXT, PRIMARY KEY (a DESC, b))')
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  t.after(() => agent.destroy())
  const query = async (sql: string, params: object) => {
    const headers = { 'content-type': 'application/json' }
    const sent = request(`${url}/v1/query`, { agent, method: 'POST', headers })
    sent.end(JSON.stringify({ sql, params }))
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    return { status: response.statusCode, body: (await json(response)) as { attempts: number } }
  }
  const set = (v: string) => query('SET v = :v ON pair WHERE a = 1 AND b = :b', { v, b: 'b' })
  const { mock } = t.mock.method(StraightWrites.prototype, 'run')
  // What is sent again on a connection is known, and goes straight.
  await set('first')
  await set('second')
  assert.equal(mock.callCount(), 1)
  return { server, query, set, straight: () => mock.callCount() - 1 }
}

/** Fails the next commit as one that another has come before; `meanwhile` runs before the client learns of it. */
function conflictOnce(t: TestContext, meanwhile: () => Promise<unknown>) {
  const { mock } = t.mock.method(
    Transaction.prototype,
    'commit',
    async function refused(this: Transaction) {
      mock.restore()
      this.rollback()
      await meanwhile()
      throw new StorageError('write_conflict', 'Another was first.')
    },
  )
}

test('a straight SET that met a conflict is run again, and says so', async (t) => {
  const { set, straight } = await serverWithPairs(t)
  conflictOnce(t, async () => undefined)
  const { status, body } = await set('third')
  assert.deepEqual([status, body.attempts, straight()], [200, 2, 1])
})

test('a straight SET whose table gets an index before it is run again writes the entry too', async (t) => {
  const { server, set, straight } = await serverWithPairs(t)
  conflictOnce(t, () => server.query('CREATE INDEX byV ON pair (v)'))
  assert.equal((await set('third')).status, 200)
  assert.equal(straight(), 1)
  const found = (v: string) => server.rows(`SCAN b FROM pair USE INDEX byV WHERE v = '${v}'`)
  assert.deepEqual([await found('third'), await found('second')], [[{ b: 'b' }], []])
})

test('a table with a check, an observer or a column that may not be NULL is written by the general way', async (t) => {
  const { server, query, set, straight } = await serverWithPairs(t)
  await server.query('CREATE TABLE checked (id TEXT PRIMARY KEY, n INTEGER, CHECK (n > 0))')
  await server.query('CREATE TABLE strict (id TEXT PRIMARY KEY, n INTEGER NOT NULL)')
  const answers = []
  for (const table of ['checked', 'strict']) {
    for (const n of [1, 2, 0, null]) {
      const sql = `SET n = :n ON ${table} WHERE id = :id`
      const before = straight()
      const { status } = await query(sql, { n, id: 'a' })
      answers.push(`${status}${straight() > before ? ' straight' : ''}`)
    }
  }
  const ofChecked = ['200', '200', '409', '200']
  assert.deepEqual(answers, [...ofChecked, '200', '200 straight', '200 straight', '400'])
  await server.query('CREATE OBSERVER watch ON pair (v)')
  const before = straight()
  for (const v of ['seen', 'seen again']) assert.equal((await set(v)).status, 200)
  assert.equal(straight(), before)
})
