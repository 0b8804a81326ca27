// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { ForwardingCellStore } from '../../../../bench/engines/forwarding-cell-store.ts'
import { MemoryCellStore } from '../../../../storage/cells/memory/memory-cell-store.ts'
import type { RowFilter } from '../../../../storage/cells/row-filter.ts'
import { openGateway } from '../../../../storage/storage.ts'
import { tableIdOf } from '../../../../storage/tables/tables.ts'
import { startTestServer, type TestServer } from '../../../../test/server/test-server.ts'

async function serverWithAccounts(t: TestContext): Promise<TestServer> {
  const server = await startTestServer(t)
  await server.query(
    'CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL DEFAULT 0)',
  )
  await server.rows("INSERT INTO account (id, balance) VALUES ('bob', 10), ('joe', 2)")
  return server
}

test('asOf in the body reads the past, whatever the statements, and lets nothing be written', async (t) => {
  const server = await serverWithAccounts(t)
  const { body: before } = await server.query("GET balance FROM account WHERE id = 'bob'")
  const asOf = before.readTimestamp
  await server.query("SET balance = 0 ON account WHERE id = 'bob'")
  await server.query("DELETE FROM account WHERE id = 'joe'")
  const { body } = await server.query(
    "GET balance FROM account WHERE id = 'bob'; SCAN COUNT(*) AS n FROM account",
    { asOf },
  )
  assert.deepEqual(
    body.results.map(({ rows }: { rows: unknown[] }) => rows),
    [[{ balance: 10 }], [{ n: 2 }]],
  )
  assert.equal(body.readTimestamp, asOf)
  const iso = new Date(Math.ceil(asOf / 1000)).toISOString()
  assert.equal((await server.query('SHOW TABLES', { asOf: iso })).status, 200)
  const write = await server.query("SET balance = 1 ON account WHERE id = 'bob'", { asOf })
  assert.deepEqual([write.status, write.body.code], [400, 'read_only_transaction'])
  const create = await server.query('CREATE TABLE t (id TEXT PRIMARY KEY)', { asOf })
  assert.equal(create.body.code, 'read_only_transaction')
  const opened = await server.query('BEGIN', { asOf })
  assert.deepEqual([opened.status, opened.body.readTimestamp], [201, asOf])
  const inside = await server.query('SHOW TABLES', { asOf, transaction: opened.body.transaction })
  assert.equal(inside.body.code, 'invalid_request')
  const twice = await server.query(`BEGIN AS OF ${asOf}; SHOW TABLES; COMMIT`, { asOf })
  assert.equal(twice.body.code, 'invalid_request')
  const { historyFrom } = (await server.get('/v1/status')).body
  const early = await server.get(`/v1/tables?asOf=${historyFrom}`)
  assert.deepEqual(early.body.tables, [])
  const foreign = await server.get(`/v1/tables?asOf=${historyFrom - 1}`)
  assert.deepEqual([foreign.status, foreign.body.code], [410, 'history_replaced'])
  assert.equal((await server.get(`/v1/tables/account?asOf=${asOf}`)).status, 200)
})

test('Percolite-Min-Timestamp is met by every snapshot after that commit, and by no stamp to come', async (t) => {
  const server = await serverWithAccounts(t)
  const { body } = await server.query("SET balance = 1 ON account WHERE id = 'bob'")
  const seen = { 'percolite-min-timestamp': String(body.commitTimestamp) }
  const json = { sql: "GET balance FROM account WHERE id = 'bob'" }
  const found = await server.send({ method: 'POST', path: '/v1/query', json, headers: seen })
  assert.deepEqual(found.body.results[0].rows, [{ balance: 1 }])
  const later = { 'percolite-min-timestamp': String(body.commitTimestamp + 3_600_000_000) }
  const refusals = await Promise.all([
    server.send({ method: 'POST', path: '/v1/query', json, headers: later }),
    server.send({ path: '/v1/tables/account/rows/bob', headers: later }),
    server.send({ path: '/v1/tables/account/rows', headers: later }),
    server.send({ path: '/v1/tables/account/rows?format=ndjson', headers: later }),
    server.send({ method: 'DELETE', path: '/v1/tables/account/rows/bob', headers: later }),
    server.send({ method: 'POST', path: '/v1/query', json: { sql: 'BEGIN' }, headers: later }),
    server.send({ method: 'POST', path: '/v1/transactions', headers: later }),
  ])
  for (const refused of refusals) {
    assert.deepEqual([refused.status, refused.body.code], [400, 'timestamp_in_future'])
  }
  assert.equal((await server.get('/v1/transactions')).body.total, 0)
})

test('a SET whose IF is not met says why, and RETURNING answers rows as they are afterwards', async (t) => {
  const server = await serverWithAccounts(t)
  const { body } = await server.query(
    `SET balance = 1 ON account WHERE id = 'kim' IF EXISTS;
     SET balance = 1 ON account WHERE id = 'bob' IF NOT EXISTS RETURNING *;
     SET balance = 1 ON account WHERE id = 'bob' IF balance > 10;
     SET balance = balance - 1 ON account WHERE id = 'bob' IF balance > 9 RETURNING balance;
     INSERT INTO account (id) VALUES ('bob'), ('eve') ON CONFLICT DO NOTHING RETURNING *;
     DELETE FROM account WHERE id = 'joe' RETURNING balance`,
  )
  assert.deepEqual(
    body.results.map(({ unmet, rows, rowsAffected }: Record<string, unknown>) => [
      unmet,
      rows,
      rowsAffected,
    ]),
    [
      ['missing', [], 0],
      ['exists', [], 0],
      ['condition', [], 0],
      [undefined, [{ balance: 9 }], 1],
      [undefined, [{ id: 'eve', balance: 0 }], 1],
      [undefined, [{ balance: 2 }], 1],
    ],
  )
})

