// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import { type Clock, openGateway, systemClock } from '../../../storage/storage.ts'
import { AwayStore } from '../../../test/gateways/away-store.ts'
import { ManualClock } from '../../../test/manual-clock.ts'
import { type Answer, startTestServer } from '../../../test/server/test-server.ts'

/** Far below the ten seconds that a call of the store may take. */
const AT_ONCE_MS = 3_000

async function scene(t: TestContext, clock: Clock) {
  const store = new AwayStore(new MemoryCellStore())
  // Before the server ends, which waits for the store.
  t.after(() => store.answer())
  const storage = await openGateway(store, { clock })
  const server = await startTestServer(t, { deps: { storage, clock } })
  await server.query('CREATE TABLE item (id INTEGER PRIMARY KEY, n INTEGER)')
  await server.query('INSERT INTO item (id, n) VALUES (1, 1)')
  return { store, server }
}

async function timedScene(t: TestContext) {
  const clock = new ManualClock()
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 100) await clock.advance(100)
  }
  return { ...(await scene(t, clock)), clock, pass }
}

function assertUnavailable({ status, body, headers }: Answer): void {
  assert.deepEqual([status, body.code, body.retryable], [503, 'store_unavailable', true])
  assert.equal(headers['retry-after'], '1')
}

const ASKED = [
  'GET * FROM item WHERE id = 1',
  'SET n = n + 1 ON item WHERE id = 1',
  'INSERT INTO item (id, n) VALUES (2, 2)',
  'SCAN * FROM item USE PRIMARY KEY',
  'BEGIN',
  'CREATE TABLE other (id INTEGER PRIMARY KEY)',
]

test('a store that hangs or refuses: each request ends as it asked, retryable, and goes on later', async (t) => {
  const { store, server } = await scene(t, systemClock)
  const open = await server.begin()
  await server.query('GET * FROM item WHERE id = 1', { transaction: open })
  for (const away of ['hang', 'refuse'] as const) {
    store[away]()
    const began = performance.now()
    const answers = ASKED.map((sql) => server.query(sql, { timeoutMs: 50 }))
    const inside = server.query(ASKED[0] as string, { transaction: open, timeoutMs: 50 })
    for (const answer of await Promise.all([...answers, inside])) assertUnavailable(answer)
    assert.ok(performance.now() - began < AT_ONCE_MS, away)
    store.answer()
    assert.equal((await server.query(ASKED[0] as string, { transaction: open })).status, 200)
    assert.deepEqual(await server.rows('SCAN * FROM item USE PRIMARY KEY'), [{ id: 1, n: 1 }])
  }
})

test('a store that works for long in this process is not blamed for silence', async (t) => {
  const { store, server } = await scene(t, systemClock)
  const read = store.readRows.bind(store)
  t.mock.method(store, 'readRows', async (...asked: Parameters<typeof read>) => {
    const beganMs = performance.now()
    while (performance.now() - beganMs < 100) {}
    await setImmediate()
    return await read(...asked)
  })
  const codes = await Promise.all(
    ASKED.map(async (sql) => (await server.query(sql, { timeoutMs: 1 })).body.code),
  )
  assert.ok(!codes.includes('store_unavailable'), codes.join())
})

test('what names no time ends after ten seconds, whatever it asks', async (t) => {
  const { store, server, pass } = await timedScene(t)
  store.hang()
  const paths = ['/v1/tables', '/v1/tables/item/rows/1', '/v1/locks', '/v1/observers']
  const asked = [...paths.map((path) => server.get(path)), server.post('/v1/transactions')]
  const ended = Promise.all(asked)
  let isEnded = false
  ended.then(() => {
    isEnded = true
  })
  await pass(9_000)
  assert.equal(isEnded, false)
  // Requests take turns of the event loop to arrive.
  while (!isEnded) await pass(1_000)
  for (const answer of await ended) assertUnavailable(answer)
})

test('a commit that the store leaves unanswered is unknown at its commit point, and nothing before it', async (t) => {
  const { store, server, pass } = await timedScene(t)
  const write = 'SET n = n + 1 ON item WHERE id = 1'
  const codes = new Set<string>()
  for (let calls = 0; ; calls += 1) {
    store.hangAfter(calls)
    let answer: Answer | undefined
    server.query(write).then((it) => {
      answer = it
    })
    while (answer === undefined) await pass(500)
    store.answer()
    if (answer.status === 200) break
    codes.add(answer.body.code)
    assert.equal(answer.status, 503, answer.text)
    await pass(4_000)
  }
  assert.deepEqual([...codes], ['store_unavailable', 'commit_outcome_unknown'])
})

test('a store that has been silent for long is not waited for by the next requests', async (t) => {
  const { store, server, pass } = await timedScene(t)
  store.hang()
  await pass(7_000)
  // None of these could end before the clock goes on.
  for (const sql of ASKED) assertUnavailable(await server.query(sql))
  assertUnavailable(await server.get('/v1/tables'))
})

test('who looks at the server is answered at once, and not ready after five seconds of silence', async (t) => {
  const { store, clock, server, pass } = await timedScene(t)
  const looks = [
    '/healthz',
    '/metrics',
    '/v1/status',
    '/v1/gateways',
    '/v1/running',
    '/v1/activity',
  ]
  for (const path of looks) assert.equal((await server.get(path)).status, 200, path)
  for (const away of ['hang', 'refuse'] as const) {
    await pass(2_500)
    const before = clock.wallMicros() / 1000
    store[away]()
    await pass(4_000)
    assert.equal((await server.get('/readyz')).status, 200)
    await pass(4_000)
    const ready = await server.get('/readyz')
    assertUnavailable(ready)
    assert.match(ready.body.detail, /has not answered for \d s/)
    const began = performance.now()
    for (const path of looks) {
      const { status, body, text } = await server.get(path)
      assert.equal(status, 200, path)
      if (path === '/v1/gateways') assert.ok(body.gateways.length <= 1)
      if (path === '/metrics') assert.match(text, /^percolite_store_silent_seconds [5-8]/m)
      if (path !== '/healthz' && path !== '/v1/status') continue
      assert.ok(Math.abs(Date.parse(body.storeAnsweredAt) - before) <= 2_500, path)
    }
    assert.ok(performance.now() - began < AT_ONCE_MS, away)
    store.answer()
    await pass(2_500)
    assert.equal((await server.get('/readyz')).status, 200)
  }
})
