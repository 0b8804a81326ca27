// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { ObservedServer, Runs } from '../../../test/server/observed-server.ts'
import { type Frame, openSocket } from '../../../test/server/socket-client.ts'
import { type Answer, startTestServer, type TestServer } from '../../../test/server/test-server.ts'

const ACCOUNT =
  'CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER, cap INTEGER, CONSTRAINT below CHECK (balance <= cap))'
const BOB = { id: 'bob', balance: 5, cap: 10 }

async function serverWithBob(t: TestContext): Promise<TestServer> {
  const server = await startTestServer(t)
  await server.query(ACCOUNT)
  await server.rows("INSERT INTO account (id, balance, cap) VALUES ('bob', 5, 10)")
  return server
}

const all = (server: TestServer) => server.rows('SCAN * FROM account')

describe('a row that fails a CHECK is refused, with its number, and none of the others is kept', () => {
  const refused: ReadonlyArray<readonly [string, string, readonly object[], number]> = [
    ['among rows to insert', '', [{ id: 'ann' }, { id: 'joe', balance: 2, cap: 1 }], 1],
    [
      'among rows to put, for what is left out is NULL and what is given counts',
      '?mode=put',
      [
        { id: 'bob', balance: 99 },
        { id: 'ann', balance: 2, cap: 1 },
      ],
      1,
    ],
    ['in the place of one that met it', '?mode=put', [{ id: 'bob', balance: 11, cap: 10 }], 0],
    ['though the row is there and would be left', '?mode=skip', [{ ...BOB, balance: 11 }], 0],
    ['among rows to skip', '?mode=skip', [BOB, { id: 'joe' }, { id: 'z', balance: 1, cap: 0 }], 2],
  ]
  for (const [which, search, rows, number] of refused) {
    test(which, async (t) => {
      const server = await serverWithBob(t)
      const { status, body } = await server.post(`/v1/tables/account/rows${search}`, rows)
      const { id } = rows[number] as { id: string }
      assert.deepEqual(
        [status, body.code, body.constraint, body.key, body.row],
        [409, 'check_failed', 'below', [id], number],
      )
      assert.deepEqual(await all(server), [BOB])
    })
  }
})

test('a CHECK is about the row as it becomes, whichever of its columns a statement assigns', async (t) => {
  const server = await serverWithBob(t)
  const place = ({ status, body }: Answer) => {
    return [status, body.code, body.statement, body.line, body.column]
  }
  const insert = 'INSERT INTO account (id, cap) VALUES ('
  const statements = [
    ["SET cap = 4 ON account WHERE id = 'bob'", 0],
    ["SET cap = cap - 6 ON account WHERE id > 'a'", 0],
    [`${insert}'bob', 4) ON CONFLICT DO UPDATE SET cap = excluded.cap`, insert.length],
  ] as const
  for (const [sql, at] of statements) {
    const answer = await server.query(
      `BEGIN;\nGET * FROM account WHERE id = 'bob';\n  ${sql}; COMMIT`,
    )
    assert.deepEqual(place(answer), [409, 'check_failed', 2, 3, 3 + at], sql)
  }
  const none = "SET cap = NULL ON account WHERE id = 'bob'"
  assert.equal((await server.query(none)).status, 200, 'a condition that is NULL refuses nothing')
  assert.deepEqual(await all(server), [{ ...BOB, cap: null }])
})

test('transactions that change one column each of a CHECK over two never leave a row that fails it', async (t) => {
  const server = await serverWithBob(t)
  const [one, other] = [await server.begin(), await server.begin()]
  const raise = "SET balance = 9 ON account WHERE id = 'bob'"
  const lower = "SET cap = 6 ON account WHERE id = 'bob'"
  assert.equal((await server.query(raise, { transaction: one })).status, 200)
  assert.equal((await server.query(lower, { transaction: other })).status, 200)
  assert.equal((await server.post(`/v1/transactions/${one}/commit`)).status, 200)
  const { body } = await server.post(`/v1/transactions/${other}/commit`)
  assert.equal(body.code, 'write_conflict')
  assert.equal((await server.query(lower)).body.code, 'check_failed')
  assert.deepEqual(await all(server), [{ ...BOB, balance: 9 }])
})

describe('over the socket', () => {
  const told = ({ type, code, constraint, key }: Frame) => [type, code, constraint, key]
  const TOLD = ['error', 'check_failed', 'below', ['bob']]
  const RAISE = "SET balance = 11 ON account WHERE id = 'bob'"

  test('a CHECK refuses a frame, and leaves a transaction over several frames as it is', async (t) => {
    const server = await serverWithBob(t)
    const socket = await openSocket(t, (await server.listen()).port)
    assert.deepEqual(told(await socket.query(RAISE)), TOLD)
    const { transaction } = await socket.query('BEGIN')
    const lower = "SET cap = 7 ON account WHERE id = 'bob'"
    assert.equal((await socket.query(lower, { transaction })).type, 'result')
    const refused = await socket.query(`SHOW TABLES; ${RAISE}`, { transaction })
    assert.deepEqual(told(refused), TOLD)
    assert.deepEqual([refused.statement, refused.line, refused.column], [1, 1, 14])
    assert.equal((await socket.query('COMMIT', { transaction })).type, 'result')
    assert.deepEqual(await all(server), [{ ...BOB, cap: 7 }])
  })
})

describe('a run of an observer that writes a row that fails a CHECK', () => {
  const CHECKED = 'ALTER TABLE word_count ADD CONSTRAINT few CHECK (words < 3)'

  test('inside the server leaves nothing, and tells why', async (t) => {
    const count = new Runs('count', async (tx, { key, row }) => {
      const words = String(row?.text).split(' ').length
      await tx.query('SET runs = 1 ON word_count WHERE id = :id', { id: key[0] })
      await tx.query('SET words = :words ON word_count WHERE id = :id', { words, id: key[0] })
    })
    const observed = await ObservedServer.start(t, { deps: { observers: [count.defined] } })
    await observed.run(CHECKED)
    await observed.createObserver('count')
    await observed.run("INSERT INTO page (id, text) VALUES (1, 'one two'), (2, 'one two three')")
    const { lastError } = await observed.until(
      'count',
      ({ failures, runs }) => failures > 0 && runs > 0,
    )
    assert.deepEqual(lastError.key, [2])
    assert.match(
      lastError.error,
      /^check_failed: The row \[2\] of word_count fails .* few: words < 3/,
    )
    assert.deepEqual(await observed.run('SCAN * FROM word_count'), [{ id: 1, words: 2, runs: 1 }])
  })

  test('over the socket is told so, and the change is still to be observed', async (t) => {
    const observed = await ObservedServer.start(t)
    await observed.run(CHECKED)
    await observed.createObserver('count')
    const worker = await observed.connect(t)
    worker.send({ type: 'observe', id: 'o', observer: 'count' })
    await observed.write(1, 'one two three')
    const { notification } = await worker.next(({ type }) => type === 'notification')
    const count = (words: number) => {
      return worker.query(`SET words = ${words} ON word_count WHERE id = 1`, { notification })
    }
    const { code, constraint, key } = await count(3)
    assert.deepEqual([code, constraint, key], ['check_failed', 'few', [1]])
    assert.equal((await observed.status('count')).pending, 1)
    assert.equal((await count(2)).type, 'result')
    assert.equal((await observed.drained('count')).runs, 1)
    assert.deepEqual(await observed.run('SCAN * FROM word_count'), [
      { id: 1, words: 2, runs: null },
    ])
  })
})
