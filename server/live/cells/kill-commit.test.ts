// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { SeededRandomness } from '../../../test/seeded-randomness.ts'
import {
  type AnswerBody,
  startTestServer,
  type TestServer,
} from '../../../test/server/test-server.ts'
import { TokenServer } from '../../../test/server/token-server.ts'
import { readConfig } from '../../config.ts'

const TRANSFER = `SET balance = balance - 7 ON account WHERE id = 'bob';
  SET balance = balance + 7 ON account WHERE id = 'joe'`

const PACED = { commit: 'two-phase', 'step-delay': '300ms' } as const

async function bank(t: TestContext): Promise<TestServer> {
  const server = await startTestServer(t, { flags: PACED })
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)')
  const rows = Array.from({ length: 30 }, (_, at) => `('other${at}', 0)`)
  await server.query(
    `INSERT INTO account (id, balance) VALUES ('bob', 10), ('joe', 2), ${rows.join(', ')}`,
  )
  return server
}

/** Locks and write records of Bob's row and of Joe's: `10 02` is one lock on Bob's and two records on Joe's. */
async function shape(server: TestServer): Promise<{ shape: string; rows: AnswerBody[] }> {
  const { body } = await server.get('/v1/tables/account/cells?key=bob&key=joe')
  const counts = body.rows.map(({ lock, write }: AnswerBody) => `${lock.length}${write.length}`)
  return { shape: counts.join(' '), rows: body.rows }
}

/** Resolves to the start timestamp of the transaction that holds a lock then. */
async function untilShape(server: TestServer, wanted: string): Promise<number> {
  for (;;) {
    const { shape: found, rows } = await shape(server)
    const [lock] = rows.flatMap((row) => row.lock)
    if (found === wanted) return lock.timestamp
    await sleep(5)
  }
}

/** Cells of both rows when a transfer was killed at this shape, its answer, and what the next reader finds. */
async function killedAt(t: TestContext, wanted: string) {
  const server = await bank(t)
  const transfer = server.query(TRANSFER)
  const transaction = await untilShape(server, wanted)
  const killed = await server.post(`/v1/transactions/${transaction}/kill`)
  assert.equal(killed.status, 200, killed.text)
  const { status, body } = await transfer
  const left = await shape(server)
  assert.equal(left.shape, wanted, 'nothing that it would still have done was done')
  const beganMs = performance.now()
  const found = await server.query("SCAN balance FROM account WHERE id IN ('bob', 'joe')")
  const tookMs = performance.now() - beganMs
  assert.ok(tookMs < 2_000, `a reader waits for no lock of it: ${tookMs} ms`)
  const balances = found.body.results[0].rows.map(({ balance }: AnswerBody) => balance)
  const after = await shape(server)
  const answer = status === 200 ? 'committed' : body.code
  return { killed: killed.body, transaction, answer, balances, after }
}

describe('a commit that is killed', { concurrency: true }, () => {
  test("after the primary's lock is rolled back by the next reader", async (t) => {
    const { killed, transaction, answer, balances, after } = await killedAt(t, '11 01')
    const primary = { table: 'account', key: ['bob'] }
    assert.deepEqual(killed, { transaction, step: 'prewrite', ...primary })
    assert.equal(answer, 'commit_outcome_unknown')
    assert.deepEqual(balances, [10, 2])
    assert.equal(after.shape, '01 01')
    const [bob, joe] = after.rows
    assert.deepEqual(
      bob.rollback.map(({ timestamp }: AnswerBody) => timestamp),
      [transaction],
    )
    assert.deepEqual(joe.rollback, [])
  })

  test('after all locks is rolled back as well', async (t) => {
    const { killed, answer, balances, after } = await killedAt(t, '11 11')
    assert.deepEqual([killed.step, killed.key], ['prewrite', ['joe']])
    assert.equal(answer, 'commit_outcome_unknown')
    assert.deepEqual(balances, [10, 2])
    assert.equal(after.shape, '01 01')
  })

  test('after its commit point is rolled forward by the next reader', async (t) => {
    const { killed, transaction, answer, balances, after } = await killedAt(t, '02 11')
    assert.deepEqual([killed.step, killed.key], ['commit', ['bob']])
    assert.equal(answer, 'commit_outcome_unknown')
    assert.deepEqual(balances, [3, 9])
    assert.equal(after.shape, '02 02')
    const [bob, joe] = after.rows
    assert.deepEqual(bob.write[0], joe.write[0])
    assert.equal(bob.write[0].startTimestamp, transaction)
  })

  test('has an outcome that can be asked for, where it is of several requests', async (t) => {
    const server = await bank(t)
    const { transaction: id } = (await server.post('/v1/transactions')).body
    const path = `/v1/transactions/${id}`
    await server.post(`${path}/query`, { sql: TRANSFER })
    const committed = server.post(`${path}/commit`)
    await untilShape(server, '11 01')
    assert.equal((await server.post(`${path}/kill`)).status, 200)
    assert.equal((await committed).body.code, 'commit_outcome_unknown')
    assert.equal((await server.get(path)).body.status, 'rolledBack')
  })

  test('is committed after its own row is, and after its client has the answer', async (t) => {
    const server = await bank(t)
    const { transaction: id } = (await server.post('/v1/transactions')).body
    const path = `/v1/transactions/${id}`
    await server.post(`${path}/query`, { sql: TRANSFER })
    const committed = server.post(`${path}/commit`)
    await untilShape(server, '02 11')
    const killed = await server.post(`${path}/kill`)
    assert.deepEqual([killed.body.step, killed.body.key], ['commitSecondary', ['bob']])
    const { commitTimestamp } = (await committed).body
    await server.query("GET * FROM account WHERE id = 'joe'")
    const { rows } = await shape(server)
    for (const { write } of rows) assert.equal(write[0].timestamp, commitTimestamp)
  })
})

