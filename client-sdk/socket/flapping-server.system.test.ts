// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { startFlappingProxy, type Weather } from '../../test/client-sdk/flapping-proxy.ts'
import { problem, startScriptedServer } from '../../test/client-sdk/scripted-server.ts'
import { given } from '../../test/client-sdk/scripted-socket.ts'
import { SeededRandomness } from '../../test/seeded-randomness.ts'
import { ServerProcess } from '../../test/server/server-process.ts'
import { testFolder } from '../../test/test-folder.ts'
import { backoffMs, reconnectMs } from '../backoff.ts'
import { connect, type Database, PercoliteError } from '../client.ts'

// A server that is killed and started again behind a proxy that loses, refuses and breaks. What is thrown
// where nobody can catch it, the runner of the tests takes for a failure.

const SECONDS = Number(process.env.SDK_FLAPPING_SECONDS ?? 4)
const SEED = Number(process.env.SDK_FLAPPING_SEED ?? 1)
const WRITERS = 3

const LEDGER = 'SCAN id, writer FROM ledger USE PRIMARY KEY'
type Entry = { readonly id: string; readonly writer: number }

/** A server behind a connection that works and fails alternately. */
async function startFlapping(t: TestContext) {
  const data = await testFolder(t, 'flapping')
  let server = await ServerProcess.start(data)
  t.after(() => server.stop())
  const proxy = await startFlappingProxy(t, server.url)
  const restart = async (isKilled: boolean) => {
    await (isKilled ? server.killNine() : server.stop())
    proxy.breakAll()
    server = await ServerProcess.start(data)
    proxy.turnTo(server.url)
  }
  const flap = async (random: SeededRandomness) => {
    const endsAt = performance.now() + SECONDS * 1_000
    for (let turn = 0; turn === 0 || performance.now() < endsAt; turn += 1) {
      for (const weather of ['lost', 'fair', 'unanswered', 'fair', 'shed', 'fair'] as Weather[]) {
        proxy.become(weather)
        if (random.below(2) === 0) proxy.breakAll()
        // What was refused for a second needs longer to get on.
        await setTimeout((weather === 'fair' ? 300 : 50) + random.below(250))
      }
      await restart(turn % 2 === 0)
      await setTimeout(random.below(500))
    }
  }
  return { proxy, flap, address: () => server.url }
}

type Ended = { readonly acknowledged: string[]; readonly refused: string[]; unknown: number }

/** Writes entries and counts them, each in one transaction, for as long as it is told to. */
async function write(db: Database, writer: number, signal: AbortSignal): Promise<Ended> {
  const ended: Ended = { acknowledged: [], refused: [], unknown: 0 }
  for (let n = 0; !signal.aborted; n += 1) {
    const id = `${writer}-${n}`
    try {
      await db.transaction(async (tx) => {
        await tx.sql`INSERT INTO ledger (id, writer) VALUES (${id}, ${writer})`
        await tx.sql`SET n = n + 1 ON total WHERE writer = ${writer}`
      })
      ended.acknowledged.push(id)
    } catch (error) {
      assert.ok(error instanceof PercoliteError, String(error))
      assert.notEqual(error.code, 'already_exists', 'it was run again after it was committed')
      if (error.code === 'commit_outcome_unknown') ended.unknown += 1
      else ended.refused.push(id)
      await setTimeout(20)
    }
  }
  return ended
}

test(`a server that flaps, sheds and restarts for ${SECONDS} s, seed ${SEED}: nothing is lost, and nothing comes twice`, async (t) => {
  const { proxy, flap, address } = await startFlapping(t)
  const near = connect({ url: address() })
  await near.query('CREATE TABLE ledger (id TEXT PRIMARY KEY, writer INTEGER)')
  await near.query('CREATE TABLE total (writer INTEGER PRIMARY KEY, n INTEGER NOT NULL)')
  await near.query('CREATE TABLE seen (id TEXT PRIMARY KEY, runs INTEGER NOT NULL)')
  await near.query('CREATE OBSERVER mirror ON ledger (writer)')
  for (let writer = 0; writer < WRITERS; writer += 1) {
    await near.query('INSERT INTO total (writer, n) VALUES ($1, 0)', [writer])
  }

  const db = connect({ url: proxy.url, timeoutMs: 5_000 })
  t.after(() => db.close())
  const live = db.live<Entry>(LEDGER)
  await given(live.next())
  const events = db.subscribe<Entry>(LEDGER, [], { snapshot: true })
  while ((await given(events.next())).kind !== 'snapshot');
  const worker = db.observe<Entry>(
    'mirror',
    (tx, { key: [id] }) =>
      tx.sql`INSERT INTO seen (id, runs) VALUES (${id}, 1)`.then(() => undefined),
    { workers: 4 },
  )
  // Whatever ended it is told below, when it is waited for.
  worker.done.catch(() => undefined)

  const stopping = new AbortController()
  const writing = Array.from({ length: WRITERS }, (_, n) => write(db, n, stopping.signal))
  const startedAt = performance.now()
  await flap(new SeededRandomness(SEED))
  const seconds = (performance.now() - startedAt) / 1_000
  const { upgrades, failed } = proxy.counts
  stopping.abort()
  const ended = await Promise.all(writing)
  const fresh = connect({ url: address() })
  await fresh.query("INSERT INTO ledger (id, writer) VALUES ('the end', -1)")

  const { rows } = await fresh.query<Entry>(LEDGER, [], { maxRows: 1_000_000 })
  const stored = new Set(rows.map(({ id }) => id))
  const acknowledged = ended.flatMap((one) => one.acknowledged)
  const unknown = ended.reduce((sum, one) => sum + one.unknown, 0)
  assert.deepEqual(
    acknowledged.filter((id) => !stored.has(id)),
    [],
    'what was acknowledged is there',
  )
  assert.deepEqual(
    ended.flatMap((one) => one.refused).filter((id) => stored.has(id)),
    [],
  )
  assert.ok(stored.size - 1 <= acknowledged.length + unknown)
  const totals = await fresh.query<{ writer: number; n: number }>(
    'SCAN * FROM total USE PRIMARY KEY',
  )
  for (const { writer, n } of totals.rows) {
    assert.equal(n, rows.filter((row) => row.writer === writer).length, `writer ${writer}`)
  }

  const told: string[] = []
  while (told.at(-1) !== 'the end') {
    const event = await given(events.next())
    assert.notEqual(event.kind, 'reset')
    if (event.kind !== 'commit') continue
    for (const { key } of event.changes) told.push(String(key[0]))
  }
  assert.deepEqual(told.toSorted(), [...stored].toSorted(), 'every commit is told, and once')
  while ((await given(live.next())).length !== stored.size);

  let seen = 0
  while (seen < stored.size) {
    await setTimeout(20)
    const { rows } = await fresh.query<{ n: number }>('SCAN COUNT(*) AS n FROM seen')
    seen = rows[0]?.n ?? 0
  }
  await Promise.all([live.return(), events.return(), worker.stop()])
  await worker.done

  // One socket serves all of it. Each writer and run has one request at a time, with pauses after those that
  // failed; how many succeed is the machine's speed.
  const perSecond = { failed: failed / seconds, upgrades: upgrades / seconds }
  t.diagnostic(
    `${acknowledged.length} acknowledged, ${unknown} unknown, ${JSON.stringify(perSecond)}`,
  )
  assert.ok(perSecond.upgrades < 10, `${upgrades} sockets were opened in ${seconds} s`)
  assert.ok(perSecond.failed < 100, `${failed} requests failed in ${seconds} s`)
  assert.ok(acknowledged.length > 0)
})

