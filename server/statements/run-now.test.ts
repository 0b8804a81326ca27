// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import {
  type Clock,
  openStorage,
  StorageError,
  systemClock,
  type Transaction,
} from '../../storage/storage.ts'
import { startTestServer } from '../../test/server/test-server.ts'

const SET = 'SET balance = :n ON account WHERE id = :id'

/** For which no turn lasts, however busy the machine. */
const STANDING_CLOCK: Clock = { ...systemClock, monotonicMs: () => 0 }

/** A server with accounts, which counts the transactions of lone SETs and those on the ordinary way. */
async function serverWithAccounts(t: TestContext, clock = STANDING_CLOCK) {
  const storage = await openStorage({ engine: 'memory' })
  const begun = { lone: 0, others: 0 }
  /** What becomes of the transaction of each lone SET before it runs. */
  const hook = { prepare: (_transaction: Transaction) => {} }
  const begin = storage.begin.bind(storage)
  storage.begin = (options) => {
    begun.others += 1
    return begin(options)
  }
  const beginAt = storage.beginAt.bind(storage)
  storage.beginAt = (snapshot) => {
    begun.lone += 1
    const transaction = beginAt(snapshot)
    hook.prepare(transaction)
    return transaction
  }
  const server = await startTestServer(t, { outside: { storage, clock } })
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL)')
  const set = (id: string, n: unknown, sql = SET) => server.query(sql, { params: { id, n } })
  /** Sends it twice: a text that is new has to be parsed on the ordinary way. */
  const known = async (sql: string) => {
    await set('known', 0, sql)
    begun.lone = 0
    begun.others = 0
  }
  return { server, begun, hook, set, known }
}

for (const sql of [SET, `${SET} RETURNING id, balance`]) {
  test(`it is answered as by the ordinary way: ${sql}`, async (t) => {
    const { server, begun, set, known } = await serverWithAccounts(t)
    await known(sql)
    const lone = await set('bob', 1, sql)
    assert.deepEqual(begun, { lone: 1, others: 0 })
    const params = { id: 'bob', n: 1 }
    const ordinary = await server.query(sql, { params, integers: 'number' })
    assert.deepEqual(begun, { lone: 1, others: 1 })
    for (const { body } of [lone, ordinary]) {
      assert.ok(body.commitTimestamp > body.readTimestamp)
      body.commitTimestamp = body.readTimestamp = 0
    }
    assert.deepEqual(lone.body, ordinary.body)
    assert.deepEqual([lone.status, lone.body.attempts], [200, 1])
    assert.deepEqual(await server.rows("GET balance FROM account WHERE id = 'bob'"), [
      { balance: 1 },
    ])
  })
}

test('a SET that reads its row, or has an option, goes the ordinary way', async (t) => {
  const { server, begun, set, known } = await serverWithAccounts(t)
  for (const sql of [
    'SET balance = balance + :n ON account WHERE id = :id',
    'SET balance = :n ON account WHERE id = :id IF EXISTS',
    'BEGIN; SET balance = :n ON account WHERE id = :id; COMMIT',
  ]) {
    await set('known', 0)
    await known(sql)
    assert.equal((await set('known', 1, sql)).status, 200, sql)
    assert.deepEqual(begun, { lone: 0, others: 1 }, sql)
  }
  await known(SET)
  await server.query(SET, { params: { id: 'a', n: 1 }, timeoutMs: 100 })
  assert.deepEqual(begun, { lone: 0, others: 1 })
})

test('what is wrong with it is said by the ordinary way, and nothing is written', async (t) => {
  const { server, begun, set, known } = await serverWithAccounts(t)
  await known(SET)
  const late = await set('bob', 'many')
  assert.deepEqual([late.status, late.body.code], [400, 'type_mismatch'])
  const absent = await set('bob', null)
  assert.deepEqual([absent.status, absent.body.code], [400, 'not_null_violation'])
  const unnamed = await server.query(SET, { params: { id: 'bob' } })
  assert.deepEqual([unnamed.status, unnamed.body.code], [400, 'invalid_request'])
  assert.equal(begun.others, 3)
  assert.deepEqual(await server.rows("GET id FROM account WHERE id = 'bob'"), [])
})

test('one that was rolled back at its commit runs again on the ordinary way', async (t) => {
  const { server, begun, hook, set, known } = await serverWithAccounts(t)
  await known(SET)
  hook.prepare = (transaction) => {
    transaction.commit = async () => {
      transaction.rollback()
      throw new StorageError('write_conflict', 'Somebody else was first.')
    }
  }
  const { status } = await set('bob', 5)
  assert.equal(status, 200)
  assert.deepEqual(begun, { lone: 1, others: 1 })
  assert.deepEqual(await server.rows("GET balance FROM account WHERE id = 'bob'"), [{ balance: 5 }])
})

test('one of which nobody knows whether it has committed is not run again', async (t) => {
  const { begun, hook, set, known } = await serverWithAccounts(t)
  await known(SET)
  hook.prepare = (transaction) => {
    transaction.commit = async () => {
      throw new StorageError('commit_outcome_unknown', 'Lost.', { transaction: transaction.id })
    }
  }
  const { status, body } = await set('bob', 5)
  assert.deepEqual([status, body.code], [503, 'commit_outcome_unknown'])
  assert.match(body.detail, /read before you write again/)
  assert.deepEqual(begun, { lone: 1, others: 0 })
})

