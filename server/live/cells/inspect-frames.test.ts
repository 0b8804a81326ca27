// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import { openGateway } from '../../../storage/storage.ts'
import { auditedServer } from '../../../test/access/audited-server.ts'
import { SeededRandomness } from '../../../test/seeded-randomness.ts'
import { RowReplay } from '../../../test/server/row-replay.ts'
import { type Frame, openSocket } from '../../../test/server/socket-client.ts'
import { type AnswerBody, startTestServer } from '../../../test/server/test-server.ts'
import { testFolder } from '../../../test/test-folder.ts'
import type { FlagName } from '../../flags.ts'
import { SERVER_LIMITS } from '../../limits.ts'

type Flags = Partial<Readonly<Record<FlagName, string>>>

const TRANSFER = `SET balance = balance - 7 ON account WHERE id = 'bob';
  SET balance = balance + 7 ON account WHERE id = 'joe'`

async function bank(t: TestContext, flags: Flags = {}) {
  const server = await startTestServer(t, { flags })
  const { port } = await server.listen()
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER, note TEXT)')
  await server.query("INSERT INTO account (id, balance) VALUES ('bob', 10), ('joe', 2)")
  return { server, port }
}

const INSPECT = { type: 'inspect', id: 'c', table: 'account', keys: [['bob'], ['joe']] }

describe('a client that inspects rows', () => {
  test('is sent their cells, and then each step of a transfer in two phases', async (t) => {
    const { server, port } = await bank(t, { commit: 'two-phase' })
    const client = await openSocket(t, port)
    client.send(INSPECT)
    const first = await client.about('c')
    assert.deepEqual([first.type, first.scope], ['cells', 'store'])
    const { body } = await server.get('/v1/tables/account/cells?key=bob&key=joe')
    assert.deepEqual(first.rows, body.rows)
    const { readTimestamp, commitTimestamp } = (await server.query(TRANSFER)).body
    const steps: Frame[] = []
    while (steps.length < 4) steps.push(await client.about('c'))
    const names = steps.map(({ step, key }) => `${step} ${key}`).toSorted()
    const wanted = ['commit bob', 'commitSecondary joe', 'prewrite bob', 'prewrite joe']
    assert.deepEqual(names, wanted)
    const [prewrite] = steps
    assert.ok(steps.every(({ transaction }) => transaction === readTimestamp))
    const [data, lock] = prewrite.set
    assert.deepEqual([data.family, data.row], ['data', { id: 'bob', balance: 3, note: null }])
    assert.deepEqual([lock.family, lock.timestamp, lock.isPrimary], ['lock', readTimestamp, true])
    const commit = steps.find(({ step }) => step === 'commit')
    const [, write] = commit.set
    assert.deepEqual([write.family, write.timestamp], ['write', commitTimestamp])
    assert.deepEqual(commit.erased, [{ family: 'lock', column: '0', timestamp: readTimestamp }])
    client.send({ type: 'unsubscribe', id: 'c' })
    assert.equal((await client.about('c')).type, 'unsubscribed')
    await server.query(TRANSFER)
    assert.equal((await client.query('SHOW TABLES')).type, 'result')
    assert.deepEqual(client.unread, [])
  })

  test('is told whose cell a value is once, also where its columns have a family', async (t) => {
    const { server, port } = await bank(t)
    await server.query('CREATE TABLE page (url TEXT PRIMARY KEY, body TEXT, FAMILY text (body))')
    const client = await openSocket(t, port)
    client.send({ type: 'inspect', id: 'c', table: 'page', keys: [['a']] })
    await client.about('c')
    await server.query("INSERT INTO page (url, body) VALUES ('a', 'x')")
    const { set } = await client.about('c')
    const values = set.filter((cell: AnswerBody) => cell.row !== undefined)
    assert.deepEqual(
      values.map((cell: AnswerBody) => [cell.family, cell.row]),
      [
        ['data', { url: 'a' }],
        ['data', { url: 'a', body: 'x' }],
      ],
    )
  })

  test('sees one step for each row of a commit in one phase', async (t) => {
    const { server, port } = await bank(t)
    const client = await openSocket(t, port)
    client.send(INSPECT)
    await client.about('c')
    const { commitTimestamp } = (await server.query(TRANSFER)).body
    for (const id of ['bob', 'joe']) {
      const { step, key, set, erased } = await client.about('c')
      assert.deepEqual([step, key], ['onePhase', [id]])
      assert.equal(set.at(-1).timestamp, commitTimestamp)
      assert.deepEqual(erased, [])
    }
  })

  for (const [wanted, killed] of [
    ['rollBack', 'prewrite bob'],
    ['rollForward', 'commit bob'],
  ] as const) {
    test(`sees the ${wanted} of a transfer whose owner was killed after ${killed}`, async (t) => {
      const flags = { commit: 'two-phase', 'step-delay': '300ms' }
      const { server, port } = await bank(t, flags)
      const client = await openSocket(t, port)
      client.send(INSPECT)
      const { rows } = await client.about('c')
      const replay = new RowReplay(rows)
      const transfer = server.query(TRANSFER)
      const steps: Frame[] = []
      const next = async () => {
        const frame = await client.about('c')
        replay.step(frame)
        steps.push(frame)
        return `${frame.step} ${frame.key}`
      }
      while ((await next()) !== killed);
      const transaction = steps.at(-1).transaction
      await server.post(`/v1/transactions/${transaction}/kill`)
      assert.equal((await transfer).body.code, 'commit_outcome_unknown')
      await server.query("SCAN balance FROM account WHERE id IN ('bob', 'joe')")
      assert.match(await next(), new RegExp(`^${wanted} `))
      assert.ok(steps.every((step) => step.transaction === transaction))
      await replay.isEqualTo(server)
    })
  }
})

