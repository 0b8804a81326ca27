// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { openStorage } from '../../../storage/storage.ts'
import { ManualClock } from '../../../test/manual-clock.ts'
import { type Frame, openSocket } from '../../../test/server/socket-client.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { SERVER_LIMITS } from '../../limits.ts'

const ACCOUNT = 'CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)'
const POOR = 'SCAN * FROM account USE PRIMARY KEY WHERE balance < 5'

async function world(t: TestContext, options: Parameters<typeof startTestServer>[1] = {}) {
  const server = await startTestServer(t, options)
  const { port } = await server.listen()
  await server.query(ACCOUNT)
  const client = await openSocket(t, port)
  const commit = async (sql: string): Promise<number> => {
    const { body, text } = await server.query(sql)
    assert.ok(body.commitTimestamp, text)
    return body.commitTimestamp
  }
  return { server, port, client, commit }
}

test('each way in which a written row and a condition can meet is a change of its own', async (t) => {
  const { client, commit } = await world(t)
  await commit("SET balance = 1 ON account WHERE id = 'bob'")
  await commit("SET balance = 9 ON account WHERE id = 'joe'")
  const { columns, key } = await client.subscribe('poor', POOR, { snapshot: true })
  assert.deepEqual(columns, [
    { name: 'id', type: 'TEXT' },
    { name: 'balance', type: 'INTEGER' },
  ])
  assert.deepEqual(key, [{ name: 'id', type: 'TEXT' }])
  const bob = { id: 'bob', balance: 1 }
  assert.deepEqual((await client.about('poor')).rows, [{ key: ['bob'], row: bob }])
  assert.equal((await client.about('poor')).type, 'snapshotEnd')
  const cases = [
    ["SET balance = 2 ON account WHERE id = 'bob'", 'update', { id: 'bob', balance: 2 }],
    ["SET balance = 2 ON account WHERE id = 'bob'", 'update', { id: 'bob', balance: 2 }],
    ["SET balance = 7 ON account WHERE id = 'bob'", 'leave', undefined],
    ["SET balance = 8 ON account WHERE id = 'bob'", undefined, undefined],
    ["SET balance = 3 ON account WHERE id = 'bob'", 'enter', { id: 'bob', balance: 3 }],
    ["DELETE FROM account WHERE id = 'bob'", 'delete', undefined],
    ["SET balance = 4 ON account WHERE id = 'bob'", 'insert', { id: 'bob', balance: 4 }],
    ["DELETE FROM account WHERE id = 'joe'", undefined, undefined],
  ] as const
  for (const [sql, op, row] of cases) {
    const commitTimestamp = await commit(sql)
    if (op === undefined) continue
    const changes = [row === undefined ? { op, key: ['bob'] } : { op, key: ['bob'], row }]
    const expected = { type: 'change', id: 'poor', commitTimestamp, changes, last: true }
    assert.deepEqual(await client.about('poor'), expected)
  }
  assert.deepEqual(client.unread, [])
})

test('a commit of several tables is one change to each subscription, whole', async (t) => {
  const { client, commit, server } = await world(t)
  await server.query('CREATE TABLE entry (day TIMESTAMP, n INTEGER, v BYTES, PRIMARY KEY (day, n))')
  await client.subscribe('a', 'SCAN balance FROM account')
  await client.subscribe('b', 'SCAN v FROM entry', { integers: 'string' })
  const commitTimestamp = await commit(
    `BEGIN; SET balance = 1 ON account WHERE id = 'bob'; SET balance = 2 ON account WHERE id = 'joe';
     INSERT INTO entry (day, n, v) VALUES ('2026-01-31T12:00:00Z', 9007199254740993, X'00FF'); COMMIT`,
  )
  assert.deepEqual(await client.about('a'), {
    type: 'change',
    id: 'a',
    commitTimestamp,
    changes: [
      { op: 'insert', key: ['bob'], row: { balance: 1 } },
      { op: 'insert', key: ['joe'], row: { balance: 2 } },
    ],
    last: true,
  })
  const key = ['2026-01-31T12:00:00.000000Z', '9007199254740993']
  const changes = [{ op: 'insert', key, row: { v: 'AP8=' } }]
  const expected = { type: 'change', id: 'b', commitTimestamp, changes, last: true }
  assert.deepEqual(await client.about('b'), expected)
})