test('a server that is away for long is asked less and less often, by all together', async (t) => {
  const { proxy } = await startFlapping(t)
  const db = connect({ url: proxy.url })
  t.after(() => db.close())
  await db.query('CREATE TABLE away (id INTEGER PRIMARY KEY)')
  const all = Array.from({ length: 40 }, (_, n) => {
    const sql = 'SCAN * FROM away WHERE id >= :n'
    return db.subscribe(sql, { n: n - 100 }, { snapshot: true })
  })
  await Promise.all(
    all.map(async (one) => assert.equal((await given(one.next())).kind, 'snapshot')),
  )
  const nexts = all.map((one) => given(one.next()))
  const before = proxy.counts.upgrades
  // Pauses of 100, 200, 400 and 800 ms at most; each attempt that is due in this time fails.
  t.mock.method(Math, 'random', () => 0.9)
  proxy.become('shed')
  proxy.breakAll()
  await setTimeout(1_500)
  const attempts = proxy.counts.upgrades - before
  proxy.become('fair')
  assert.ok(attempts >= 2 && attempts <= 5, `${attempts} attempts of 40 subscriptions`)
  const { commitTimestamp } = await db.query('INSERT INTO away (id) VALUES (1)')
  for (const event of await Promise.all(nexts)) {
    assert.equal(event.kind === 'commit' && event.timestamp, commitTimestamp)
  }
})

const OPENED = { transaction: '100.aa', readTimestamp: 100, expiresAt: '2026-01-31T12:00:00Z' }
const LATER = { 'retry-after': '1' }

for (const [what, answer] of [
  ['the server', [...problem(503, 'overloaded').slice(0, 2), LATER]],
  [
    'the server, of one client,',
    [...problem(429, 'client_overloaded', { retryable: true }).slice(0, 2), LATER],
  ],
  [
    'the server, of one client that sends too fast,',
    [...problem(429, 'rate_limited', { retryable: true }).slice(0, 2), LATER],
  ],
  ['a proxy', [503, 'Busy', LATER]],
  ['a proxy, of one client,', [429, 'Busy', LATER]],
] as ReadonlyArray<readonly [string, readonly [number, unknown, Record<string, string>]]>) {
  test(`Retry-After of ${what} is waited for before a transaction is begun again`, async (t) => {
    const server = await startScriptedServer(t, [
      { expect: 'POST /v1/transactions', answer },
      { expect: 'POST /v1/transactions', answer: [201, OPENED] },
      { expect: 'POST /v1/transactions/100.aa/commit', answer: [200, { commitTimestamp: null }] },
    ])
    const startedAt = performance.now()
    await connect({ url: server.url }).transaction(() => undefined)
    const passedMs = performance.now() - startedAt
    // A timer may come a moment early.
    assert.ok(passedMs >= 990, `${passedMs} ms`)
    server.assertPlayed()
  })
}

test('a Retry-After is never waited for longer than a minute, and the tries are counted', async (t) => {
  for (const waitMs of [backoffMs(1, 86_400_000), reconnectMs(1, 86_400_000)]) {
    assert.ok(waitMs >= 60_000 && waitMs <= 60_100)
  }
  const full = { expect: 'POST /v1/transactions', answer: problem(503, 'overloaded') }
  const server = await startScriptedServer(t, Array(5).fill(full))
  const ended = connect({ url: server.url }).transaction(() => undefined, { tries: 5 })
  await assert.rejects(ended, { code: 'overloaded' })
  server.assertPlayed()
})
