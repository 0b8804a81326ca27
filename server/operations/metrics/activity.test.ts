// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import { Storage } from '../../../storage/storage.ts'
import { ManualClock } from '../../../test/manual-clock.ts'
import { openSocket } from '../../../test/server/socket-client.ts'
import {
  type AnswerBody,
  startTestServer,
  type TestServer,
} from '../../../test/server/test-server.ts'
import { TokenServer } from '../../../test/server/token-server.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { quantileOf } from '../statistics/duration-histogram.ts'
import { ActivityRing } from './activity-ring.ts'

const SET = "SET balance = balance + 1 ON account WHERE id = 'bob'"
const GET = "GET * FROM account WHERE id = 'bob'"

async function withBob(t: TestContext, flags: Record<string, string> = {}) {
  const clock = new ManualClock()
  const server = await startTestServer(t, { flags, deps: { clock } })
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)')
  await server.query("INSERT INTO account (id, balance) VALUES ('bob', 1)")
  await clock.advance(1_000)
  return { clock, server }
}

async function told(server: Pick<TestServer, 'get'>, since?: number): Promise<AnswerBody> {
  const { status, body, text } = await server.get(
    `/v1/activity${since === undefined ? '' : `?since=${since}`}`,
  )
  assert.equal(status, 200, text)
  return body
}

/** What came in the second that this ends. */
async function nextSecond(server: TestServer, clock: ManualClock, before: AnswerBody) {
  await clock.advance(1_000)
  const { series, until } = await told(server, before.until)
  const figures = Object.entries(series as Record<string, Array<number | null>>)
  for (const [name, values] of figures) assert.equal(values.length, 1, name)
  const values = figures.map(([name, [value]]) => [name, value])
  return { until, ...Object.fromEntries(values) } as AnswerBody
}

describe('GET /v1/activity', () => {
  it('tells of each second what happened in it', async (t) => {
    const { clock, server } = await withBob(t)
    const before = await told(server)
    for (let n = 0; n < 3; n += 1) await server.query(SET)
    for (let n = 0; n < 5; n += 1) await server.query(GET)
    const [winner, loser] = [await server.begin(), await server.begin()]
    for (const transaction of [winner, loser]) await server.query(SET, { transaction })
    for (const transaction of [winner, loser]) await server.query('COMMIT', { transaction })
    const second = await nextSecond(server, clock, before)
    assert.deepEqual([second.commits, second.reads, second.conflicts], [4, 5, 1])
    // The request that asked before, and those of the transactions.
    assert.equal(second.requests, 1 + 3 + 5 + 6)
    assert.deepEqual([second.changes, second.feedLagMs, second.logBytes], [0, 0, null])
    assert.ok(second.p50Ms > 0 && second.p99Ms >= second.p50Ms)
    const quiet = await nextSecond(server, clock, second)
    assert.deepEqual([quiet.commits, quiet.reads, quiet.requests], [0, 0, 1])
  })

  it('tells nothing new before a second has passed, and all again to who names another server', async (t) => {
    const { clock, server } = await withBob(t)
    await clock.advance(4_000)
    const all = await told(server)
    assert.equal(all.series.commits.length, 5)
    assert.equal(Date.parse(all.from) * 1000 + 5 * all.stepMs * 1000, all.until)
    const nothing = await told(server, all.until)
    assert.deepEqual([nothing.series.commits, nothing.until], [[], all.until])
    for (const since of [0, 1, all.until + 3_600_000_000]) {
      assert.deepEqual(await told(server, since), all)
    }
    await clock.advance(2_000)
    const rest = await told(server, all.until)
    assert.equal(rest.series.commits.length, 2)
    assert.equal(Date.parse(rest.from) * 1000, all.until)
  })

  it('counts changes that are sent, and has the size of the log', async (t) => {
    const flags = { engine: 'sqlite', data: await testFolder(t, 'activity') }
    const { clock, server } = await withBob(t, flags)
    const before = await told(server)
    const { port } = await server.listen()
    for (let n = 0; n < 2; n += 1) {
      const socket = await openSocket(t, port)
      await socket.subscribe('a', 'SCAN * FROM account USE PRIMARY KEY')
      await server.query(SET)
      assert.equal((await socket.about('a')).type, 'change')
    }
    const second = await nextSecond(server, clock, before)
    assert.equal(second.changes, 3)
    assert.ok(second.logBytes > 0)
  })

  it('asks a store with two-phase commits how far its feed is only while a client looks', async (t) => {
    const { clock, server } = await withBob(t, { commit: 'two-phase' })
    await clock.advance(120_000)
    const before = await told(server)
    assert.ok(before.series.feedLagMs.every((lag: number | null) => lag === null))
    await clock.advance(3_000)
    const { series } = await told(server, before.until)
    assert.equal(typeof series.feedLagMs.at(-1), 'number')
    await clock.advance(70_000)
    assert.equal((await told(server)).series.feedLagMs.at(-1), null)
  })

  it('is for those alone who may inspect', async (t) => {
    const tokens = await TokenServer.start(t)
    await tokens.query('CREATE ROLE app')
    await tokens.query('CREATE ROLE operator')
    await tokens.query('GRANT INSPECT TO operator')
    const made = (role: string) => tokens.made(`CREATE TOKEN ${role} ROLE ${role} EXPIRES IN 1 DAY`)
    const refused = await tokens.as(await made('app')).send({ path: '/v1/activity' })
    assert.deepEqual([refused.status, refused.body.code], [403, 'not_permitted'])
    const { status } = await tokens.as(await made('operator')).send({ path: '/v1/activity' })
    assert.equal(status, 200)
  })

  it('is a few hundred bytes for who asks each second', async (t) => {
    const { clock, server } = await withBob(t)
    await clock.advance(700_000)
    const all = await server.get('/v1/activity')
    assert.equal(all.body.series.commits.length, 600)
    await clock.advance(1_000)
    const { text } = await server.get(`/v1/activity?since=${all.body.until}`)
    assert.ok(text.length < 400, text)
  })
})