test('what cannot be subscribed to is an error of its id, which is free again', async (t) => {
  const { client } = await world(t)
  for (const [sql, more, code] of [
    ['SCAN * FROM account LIMIT 1', { mode: 'rows' }, 'not_subscribable'],
    ['SCAN count(*) FROM account', { mode: 'rows' }, 'not_subscribable'],
    ["GET * FROM account WHERE id = 'bob' FOR UPDATE", {}, 'not_subscribable'],
    ['SCAN id, now() FROM account LIMIT 1', {}, 'not_subscribable'],
    ['SHOW TABLES', {}, 'not_subscribable'],
    ['BEGIN', {}, 'not_subscribable'],
    ['SCAN * FROM account WHERE balance = 1', { snapshot: true }, 'unbounded_scan'],
    ['SCAN * FROM nothing', {}, 'unknown_table'],
    ['SCAN nothing FROM account', {}, 'unknown_column'],
    ['SCAN', {}, 'syntax_error'],
    ['', {}, 'invalid_request'],
    [`${POOR}; ${POOR}`, {}, 'invalid_request'],
    [POOR, { snapshot: true, since: 1 }, 'invalid_request'],
    [POOR, { since: -1 }, 'invalid_request'],
    [POOR, { since: 9_007_199_254_740_991 }, 'timestamp_in_future'],
    [POOR, { nonsense: true }, 'invalid_request'],
    ['SCAN * FROM account WHERE id = $1', {}, 'invalid_request'],
    ['SCAN * FROM account WHERE id = $1', { params: [7] }, 'type_mismatch'],
  ] as const) {
    const frame = await client.subscribe('one', sql, more)
    assert.deepEqual([frame.type, frame.code], ['error', code], `${sql} ${JSON.stringify(more)}`)
  }
  assert.equal((await client.subscribe('one', POOR)).type, 'subscribed')
})

test('after unsubscribed nothing comes, and its id is free again', async (t) => {
  const { client, commit } = await world(t)
  await client.subscribe('a', POOR)
  await client.subscribe('b', POOR)
  client.send({ type: 'unsubscribe', id: 'a' })
  assert.deepEqual(await client.about('a'), { type: 'unsubscribed', id: 'a' })
  await commit("SET balance = 1 ON account WHERE id = 'bob'")
  assert.equal((await client.about('b')).type, 'change')
  assert.deepEqual(client.unread, [])
  client.send({ type: 'unsubscribe', id: 'never there' })
  assert.equal((await client.about('never there')).type, 'unsubscribed')
  assert.equal((await client.subscribe('a', POOR)).type, 'subscribed')
})

test('a socket has so many subscriptions and no more', async (t) => {
  const { client } = await world(t)
  const max = SERVER_LIMITS.socketSubscriptionsMax
  for (let n = 0; n < max; n += 1) client.send({ type: 'subscribe', id: `s${n}`, sql: POOR })
  for (let n = 0; n < max; n += 1) assert.equal((await client.about(`s${n}`)).type, 'subscribed')
  const { code, limit } = await client.subscribe('more', POOR)
  assert.deepEqual([code, limit], ['limit_exceeded', 'socketSubscriptionsMax'])
})

test('history from before a table tells nothing of one that bore its name, and had another key', async (t) => {
  const { server, client, commit } = await world(t)
  const since = await commit('CREATE TABLE other (id INTEGER PRIMARY KEY)')
  await commit('CREATE TABLE reused (id INTEGER PRIMARY KEY, n INTEGER)')
  await commit('INSERT INTO reused (id, n) VALUES (1, 1)')
  await commit('DROP TABLE reused')
  await commit('CREATE TABLE reused (name TEXT PRIMARY KEY)')
  const commitTimestamp = await commit("INSERT INTO reused (name) VALUES ('a')")
  const { key } = await client.subscribe('s', 'SCAN * FROM reused', { since })
  assert.deepEqual(key, [{ name: 'name', type: 'TEXT' }])
  const changes = [{ op: 'insert', key: ['a'], row: { name: 'a' } }]
  const first = { type: 'change', id: 's', commitTimestamp, changes, last: true }
  assert.deepEqual(await client.about('s'), first)
  const caughtUp = await client.about('s')
  assert.equal(caughtUp.type, 'progress', 'that was all so far')
  assert.ok(caughtUp.timestamp >= commitTimestamp)
  await server.query('DROP TABLE reused')
  assert.equal((await client.about('s')).code, 'unknown_table')
})