describe('a commit that is slowed down', { concurrency: true }, () => {
  test('is alive: a reader waits for it, and does not roll it back', async (t) => {
    const server = await bank(t)
    const transfer = server.query(TRANSFER)
    await untilShape(server, '11 01')
    const found = await server.query("SCAN balance FROM account WHERE id IN ('bob', 'joe')")
    const balances = found.body.results[0].rows.map(({ balance }: AnswerBody) => balance)
    assert.deepEqual(balances, [10, 2], 'it began before the transfer committed')
    assert.equal((await transfer).status, 200)
    const { rows } = await shape(server)
    assert.deepEqual([rows[0].write.length, rows[0].rollback.length], [2, 0])
  })

  test('is finished and answered, however short the timeout of its statements', async (t) => {
    const server = await startTestServer(t, { flags: { ...PACED, 'statement-timeout': '200ms' } })
    await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)')
    const insert = "INSERT INTO account (id, balance) VALUES ('bob', 10), ('joe', 2)"
    const beganMs = performance.now()
    assert.equal((await server.query(insert)).status, 200)
    assert.ok(performance.now() - beganMs >= 900)
  })

  test('is so in memory and by two phases only, and by ten seconds at most', () => {
    const memory = { engine: 'memory', commit: 'two-phase' } as const
    assert.equal(readConfig({ ...memory, 'step-delay': '10s' }).stepDelayMs, 10_000)
    assert.equal(readConfig({ ...memory }).stepDelayMs, undefined)
    const needs = /--step-delay .* needs --engine memory and --commit two-phase/
    for (const others of [{}, { engine: 'memory' }, { commit: 'two-phase' }]) {
      assert.throws(() => readConfig({ ...others, 'step-delay': '1s' }), needs)
    }
    assert.throws(() => readConfig({ ...memory, 'step-delay': '11s' }), /at most 10s/)
  })
})

describe('a commit can be killed', () => {
  test('only where commits are slowed down, and only while it is under way', async (t) => {
    const fast = await startTestServer(t, { flags: { commit: 'two-phase' } })
    const refused = await fast.post('/v1/transactions/7/kill')
    assert.deepEqual([refused.status, refused.body.code], [403, 'not_enabled'])
    const slow = await bank(t)
    for (const id of ['7', 'x', '7.x', '0', `7.${'a'.repeat(32)}`]) {
      const { status, body } = await slow.post(`/v1/transactions/${id}/kill`)
      assert.deepEqual([status, body.code], [404, 'unknown_transaction'], id)
    }
  })

  test('by who has the right admin', async (t) => {
    const tokens = await TokenServer.start(t, { flags: PACED })
    const admin = tokens.as(tokens.token)
    await admin.rows('CREATE ROLE ops; GRANT INSPECT TO ops')
    const ops = tokens.as(await tokens.made('CREATE TOKEN ops ROLE ops EXPIRES IN 1 DAY'))
    const kill = { method: 'POST', path: '/v1/transactions/7/kill' } as const
    const refused = await ops.send(kill)
    assert.deepEqual([refused.body.code, refused.body.right], ['not_permitted', 'admin'])
    assert.equal((await admin.send(kill)).body.code, 'unknown_transaction')
  })
})

test('transfers of which some are killed at any step keep the sum', async (t) => {
  const seed = Number(process.env.KILL_SEED ?? Date.now() % 1e6)
  t.diagnostic(`seed ${seed}: KILL_SEED=${seed}`)
  const random = new SeededRandomness(seed)
  const flags = { ...PACED, 'step-delay': '4ms' }
  const server = await startTestServer(t, { flags })
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)')
  const names = ['ann', 'bob', 'eve', 'joe', 'sue']
  const rows = names.map((name) => `('${name}', 100)`).join(', ')
  await server.query(`INSERT INTO account (id, balance) VALUES ${rows}`)
  const outcomes = new Set<string>()
  const teller = async () => {
    for (let round = 0; round < 15; round += 1) {
      const [from, to] = [names[random.below(5)], names[random.below(5)]]
      if (from === to) continue
      const amount = random.below(20)
      const { status, body } = await server.query(
        `SET balance = balance - ${amount} ON account WHERE id = '${from}';
         SET balance = balance + ${amount} ON account WHERE id = '${to}'`,
      )
      outcomes.add(status === 200 ? 'committed' : body.code)
    }
  }
  let isDone = false
  const killer = async () => {
    while (!isDone) {
      await sleep(random.below(30))
      const { locks } = (await server.get('/v1/locks')).body
      const lock = locks[random.below(Math.max(1, locks.length))]
      if (lock !== undefined) await server.post(`/v1/transactions/${lock.timestamp}/kill`)
    }
  }
  const auditor = async () => {
    while (!isDone) {
      const { status, body } = await server.query(
        'SCAN SUM(balance) AS total FROM account USE PRIMARY KEY',
      )
      if (status === 200) assert.equal(body.results[0].rows[0].total, 500)
      await sleep(5)
    }
  }
  const tellers = Promise.all([teller(), teller(), teller()]).finally(() => {
    isDone = true
  })
  await Promise.all([tellers, killer(), auditor()])
  assert.ok(outcomes.has('commit_outcome_unknown'), [...outcomes].join(', '))
  assert.ok(outcomes.has('committed'), [...outcomes].join(', '))
  const { body } = await server.query('SCAN SUM(balance) AS total FROM account USE PRIMARY KEY')
  assert.equal(body.results[0].rows[0].total, 500)
  const { sound, problems } = (await server.get('/v1/check')).body
  assert.deepEqual([sound, problems], [true, []])
})
