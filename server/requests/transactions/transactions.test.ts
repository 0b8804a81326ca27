// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ManualClock } from '../../../test/manual-clock.ts'
import { startTestServer, type TestServer } from '../../../test/server/test-server.ts'
import { testFolder } from '../../../test/test-folder.ts'

const SET_BOB = "SET balance = balance - 1 ON account WHERE id = 'bob'"
const GET_BOB = "GET balance FROM account WHERE id = 'bob'"

async function serverWithBob(
  t: Pick<TestContext, 'after'>,
  options: Parameters<typeof startTestServer>[1] = {},
): Promise<TestServer> {
  const server = await startTestServer(t, options)
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)')
  await server.rows("INSERT INTO account (id, balance) VALUES ('bob', 10)")
  return server
}

const commit = (server: TestServer, id: string) => server.post(`/v1/transactions/${id}/commit`)
const inside = (server: TestServer, id: string, sql: string) =>
  server.post(`/v1/transactions/${id}/query`, { sql })
const remove = (server: TestServer, id: string) =>
  server.send({ method: 'DELETE', path: `/v1/transactions/${id}` })

test('of two transactions writing one row, one commits and the other meets a conflict', async (t) => {
  const server = await serverWithBob(t)
  const first = await server.begin()
  const second = await server.begin()
  await inside(server, first, SET_BOB)
  await inside(server, second, SET_BOB)
  assert.deepEqual(await server.rows(GET_BOB), [{ balance: 10 }])
  const won = await commit(server, first)
  assert.equal(won.status, 200)
  const lost = await commit(server, second)
  assert.deepEqual([lost.status, lost.body.code], [409, 'write_conflict'])
  assert.equal(lost.body.retryable, true)
  assert.deepEqual([lost.body.table, lost.body.key], ['account', ['bob']])
  assert.equal(lost.body.conflictingTimestamp, won.body.commitTimestamp)
  assert.deepEqual(await server.rows(GET_BOB), [{ balance: 9 }])
  const again = await commit(server, second)
  assert.deepEqual(again.body, lost.body)
})

test('inside, later statements see the earlier ones; outside, nobody does before the commit', async (t) => {
  const server = await serverWithBob(t)
  const id = await server.begin()
  await inside(server, id, SET_BOB)
  const { body } = await inside(server, id, `${SET_BOB}; ${GET_BOB}`)
  assert.deepEqual(body.results[1].rows, [{ balance: 8 }])
  assert.deepEqual(await server.rows(GET_BOB), [{ balance: 10 }])
  await commit(server, id)
  assert.deepEqual(await server.rows(GET_BOB), [{ balance: 8 }])
})

test('a commit that is repeated answers the same, alone and all at once', async (t) => {
  const server = await serverWithBob(t)
  const id = await server.begin()
  await inside(server, id, SET_BOB)
  const answers = await Promise.all([commit(server, id), commit(server, id), commit(server, id)])
  const stamps = new Set(
    [...answers, await commit(server, id)].map(({ body }) => body.commitTimestamp),
  )
  assert.equal(stamps.size, 1)
  const { body } = await server.get(`/v1/transactions/${id}`)
  assert.deepEqual(body, { transaction: id, status: 'committed', commitTimestamp: [...stamps][0] })
  assert.deepEqual(await server.rows(GET_BOB), [{ balance: 9 }])
})

test('BEGIN and COMMIT as statements do what the operations do', async (t) => {
  const server = await serverWithBob(t)
  const { status, body } = await server.query('BEGIN')
  assert.equal(status, 201)
  const { transaction } = body
  await server.query(SET_BOB, { transaction })
  const committed = await server.query('COMMIT', { transaction })
  assert.ok(committed.body.commitTimestamp > body.readTimestamp)
  const again = await server.query('COMMIT', { transaction })
  assert.deepEqual(again.body, committed.body)
  const late = await server.query(SET_BOB, { transaction })
  assert.deepEqual([late.status, late.body.code], [409, 'transaction_closed'])
})