test('with since, everything after it comes, also from before there was the table', async (t) => {
  const { client, commit, server } = await world(t)
  const before = (await server.query('SHOW TABLES')).body.readTimestamp
  await server.query('CREATE TABLE later (id INTEGER PRIMARY KEY, n INTEGER)')
  const first = await commit('SET n = 1 ON later WHERE id = 1')
  await server.query("ALTER TABLE later ADD COLUMN more TEXT DEFAULT 'new'")
  const second = await commit('SET n = 2 ON later WHERE id = 1')
  const { timestamp } = await client.subscribe('all', 'SCAN * FROM later', { since: before })
  assert.equal(timestamp, before)
  assert.equal((await client.about('all')).columns.length, 2)
  const rows = async () => {
    const { commitTimestamp, changes } = await client.about('all')
    return [commitTimestamp, changes[0].op, changes[0].row]
  }
  assert.deepEqual(await rows(), [first, 'insert', { id: 1, n: 1 }])
  assert.equal((await client.about('all')).columns[2].name, 'more')
  assert.deepEqual(await rows(), [second, 'update', { id: 1, n: 2, more: 'new' }])
  const { columns } = await client.subscribe('rest', 'SCAN * FROM later', { since: first })
  assert.equal(columns.length, 2, 'those of then')
  assert.equal((await client.about('rest')).type, 'columns')
  assert.equal((await client.about('rest')).commitTimestamp, second)
})

test('what garbage collection has taken cannot be read on from', async (t) => {
  const clock = new ManualClock()
  const retention = { retentionMs: 1_000, heldMsMax: 1_000 }
  const storage = await openStorage({ engine: 'memory', clock, retention })
  const { client, commit } = await world(t, { deps: { storage, clock } })
  const since = await commit("SET balance = 1 ON account WHERE id = 'bob'")
  await clock.advance(60_000)
  await commit("SET balance = 2 ON account WHERE id = 'bob'")
  await storage.collectGarbage()
  const { code, oldest } = await client.subscribe('a', POOR, { since })
  assert.equal(code, 'resume_too_old')
  assert.ok(oldest > since)
})

test('a subscription follows changes of its table as long as it fits them', async (t) => {
  const { client, commit, server } = await world(t)
  await client.subscribe('all', 'SCAN * FROM account')
  await client.subscribe('poor', POOR)
  await client.subscribe('keys', 'SCAN id FROM account')
  await server.query("ALTER TABLE account ADD COLUMN name TEXT DEFAULT 'nobody'")
  await commit("SET balance = 1 ON account WHERE id = 'bob'")
  const typed = (name: string, type: string) => ({ name, type })
  const three = [typed('id', 'TEXT'), typed('balance', 'INTEGER'), typed('name', 'TEXT')]
  const { shape, ...told } = await client.about('all')
  assert.deepEqual(told, { type: 'columns', id: 'all', columns: three })
  assert.match(shape, /^[\w-]{16}$/)
  const row = { id: 'bob', balance: 1, name: 'nobody' }
  assert.deepEqual((await client.about('all')).changes[0].row, row)
  assert.deepEqual((await client.about('keys')).changes[0].row, { id: 'bob' })
  assert.equal((await client.about('poor')).type, 'columns')
  assert.equal((await client.about('poor')).type, 'change')
  await server.query('ALTER TABLE account DROP COLUMN balance')
  const ended = await client.about('poor')
  assert.deepEqual([ended.type, ended.code], ['error', 'unknown_column'])
  await commit("SET name = 'Bob' ON account WHERE id = 'bob'")
  assert.equal((await client.about('all')).columns.length, 2)
  assert.deepEqual((await client.about('all')).changes[0].row, { id: 'bob', name: 'Bob' })
  assert.deepEqual((await client.about('keys')).changes[0].row, { id: 'bob' })
  await server.query('DROP TABLE account')
  await server.query(ACCOUNT)
  await client.next(({ id, code }) => id === 'all' && code === 'unknown_table')
  await client.next(({ id, code }) => id === 'keys' && code === 'unknown_table')
  await commit("SET balance = 1 ON account WHERE id = 'bob'")
  assert.equal((await client.query('SHOW TABLES')).type, 'result')
  assert.deepEqual(client.unread, [])
})

test('a column that was dropped and added again is another one, and the frames say so', async (t) => {
  const { client, commit, server } = await world(t)
  const { shape } = await client.subscribe('all', 'SCAN * FROM account')
  const { shape: ofKeys } = await client.subscribe('keys', 'SCAN id FROM account')
  await server.query('ALTER TABLE account DROP COLUMN balance')
  await server.query('ALTER TABLE account ADD COLUMN balance INTEGER')
  await commit("SET balance = 1 ON account WHERE id = 'bob'")
  const told = await client.about('all')
  assert.equal(told.type, 'columns')
  assert.notEqual(told.shape, shape)
  assert.equal((await client.about('all')).type, 'change')
  assert.equal((await client.about('keys')).type, 'change', 'it has the same columns')
  const again = await client.subscribe('again', 'SCAN * FROM account')
  assert.equal(again.shape, told.shape)
  assert.equal((await client.subscribe('more', 'SCAN id FROM account')).shape, ofKeys)
})