test('a CHECK that fails ends the transaction it is in, and keeps nothing of it', async (t) => {
  const server = await serverWithAccounts(t)
  const transaction = await server.begin()
  await server.query("SET balance = 99 ON account WHERE id = 'joe'", { transaction })
  const sql = "CHECK balance >= 50 ON account WHERE id = 'bob'"
  const failed = await server.query(sql, { transaction })
  assert.deepEqual(
    [failed.status, failed.body.code, failed.body.statement],
    [409, 'check_failed', 0],
  )
  assert.deepEqual(failed.body.key, ['bob'])
  const later = await server.query('SHOW TABLES', { transaction })
  assert.deepEqual([later.body.code, later.body.reason], ['transaction_closed', 'check_failed'])
  const commit = await server.post(`/v1/transactions/${transaction}/commit`)
  assert.equal(commit.body.code, 'check_failed')
  const { body } = await server.get(`/v1/transactions/${transaction}`)
  assert.deepEqual([body.status, body.reason], ['rolledBack', 'check_failed'])
  const request = await server.query(
    `BEGIN; SET balance = 0 ON account WHERE id = 'joe'; ${sql}; COMMIT`,
  )
  assert.deepEqual([request.status, request.body.statement], [409, 2])
  assert.deepEqual(await server.rows("GET balance FROM account WHERE id = 'joe'"), [{ balance: 2 }])
})

/** Keeps how many rows of tables each call has asked for. */
class RowReadsStore extends ForwardingCellStore {
  readonly atomicScope = 'row'
  readonly calls: number[] = []

  override async readRows(keys: readonly Uint8Array[], filter: RowFilter) {
    if (keys.every((key) => tableIdOf(key) !== undefined)) this.calls.push(keys.length)
    return await super.readRows(keys, filter)
  }
}

test('rows that statements of a request name are one call to a shared store, and each has its own answer', async (t) => {
  const store = new RowReadsStore(new MemoryCellStore())
  const { calls } = store
  const storage = await openGateway(store)
  const server = await startTestServer(t, { deps: { storage } })
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)')
  await server.rows("INSERT INTO account (id, balance) VALUES ('a', 1), ('b', 2), ('c', 3)")
  calls.length = 0
  const get = (id: string) => ({ sql: 'GET balance FROM account WHERE id = :id', params: { id } })
  const { body } = await server.post('/v1/query', { statements: ['c', 'x', 'a', 'b'].map(get) })
  assert.deepEqual(
    body.results.map(({ rows }: { rows: unknown[] }) => rows),
    [[{ balance: 3 }], [], [{ balance: 1 }], [{ balance: 2 }]],
  )
  assert.deepEqual(calls, [4])
  const set = { sql: "SET balance = balance + 5 ON account WHERE id = 'b'" }
  calls.length = 0
  const mixed = await server.post('/v1/query', { statements: [get('a'), get('b'), set, get('b')] })
  assert.deepEqual(mixed.body.results[3].rows, [{ balance: 7 }])
  assert.deepEqual(mixed.body.results[1].rows, [{ balance: 2 }])
  assert.deepEqual(calls, [2])
  const wrong = await server.post('/v1/query', {
    statements: [get('a'), get('b'), { sql: 'GET balance FROM account WHERE id = :id' }],
  })
  assert.deepEqual(
    [wrong.status, wrong.body.code, wrong.body.statement],
    [400, 'invalid_request', 2],
  )
})

test('definitions show indexes with their state, and status shows what is being built', async (t) => {
  const server = await serverWithAccounts(t)
  await server.query('CREATE UNIQUE INDEX oneBalance ON account (balance)')
  const { body: status } = await server.get('/v1/status')
  assert.ok(Array.isArray(status.indexBuilds))
  await server.indexesBuilt('account')
  const { body } = await server.get('/v1/tables/account')
  const unique = body.indexes.find(({ name }: { name: string }) => name === 'oneBalance')
  assert.deepEqual(unique, {
    name: 'oneBalance',
    unique: true,
    columns: [{ column: 'balance', descending: false }],
    storing: [],
    state: 'ready',
  })
  await server.query('CREATE TABLE twice (id INTEGER PRIMARY KEY, n INTEGER)')
  await server.post('/v1/tables/twice/rows', [
    { id: 1, n: 5 },
    { id: 2, n: 5 },
  ])
  await server.query('CREATE UNIQUE INDEX oneN ON twice (n)')
  await server.indexesBuilt('twice')
  const { body: twice } = await server.get('/v1/tables/twice')
  assert.equal(twice.indexes[0].state, 'failed')
  assert.match(twice.indexes[0].failure, /\w/)
})