test('a statement and its COMMIT in one request end the transaction', async (t) => {
  const server = await serverWithBob(t)
  const id = await server.begin()
  const { body } = await inside(server, id, `${SET_BOB}; COMMIT`)
  assert.equal(body.results.length, 2)
  assert.equal((await commit(server, id)).body.commitTimestamp, body.commitTimestamp)
})

test('a rolled back transaction keeps nothing, and rolling back again is harmless', async (t) => {
  const server = await serverWithBob(t)
  const id = await server.begin()
  await inside(server, id, SET_BOB)
  assert.equal((await remove(server, id)).status, 204)
  assert.equal((await remove(server, id)).status, 204)
  assert.deepEqual(await server.rows(GET_BOB), [{ balance: 10 }])
  const { body } = await server.get(`/v1/transactions/${id}`)
  assert.deepEqual([body.status, body.reason], ['rolledBack', 'requested'])
  assert.equal((await commit(server, id)).body.code, 'transaction_closed')
})

test('a committed transaction cannot be rolled back', async (t) => {
  const server = await serverWithBob(t)
  const id = await server.begin()
  await commit(server, id)
  const { status, body } = await remove(server, id)
  assert.deepEqual([status, body.code, body.outcome], [409, 'transaction_closed', 'committed'])
})

test('a transaction that wrote nothing commits without a stamp', async (t) => {
  const server = await serverWithBob(t)
  const id = await server.begin({ readOnly: true })
  await inside(server, id, GET_BOB)
  assert.deepEqual((await commit(server, id)).body, { commitTimestamp: null })
  const refused = await server.begin({ readOnly: true })
  const { body } = await inside(server, refused, SET_BOB)
  assert.equal(body.code, 'read_only_transaction')
})

test('a statement that fails leaves the transaction as it was before it', async (t) => {
  const server = await serverWithBob(t)
  const id = await server.begin()
  await inside(server, id, SET_BOB)
  const failed = await inside(server, id, "SET balance = balance / 0 ON account WHERE id = 'bob'")
  assert.equal(failed.body.code, 'division_by_zero')
  assert.equal((await commit(server, id)).status, 200)
  assert.deepEqual(await server.rows(GET_BOB), [{ balance: 9 }])
})

test('a transaction takes one request at a time', async (t) => {
  const server = await serverWithBob(t)
  const values = Array.from({ length: 1_500 }, (_, id) => `('k${id}', 0)`)
  await server.rows(`INSERT INTO account (id, balance) VALUES ${values.join(', ')}`)
  const id = await server.begin()
  const scan = () => inside(server, id, 'SCAN id FROM account')
  const statuses = (await Promise.all([scan(), scan(), scan()])).map(({ body }) => body.code)
  assert.deepEqual(statuses.filter((code) => code === 'transaction_busy').length, 2)
  assert.equal((await scan()).status, 200)
})

test('DELETE of a busy transaction stops its statement and rolls it back', async (t) => {
  const server = await serverWithBob(t)
  const values = Array.from({ length: 5_000 }, (_, id) => `('k${id}', 0)`)
  await server.rows(`INSERT INTO account (id, balance) VALUES ${values.join(', ')}`)
  const id = await server.begin()
  await inside(server, id, SET_BOB)
  const statements = Array.from({ length: 500 }, () => ({
    sql: 'SCAN count(*) FROM account USE PRIMARY KEY',
  }))
  const scan = server.post(`/v1/transactions/${id}/query`, { statements })
  let isBusy = false
  for (let tries = 0; !isBusy; tries += 1) {
    assert.ok(tries < 1_000, 'the statements have not begun')
    await setImmediate()
    isBusy = (await server.get('/v1/transactions')).body.transactions[0].busy
  }
  assert.equal((await remove(server, id)).status, 204)
  const stopped = await scan
  assert.deepEqual(
    [stopped.status, stopped.body.code, stopped.body.transaction, stopped.body.retryable],
    [409, 'statement_cancelled', id, false],
  )
  assert.equal((await remove(server, id)).status, 204)
  assert.deepEqual(await server.rows(GET_BOB), [{ balance: 10 }])
  assert.equal((await server.get('/v1/status')).body.bufferedBytes, 0)
})