test('a row that the condition cannot be computed of ends the subscriptions to it alone', async (t) => {
  const { client, commit } = await world(t)
  await client.subscribe('a', 'SCAN * FROM account WHERE 6 / balance > 2')
  await client.subscribe('b', POOR)
  await commit("SET balance = 2 ON account WHERE id = 'bob'")
  assert.equal((await client.about('a')).type, 'change')
  await client.about('b')
  await commit("SET balance = 0 ON account WHERE id = 'bob'")
  const { type, code, line, column } = await client.about('a')
  assert.deepEqual([type, code, line, column], ['error', 'division_by_zero', 1, 29])
  assert.equal((await client.about('b')).type, 'change')
})

test('a long commit comes in several frames, which no other commit parts', async (t) => {
  const { client, server, port } = await world(t)
  await server.query('CREATE TABLE text (id INTEGER PRIMARY KEY, body TEXT)')
  await client.subscribe('a', 'SCAN * FROM text')
  const body = 'ü'.repeat(150_000)
  const rows = Array.from({ length: 20 }, (_, id) => ({ id, body }))
  const posted = await server.post('/v1/tables/text/rows', rows)
  await server.post('/v1/tables/text/rows', { id: 20, body: 'x'.repeat(2_000_000) })
  const frames: Frame[] = []
  while (frames.at(-1)?.last !== true) frames.push(await client.about('a'))
  assert.equal(frames.length, 7)
  const stamp = Number(posted.headers['percolite-commit-timestamp'])
  for (const frame of frames) {
    assert.equal(frame.commitTimestamp, stamp)
    assert.ok(Buffer.byteLength(JSON.stringify(frame)) <= SERVER_LIMITS.sentFrameBytesMax)
  }
  const ids = frames.flatMap(({ changes }) => changes.map(({ key }: Frame) => key[0]))
  assert.deepEqual(ids, [...rows.keys()])
  const alone = await client.about('a')
  assert.deepEqual([alone.changes.length, alone.last], [1, true])
  const late = await openSocket(t, port)
  await late.subscribe('s', 'SCAN * FROM text USE PRIMARY KEY', { snapshot: true })
  const kinds: string[] = []
  const read: number[] = []
  while (kinds.at(-1) !== 'snapshotEnd') {
    const frame = await late.about('s')
    kinds.push(frame.type)
    read.push(...(frame.rows ?? []).map(({ key }: Frame) => key[0]))
  }
  assert.ok(kinds.length > 7)
  assert.deepEqual(read, [...rows.keys(), 20])
})

test('progress tells how far the feed has come, when nothing happens and when much is filtered', async (t) => {
  const clock = new ManualClock()
  const { client, commit } = await world(t, { deps: { clock } })
  const { timestamp } = await client.subscribe('a', "GET * FROM account WHERE id = 'nobody'")
  const commitTimestamp = await commit("SET balance = 2 ON account WHERE id = 'bob'")
  await clock.advance(SERVER_LIMITS.progressMs)
  const first = await client.about('a')
  assert.equal(first.type, 'progress')
  assert.ok(first.timestamp > commitTimestamp && commitTimestamp > timestamp)
  await clock.advance(SERVER_LIMITS.progressMs)
  const second = await client.about('a')
  assert.ok(second.timestamp > first.timestamp)
})

test('a subscription that its client has paused holds up none of the others, and misses nothing', async (t) => {
  const { client, commit } = await world(t)
  await client.subscribe('a', POOR)
  await client.subscribe('b', POOR)
  client.send({ type: 'pause', id: 'a' })
  client.send({ type: 'pause', id: 'not there' })
  await client.query('SHOW TABLES')
  const written: number[] = []
  for (let n = 0; n < 5; n += 1)
    written.push(await commit(`SET balance = ${n} ON account WHERE id = 'x'`))
  const stampsOf = async (id: string) => {
    const stamps: number[] = []
    for (let n = 0; n < 5; n += 1) stamps.push((await client.about(id)).commitTimestamp)
    return stamps
  }
  assert.deepEqual(await stampsOf('b'), written)
  assert.deepEqual(client.unread, [])
  client.send({ type: 'resume', id: 'a' })
  assert.deepEqual(await stampsOf('a'), written)
  client.send({ type: 'pause', id: 'a' })
  client.send({ type: 'unsubscribe', id: 'a' })
  assert.equal((await client.about('a')).type, 'unsubscribed')
})