test('a hundred at once of one row all commit, each with a stamp of its own', async (t) => {
  const { server, begun, set, known } = await serverWithAccounts(t)
  await known(SET)
  const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => set('bob', n)))
  const stamps = answers.map(({ body }) => body.commitTimestamp as number)
  assert.deepEqual(begun, { lone: 100, others: 0 })
  assert.equal(new Set(stamps).size, 100)
  const last = stamps.indexOf(Math.max(...stamps))
  const [row] = await server.rows("GET balance FROM account WHERE id = 'bob'")
  assert.deepEqual(row, { balance: last })
})

const GET = 'GET * FROM account WHERE id = :id'

const get = (id: unknown, sql = GET) => ({ sql, params: { id } })

test('GETs of one request are answered in its turn, as by the ordinary way', async (t) => {
  const { server, begun, set, known } = await serverWithAccounts(t)
  const listed = 'GET balance AS amount FROM account WHERE id IN :id'
  for (const id of ['ann', 'bob']) await set(id, 1)
  for (const sql of [GET, listed])
    await server.query(sql, { params: { id: sql === GET ? 'a' : [] } })
  await known(SET)
  const statements = [get('ann'), get('nobody'), get(['bob', 'x', 'ann'], listed), get('ann')]
  const now = await server.post('/v1/query', { statements })
  assert.deepEqual(begun, { lone: 0, others: 0 })
  const ordinary = await server.post('/v1/query', { statements, integers: 'number' })
  assert.deepEqual(begun, { lone: 0, others: 1 })
  assert.ok(ordinary.body.readTimestamp > now.body.readTimestamp)
  assert.deepEqual(ordinary.body, { ...now.body, readTimestamp: ordinary.body.readTimestamp })
  assert.deepEqual(
    now.body.results.map(({ rows }: { rows: unknown[] }) => rows.length),
    [1, 0, 2, 1],
  )
})

test('among GETs anything else, or anything wrong, makes it the ordinary way', async (t) => {
  const { server, begun, known } = await serverWithAccounts(t)
  await server.query('CREATE UNIQUE INDEX by_balance ON account (balance)')
  await server.indexesBuilt('account')
  const [set, scan] = ['SET balance = 1 ON account WHERE id = :id', 'SCAN * FROM account']
  const byIndex = 'GET * FROM account WHERE balance = :id'
  const ofThePast = 'GET * FROM account AS OF 1 WHERE id = :id'
  for (const sql of [GET, set, byIndex])
    await server.query(sql, { params: { id: sql === byIndex ? 1 : 'a' } })
  await server.query(scan)
  await server.query(ofThePast, { params: { id: 'a' } })
  for (const [status, ...rest] of [
    [200, get('a', set)],
    [200, { sql: scan }],
    [200, get(1, byIndex)],
    [200, get('a', `${GET} -- it is new`)],
    [400, get(1)],
    [400, { sql: GET }],
    [400, get('a', `${GET}; ${GET}`)],
    [410, get('a', ofThePast)],
    [413, ...Array.from({ length: 1000 }, () => get('a'))],
  ] as const) {
    await known(SET)
    const answer = await server.post('/v1/query', { statements: [get('a'), ...rest] })
    assert.deepEqual([answer.status, begun.lone], [status, 0], answer.text.slice(0, 300))
    if (status === 200) assert.deepEqual(begun.others, 1)
    else if (rest.length === 1) assert.equal(answer.body.statement, 1, answer.text)
  }
  const { status, body } = await server.post('/v1/query', { statements: [] })
  assert.deepEqual([status, body.code], [400, 'invalid_request'])
})

test('more GETs than a turn has time for are not begun in it', async (t) => {
  const { server, begun, known } = await serverWithAccounts(t)
  await server.query(GET, { params: { id: 'a' } })
  for (const [count, others] of [
    [256, 0],
    [257, 1],
  ] as const) {
    await known(SET)
    const statements = Array.from({ length: count }, () => get('a'))
    const { status, body } = await server.post('/v1/query', { statements })
    assert.deepEqual([status, body.results.length, begun.others], [200, count, others])
  }
})

test('GETs that are not done within a turn begin anew on the ordinary way', async (t) => {
  let nowMs = 0
  let eachMs = 0
  const clock = { ...systemClock, monotonicMs: () => (nowMs += eachMs) }
  const { server, begun, known } = await serverWithAccounts(t, clock)
  await server.query(GET, { params: { id: 'a' } })
  await known(SET)
  const ask = () => server.post('/v1/query', { statements: [get('a'), get('b'), get('c')] })
  eachMs = 0.1
  await ask()
  assert.equal(begun.others, 0)
  eachMs = 1
  const { status, body } = await ask()
  assert.equal(begun.others, 1)
  assert.deepEqual([status, body.results.length], [200, 3])
})

test('who had to wait for a turn is answered in that one', async (t) => {
  let nowMs = 0
  let eachMs = 0
  const clock = { ...systemClock, monotonicMs: () => (nowMs += eachMs) }
  const { server, begun, set, known } = await serverWithAccounts(t, clock)
  await server.query(GET, { params: { id: 'a' } })
  await known(SET)
  // Each look at the clock is another millisecond, so this one waits for a turn again and again.
  eachMs = 1
  const long = server.post('/v1/query', {
    statements: Array.from({ length: 200 }, () => ({ sql: 'SCAN * FROM account' })),
  })
  const lone = Array.from({ length: 20 }, (_, n) => [
    server.query(GET, { params: { id: `${n}` } }),
    set(`${n}`, n),
  ]).flat()
  for (const { status } of await Promise.all([long, ...lone])) assert.equal(status, 200)
  assert.deepEqual(begun, { lone: 20, others: 1 })
})