test('an idle transaction expires, and the error names both time limits', async (t) => {
  const clock = new ManualClock()
  const server = await serverWithBob(t, { deps: { clock } })
  const idle = await server.begin()
  await clock.advance(29_000)
  assert.equal((await inside(server, idle, GET_BOB)).status, 200)
  await clock.advance(29_000)
  assert.equal((await inside(server, idle, GET_BOB)).status, 200)
  await clock.advance(31_000)
  for (const answer of [await inside(server, idle, GET_BOB), await commit(server, idle)]) {
    const { code, expiredBy, idleMsMax, totalMsMax } = answer.body
    assert.equal(answer.status, 410)
    assert.deepEqual([code, expiredBy], ['transaction_expired', 'idle'])
    assert.deepEqual([idleMsMax, totalMsMax], [30_000, 300_000])
  }
  const { body } = await server.get(`/v1/transactions/${idle}`)
  assert.deepEqual([body.status, body.reason], ['rolledBack', 'expired'])
})

test('a busy transaction expires too, after its whole time', async (t) => {
  const clock = new ManualClock()
  const server = await serverWithBob(t, { deps: { clock } })
  const id = await server.begin()
  for (let elapsed = 0; elapsed < 299_000; elapsed += 23_000) {
    assert.equal((await inside(server, id, GET_BOB)).status, 200, `after ${elapsed} ms`)
    await clock.advance(23_000)
  }
  await clock.advance(1_000)
  const { body } = await inside(server, id, GET_BOB)
  assert.deepEqual([body.code, body.expiredBy], ['transaction_expired', 'total'])
})

test('the sweeper ends expired transactions that nobody asks about', async (t) => {
  const clock = new ManualClock()
  const server = await serverWithBob(t, { deps: { clock } })
  await server.begin()
  const { body: before } = await server.get('/v1/transactions')
  assert.deepEqual([before.total, before.transactions.length], [1, 1])
  assert.equal(before.transactions[0].expiresAt, '2026-01-01T00:00:30.000Z')
  await clock.advance(32_000)
  const { body: after } = await server.get('/v1/status')
  assert.equal(after.openTransactions, 0)
})

test('an id that never was is unknown', async (t) => {
  const server = await serverWithBob(t)
  const known = await server.begin()
  const unknown = ['x', '1', `8${'0'.repeat(15)}.${'0'.repeat(32)}`, `${known}0`, '%C3%BC']
  for (const id of unknown) {
    for (const answer of [await server.get(`/v1/transactions/${id}`), await commit(server, id)]) {
      assert.deepEqual([answer.status, answer.body.code], [404, 'unknown_transaction'], id)
    }
  }
})

test('after a restart, a committed transaction still answers its stamp, an open one is lost', async (t) => {
  const data = await testFolder(t, 'transactions')
  const flags = { engine: 'sqlite', data }
  const steps: Array<() => unknown> = []
  const before = await serverWithBob(
    { after: (step) => steps.push(step as () => unknown) },
    { flags },
  )
  const committed = await before.begin()
  await inside(before, committed, SET_BOB)
  const { body } = await commit(before, committed)
  const open = await before.begin()
  await inside(before, open, SET_BOB)
  const { body: page } = await before.query('SCAN * FROM account')
  for (const step of steps) await step()

  const after = await startTestServer(t, { flags })
  assert.deepEqual((await commit(after, committed)).body, body)
  const { body: outcome } = await after.get(`/v1/transactions/${committed}`)
  assert.deepEqual([outcome.status, outcome.commitTimestamp], ['committed', body.commitTimestamp])
  const lost = await inside(after, open, GET_BOB)
  assert.deepEqual(
    [lost.status, lost.body.code, lost.body.retryable],
    [410, 'transaction_lost', true],
  )
  assert.equal((await after.get(`/v1/transactions/${open}`)).body.status, 'rolledBack')
  assert.deepEqual(await after.rows(GET_BOB), [{ balance: 9 }])
  assert.deepEqual(page.results[0].rows, [{ id: 'bob', balance: 9 }])
})

