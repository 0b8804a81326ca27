// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openStorage } from '../../../storage/storage.ts'
import { ManualClock } from '../../../test/manual-clock.ts'
import { ObservedServer, Runs } from '../../../test/server/observed-server.ts'
import { startTestServer } from '../../../test/server/test-server.ts'

/** The figures of one scrape, by their names with labels. */
async function scrape({ server }: ObservedServer): Promise<Map<string, number>> {
  const { status, headers, text } = await server.get('/metrics')
  assert.equal(status, 200)
  assert.match(String(headers['content-type']), /^text\/plain; version=0\.0\.4/)
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return new Map(
    lines.map((line) => {
      const [, name, figure] = /^(\S+) (\S+)$/.exec(line) ?? []
      return [name as string, Number(figure)]
    }),
  )
}

test('requests, transactions and the store are counted, by each server for itself', async (t) => {
  const observed = await ObservedServer.start(t)
  await ObservedServer.start(t)
  await observed.write(1, 'text')
  await observed.run('SCAN id FROM page')
  await observed.server.query('no statement')
  await observed.server.get('/nowhere')
  const before = await observed.server.begin()
  const figures = await scrape(observed)
  assert.equal(figures.get('percolite_build_info{version="0.1.0",engine="memory"}'), 1)
  assert.equal(figures.get('percolite_http_requests_total{operation="query",code="200"}'), 4)
  assert.equal(figures.get('percolite_http_requests_total{operation="query",code="400"}'), 1)
  assert.equal(figures.get('percolite_http_requests_total{operation="none",code="404"}'), 1)
  assert.equal(figures.get('percolite_transactions_total{outcome="committed"}'), 3)
  assert.equal(figures.get('percolite_transactions_total{outcome="read"}'), 1)
  assert.equal(figures.get('percolite_open_transactions'), 1)
  assert.equal(figures.get('percolite_interactive_transactions'), 1)
  assert.ok((figures.get('percolite_oldest_snapshot_age_seconds') ?? 0) > 0)
  assert.ok((figures.get('process_resident_memory_bytes') ?? 0) > 10_000_000)
  assert.ok((figures.get('percolite_feed_lag_seconds') ?? 9) < 5)
  await observed.server.send({ method: 'DELETE', path: `/v1/transactions/${before}` })
  const after = await scrape(observed)
  assert.equal(after.get('percolite_interactive_transactions'), 0)
  assert.equal(after.get('percolite_http_requests_total{operation="getMetrics",code="200"}'), 1)
  assert.equal(after.get('percolite_http_requests_total{operation="query",code="200"}'), 4)
})

test('observers, subscriptions and sockets are told of while they are there', async (t) => {
  const work = new Runs('work')
  const observed = await ObservedServer.start(t, { deps: { observers: [work.defined] } })
  await observed.createObserver('work')
  await observed.run('CREATE OBSERVER idle ON page (text)')
  await observed.write(1, 'text')
  await observed.drained('work')
  const client = await observed.connect(t)
  await client.subscribe('a', 'SCAN * FROM page')
  const figures = await scrape(observed)
  assert.equal(figures.get('percolite_observer_runs_total{observer="work"}'), 1)
  assert.equal(figures.get('percolite_observer_pending{observer="work"}'), 0)
  assert.equal(figures.get('percolite_observer_waiting{observer="work"}'), 1)
  assert.equal(figures.get('percolite_observer_pending{observer="idle"}'), 1)
  assert.ok((figures.get('percolite_observer_lag_seconds{observer="idle"}') ?? 0) > 0)
  assert.equal(figures.get('percolite_subscriptions'), 1)
  assert.equal(figures.get('percolite_sockets'), 1)
  await observed.run('DROP OBSERVER idle')
  const after = await scrape(observed)
  assert.equal(after.has('percolite_observer_pending{observer="idle"}'), false)
})

test('live results are counted once for all who share them, and so are their evaluations', async (t) => {
  const observed = await ObservedServer.start(t)
  const client = await observed.connect(t)
  const newest = 'SCAN id FROM page ORDER BY id DESC LIMIT 2'
  await client.subscribe('a', newest)
  await client.subscribe('b', newest)
  await client.subscribe('each', 'SCAN * FROM page')
  const before = await scrape(observed)
  assert.equal(before.get('percolite_live_results'), 1)
  const evaluations = before.get('percolite_live_evaluations_total') ?? 0
  assert.ok(evaluations >= 1)
  assert.ok((before.get('percolite_shared_live_results_bytes') ?? 0) > 0)
  await observed.write(1, 'text')
  for (const id of ['a', 'b']) {
    let frame = await client.about(id)
    while (frame.type !== 'patch') frame = await client.about(id)
    client.send({ type: 'unsubscribe', id })
    assert.equal((await client.about(id)).type, 'unsubscribed')
  }
  const after = await scrape(observed)
  assert.equal(after.get('percolite_live_results'), 0)
  assert.ok((after.get('percolite_live_evaluations_total') ?? 0) > evaluations)
})

test('what has not happened yet has no figure: the safe point before the first collection', async (t) => {
  const clock = new ManualClock()
  const retention = { retentionMs: 60_000, heldMsMax: 1_000 }
  const storage = await openStorage({
    engine: 'memory',
    clock,
    retention,
    collectionIntervalMs: 120_000,
  })
  const observed = await ObservedServer.start(t, { deps: { storage, clock } })
  const names = ['safe_point_age_seconds', 'last_collection_rows', 'last_collection_seconds']
  const before = await scrape(observed)
  for (const name of names) assert.equal(before.has(`percolite_${name}`), false, name)
  await clock.advance(120_000)
  while ((await storage.status()).lastCollection === undefined) await setImmediate()
  const after = await scrape(observed)
  for (const name of names) assert.ok(after.has(`percolite_${name}`), name)
  const ageSeconds = after.get('percolite_safe_point_age_seconds') ?? Number.NaN
  assert.ok(ageSeconds >= 60 && ageSeconds < 120, `${ageSeconds} s`)
})

test('the feed is behind by the age of the commit that it waits for, in status as well', async (t) => {
  const storage = await openStorage({ engine: 'memory' })
  const observed = await ObservedServer.start(t, { deps: { storage } })
  const { body: idle } = await observed.server.get('/v1/status')
  assert.equal(idle.feedLagMs, 0)
  const { timestamp } = await storage.status()
  storage.feed.resolved = async () => timestamp - 5_000_000
  const { body: waiting } = await observed.server.get('/v1/status')
  assert.ok(waiting.feedLagMs >= 5_000, `${waiting.feedLagMs} ms`)
  const lagSeconds = (await scrape(observed)).get('percolite_feed_lag_seconds') ?? 0
  assert.ok(lagSeconds >= 5, `${lagSeconds} s`)
})

test('each bound that clients share is told with what is held of it', async (t) => {
  const server = await startTestServer(t, {
    deps: { sharedLimits: { openTransactionsMax: 80 } },
  })
  await server.begin()
  await server.begin()
  const { text } = await server.get('/metrics')
  const lines = text.split('\n')
  assert.ok(lines.includes('percolite_shared_open_transactions 2'))
  assert.ok(lines.includes('percolite_shared_max_open_transactions 80'))
  for (const { limit } of server.server.shares.all) {
    const name = limit
      .replace(/Max$/, '')
      .replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    for (const kind of ['', 'max_']) {
      const line = lines.find((one) => one.startsWith(`percolite_shared_${kind}${name} `))
      assert.match(line ?? '', /^\w+ \d+$/, name)
    }
  }
})