test('where servers share a store, a client sees the steps of the server that it asks', async (t) => {
  const cellStore = new MemoryCellStore()
  const open = async () =>
    await startTestServer(t, { deps: { storage: await openGateway(cellStore) } })
  const [one, other] = [await open(), await open()]
  await one.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)')
  const client = await openSocket(t, (await one.listen()).port)
  client.send(INSPECT)
  assert.equal((await client.about('c')).scope, 'process')
  await other.query("INSERT INTO account (id, balance) VALUES ('bob', 10)")
  await one.query("INSERT INTO account (id, balance) VALUES ('joe', 2)")
  const { step, key } = await client.about('c')
  assert.deepEqual([step, key], ['prewrite', ['joe']])
  const { step: next } = await client.about('c')
  assert.equal(next, 'commit')
})

const ENGINES: ReadonlyArray<readonly [string, Flags]> = [
  ['memory, two-phase', { engine: 'memory', commit: 'two-phase' }],
  ['memory, one-phase', { engine: 'memory' }],
  ['sqlite, two-phase', { engine: 'sqlite', commit: 'two-phase' }],
  ['sqlite, one-phase', { engine: 'sqlite', 'redo-log': 'never' }],
  ['sqlite with the redo log', { engine: 'sqlite', 'redo-log': 'always' }],
]

describe('no step is missing between the cells and the first step, and none comes twice', () => {
  for (const [name, flags] of ENGINES) {
    test(`with ${name}, however many begin to look while rows are written`, async (t) => {
      const seed = Number(process.env.INSPECT_SEED ?? Date.now() % 1e6)
      t.diagnostic(`seed ${seed}: INSPECT_SEED=${seed}`)
      const random = new SeededRandomness(seed)
      const folder = flags.engine === 'sqlite' ? { data: await testFolder(t, 'inspect') } : {}
      const { server, port } = await bank(t, { ...flags, ...folder })
      const client = await openSocket(t, port)
      let isDone = false
      const writer = async () => {
        const note = 'n'.repeat(random.below(3) * 2_000)
        for (let count = 0; count < 30; count += 1) {
          const id = random.fraction() < 0.5 ? 'bob' : 'joe'
          const one = `SET note = '${note}', balance = ${count} ON account WHERE id = '${id}'`
          await server.query(random.fraction() < 0.5 ? one : TRANSFER)
        }
      }
      const replays: RowReplay[] = []
      const looker = async (id: string) => {
        while (!isDone) {
          client.send({ ...INSPECT, id })
          const first = await client.about(id)
          assert.equal(first.type, 'cells')
          const replay = new RowReplay(first.rows)
          await sleep(random.below(20))
          client.send({ type: 'unsubscribe', id })
          for (;;) {
            const frame = await client.about(id)
            if (frame.type === 'unsubscribed') break
            replay.step(frame)
          }
          replays.push(replay)
        }
      }
      client.send({ ...INSPECT, id: 'all' })
      const { rows } = await client.about('all')
      const whole = new RowReplay(rows)
      const writing = Promise.all([writer(), writer()]).finally(() => {
        isDone = true
      })
      await Promise.all([writing, looker('a'), looker('b'), looker('c')])
      await whole.isReached(server, () => client.about('all'))
      const moments = new Set(replays.map(({ begin }) => begin))
      assert.ok(moments.size > 5, `${moments.size} different beginnings`)
      assert.ok(replays.reduce((sum, { count }) => sum + count, 0) > 20)
    })
  }
})