/** Counts what is asked of the store. */
class CountedStore extends MemoryCellStore {
  calls = 0

  override applyAtomically(...args: Parameters<MemoryCellStore['applyAtomically']>) {
    this.calls += 1
    return super.applyAtomically(...args)
  }

  override readRows(...args: Parameters<MemoryCellStore['readRows']>) {
    this.calls += 1
    return super.readRows(...args)
  }

  override scanRows(...args: Parameters<MemoryCellStore['scanRows']>) {
    this.calls += 1
    return super.scanRows(...args)
  }
}

async function overCountedStore(t: TestContext) {
  const clock = new ManualClock()
  const store = new CountedStore()
  const storage = await Storage.open(store, { owner: 'exclusive', clock })
  const server = await startTestServer(t, { deps: { clock, storage } })
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER)')
  await server.query("INSERT INTO account (id, balance) VALUES ('bob', 1)")
  await clock.advance(1_000)
  return { clock, server, store }
}

describe('a page that asks for everything each second', () => {
  it('makes a SET cost the store no call more', async (t) => {
    const callsOf = async (isPolled: boolean) => {
      const { clock, server, store } = await overCountedStore(t)
      const since = async () => (await told(server)).until
      let until = isPolled ? await since() : 0
      const before = store.calls
      for (let second = 0; second < 5; second += 1) {
        for (let n = 0; n < 10; n += 1) assert.equal((await server.query(SET)).status, 200)
        await clock.advance(1_000)
        if (!isPolled) continue
        const status = await server.get('/v1/status')
        const conflicts = await server.get('/v1/conflicts')
        assert.deepEqual([status.status, conflicts.status], [200, 200])
        until = (await told(server, until)).until
      }
      return store.calls - before
    }
    const calls = await callsOf(false)
    assert.ok(calls >= 50)
    assert.equal(await callsOf(true), calls)
  })
})

describe('the ring of activity', () => {
  const figures = (value: number) => ({
    ...{ commits: value, reads: value, conflicts: value, requests: value, changes: value },
    ...{ feedLagMs: value, p50Ms: value, p99Ms: value, logBytes: value },
  })

  it('has the last steps, and knows nothing of those that were skipped', () => {
    const ring = new ActivityRing(4)
    for (let step = 0; step < 6; step += 1) ring.add(figures(step))
    assert.deepEqual(ring.from(ring.first).commits, [2, 3, 4, 5])
    ring.skip(2)
    assert.deepEqual(ring.from(ring.first).p99Ms, [4, 5, Number.NaN, Number.NaN])
    ring.skip(1_000_000)
    assert.equal(ring.steps, 1_000_008)
    ring.add(figures(7))
    assert.deepEqual(ring.from(1_000_007).reads, [Number.NaN, 7])
  })
})

describe('a quantile of a histogram', () => {
  const buckets = [
    { bound: 1, count: 10 },
    { bound: 2, count: 30 },
    { bound: Number.POSITIVE_INFINITY, count: 40 },
  ]

  it('lies in its bucket, as far as its share goes', () => {
    assert.equal(quantileOf(buckets, 0.125), 0.5)
    assert.equal(quantileOf(buckets, 0.5), 1.5)
  })

  it('is at most the last finite bound, and nothing without values', () => {
    assert.equal(quantileOf(buckets, 0.99), 2)
    assert.ok(Number.isNaN(quantileOf([{ bound: 1, count: 0 }], 0.5)))
    assert.ok(Number.isNaN(quantileOf([], 0.5)))
  })
})