test('the cells of a row show what Figure 4 shows', async (t) => {
  const server = await serverWithBob(t)
  const { body: status } = await server.query(SET_BOB)
  const { body } = await server.get('/v1/tables/account/cells/bob')
  assert.deepEqual(body.key, ['bob'])
  assert.deepEqual(
    body.data.map((cell: { row: unknown; inline: boolean }) => [cell.row, cell.inline]),
    [
      [{ id: 'bob', balance: 9 }, true],
      [{ id: 'bob', balance: 10 }, true],
    ],
  )
  const [newest] = body.write
  assert.deepEqual(
    [newest.timestamp, newest.startTimestamp, newest.kind],
    [status.commitTimestamp, status.readTimestamp, 'put'],
  )
  assert.deepEqual([body.lock, body.rollback, body.notify], [[], [], []])
  await server.rows("DELETE FROM account WHERE id = 'bob'")
  const { body: deleted } = await server.get('/v1/tables/account/cells/bob')
  assert.equal(deleted.write[0].kind, 'delete')
})

test('a large value has a data cell of its own, and a row that never was has no cells', async (t) => {
  const server = await serverWithBob(t)
  await server.rows('INSERT INTO account (id, balance) VALUES (:id, 1)', {
    params: { id: 'a,b~c/d%' },
  })
  const { body } = await server.get('/v1/tables/account/cells/a~1b~0c%2Fd%25')
  assert.deepEqual(body.key, ['a,b~c/d%'])
  assert.equal(body.write.length, 1)
  await server.query('CREATE TABLE long (id INTEGER, at TIMESTAMP, t TEXT, PRIMARY KEY (id, at))')
  const params = { t: 'x'.repeat(2_000), at: '2026-01-31T12:00:00Z' }
  await server.rows('INSERT INTO long (id, at, t) VALUES (1, :at, :t)', { params })
  const { body: long } = await server.get('/v1/tables/long/cells/1,2026-01-31T12:00:00Z')
  assert.deepEqual([long.data.length, long.data[0].inline], [1, false])
  const { body: none } = await server.get('/v1/tables/account/cells/nobody')
  assert.deepEqual([none.data, none.write], [[], []])
  for (const key of ['1', '1,2,3', '1,noon', 'x,2026-01-31T12:00:00Z']) {
    assert.equal((await server.get(`/v1/tables/long/cells/${key}`)).status, 400, key)
  }
  assert.equal((await server.get('/v1/tables/account/cells/a~4')).status, 400)
})

test('a transaction is opened with its first statements, and goes on in the next request', async (t) => {
  const server = await serverWithBob(t)
  const opened = await server.post('/v1/query', {
    sql: `BEGIN; ${SET_BOB}; ${GET_BOB}`,
    keepOpen: true,
  })
  assert.equal(opened.status, 200)
  const { transaction, readTimestamp, expiresAt, results } = opened.body
  assert.deepEqual(
    results.map((result: { rows: unknown }) => result.rows),
    [[], [], [{ balance: 9 }]],
  )
  assert.equal(Number.parseInt(transaction, 10), readTimestamp)
  assert.ok(Date.parse(expiresAt) > 0)
  assert.deepEqual(await server.rows(GET_BOB), [{ balance: 10 }])
  const ended = await server.post('/v1/query', { sql: `${SET_BOB}; COMMIT`, transaction })
  assert.equal(ended.status, 200)
  assert.deepEqual(await server.rows(GET_BOB), [{ balance: 8 }])
})

test('when one of the first statements fails, no transaction stays open', async (t) => {
  const server = await serverWithBob(t)
  const failed = await server.post('/v1/query', {
    statements: [
      { sql: 'BEGIN' },
      { sql: SET_BOB },
      { sql: 'GET nothing FROM account WHERE id = 1' },
    ],
    keepOpen: true,
  })
  assert.deepEqual([failed.status, failed.body.statement], [400, 2])
  const { body } = await server.send({ method: 'GET', path: '/v1/transactions' })
  assert.equal(body.total, 0)
})

test('an open transaction is not opened again', async (t) => {
  const server = await serverWithBob(t)
  const transaction = await server.begin()
  const refused = await server.post('/v1/query', { sql: GET_BOB, transaction, keepOpen: true })
  assert.deepEqual([refused.status, refused.body.code], [400, 'invalid_request'])
})