describe('a socket', () => {
  test('inspects 20 rows at most, together', async (t) => {
    const { port } = await bank(t)
    const client = await openSocket(t, port)
    const keys = (count: number, from = 0) =>
      Array.from({ length: count }, (_, at) => [`row ${from + at}`])
    client.send({ ...INSPECT, id: 'a', keys: keys(21) })
    const many = await client.about('a')
    assert.deepEqual([many.code, many.limit], ['limit_exceeded', 'inspectedRowsMax'])
    client.send({ ...INSPECT, id: 'b', keys: keys(15) })
    assert.equal((await client.about('b')).rows.length, 15)
    client.send({ ...INSPECT, id: 'c', keys: keys(6, 15) })
    assert.equal((await client.about('c')).limit, 'inspectedRowsMax')
    client.send({ type: 'unsubscribe', id: 'b' })
    assert.equal((await client.about('b')).type, 'unsubscribed')
    client.send({ ...INSPECT, id: 'd', keys: keys(20) })
    assert.equal((await client.about('d')).rows.length, 20)
  })

  test('is told what is wrong with its frame', async (t) => {
    const { port } = await bank(t)
    const client = await openSocket(t, port)
    const wrong: ReadonlyArray<readonly [string, object]> = [
      ['invalid_request', { keys: [] }],
      ['invalid_request', { keys: ['bob'] }],
      ['invalid_request', { keys: [['bob', 1]] }],
      ['invalid_request', { keys: [[null]] }],
      ['invalid_request', { table: 7 }],
      ['invalid_request', { since: 7 }],
      ['type_mismatch', { keys: [[7]] }],
      ['unknown_table', { table: 'nothing' }],
    ]
    for (const [at, [code, fields]] of wrong.entries()) {
      client.send({ ...INSPECT, id: `${at}`, ...fields })
      const told = await client.about(`${at}`)
      assert.deepEqual([told.type, told.code], ['error', code], JSON.stringify(fields))
    }
  })

  test('that does not read is told how many steps were left out, and then of later ones', async (t) => {
    const { server, port } = await bank(t)
    const client = await openSocket(t, port)
    client.send(INSPECT)
    await client.about('c')
    client.socket.pause()
    const note = 'x'.repeat(60_000)
    const writes = 400
    for (let count = 0; count < writes; count += 1) {
      await server.query(`SET note = '${note}', balance = ${count} ON account WHERE id = 'bob'`)
    }
    const { unsentBytes } = server.server.shares
    assert.ok(unsentBytes.held < 2 * SERVER_LIMITS.socketUnsentBytesMax, `${unsentBytes.held}`)
    client.socket.resume()
    let seen = 0
    for (;;) {
      const frame = await client.about('c')
      if (frame.type === 'stepsLeftOut') {
        assert.equal(seen + frame.count, writes)
        break
      }
      seen += 1
    }
    await server.query("SET balance = 1000 ON account WHERE id = 'joe'")
    assert.deepEqual((await client.about('c')).key, ['joe'])
  })
})

describe('rows are inspected by who has the right inspect', () => {
  test('and no longer than that', async (t) => {
    const { tokens, admin, events } = await auditedServer(t)
    const { port } = await tokens.server.listen()
    await admin.rows('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)')
    await admin.rows('CREATE ROLE app; GRANT READ, WRITE ON account TO app')
    await admin.rows('CREATE ROLE ops; GRANT INSPECT TO ops; GRANT DEFINE TO ops')
    const socketOf = async (role: string) => {
      const token = await tokens.made(`CREATE TOKEN ${role} ROLE ${role} EXPIRES IN 1 DAY`)
      return await openSocket(t, port, { headers: { authorization: `Bearer ${token}` } })
    }
    const app = await socketOf('app')
    app.send(INSPECT)
    const refused = await app.about('c')
    assert.deepEqual([refused.code, refused.right], ['not_permitted', 'inspect'])
    const ops = await socketOf('ops')
    ops.send(INSPECT)
    assert.equal((await ops.about('c')).type, 'cells')
    await admin.rows("INSERT INTO account (id, balance) VALUES ('bob', 7)")
    assert.equal((await ops.about('c')).type, 'step')
    await admin.rows('REVOKE INSPECT FROM ops')
    const ended = await ops.about('c')
    assert.deepEqual([ended.type, ended.code], ['error', 'not_permitted'])
    await admin.rows("SET balance = 8 ON account WHERE id = 'bob'")
    assert.equal((await ops.query('SHOW TABLES')).type, 'result')
    assert.deepEqual(ops.unread, [])
    const told = (await events()).filter(({ event }) => event === 'inspected')
    assert.deepEqual(
      told.map(({ operation, table }) => `${operation} ${table}`),
      ['inspect account'],
    )
  })
})
