// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStorage } from '../storage/storage.ts'
import { ManualClock } from '../test/manual-clock.ts'
import { startTestServer, type TestServer } from '../test/server/test-server.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000

async function nowOf(api: TestServer): Promise<{ now: number; read: number }> {
  const { body, text } = await api.query('GET now() AS now FROM item WHERE id = 1')
  assert.ok(body.results !== undefined, text)
  return { now: Date.parse(body.results[0].rows[0].now) * 1000, read: body.readTimestamp }
}

async function warningsOf(api: TestServer): Promise<string[]> {
  const { status, body } = await api.get('/readyz')
  assert.equal(status, 200, 'a wrong clock does not take the server out')
  return body.warnings.map(({ code }: { code: string }) => code)
}

async function gauge(api: TestServer, name: string): Promise<number> {
  const { text } = await api.get('/metrics')
  return Number(new RegExp(`^percolite_${name} (\\S+)$`, 'm').exec(text)?.[1])
}

test('a clock that was an hour ahead and is set back: time, now() and retention go on after a minute', async (t) => {
  const clock = new ManualClock()
  const retention = { retentionMs: 10 * MINUTE_MS, heldMsMax: MINUTE_MS }
  const collectionIntervalMs = MINUTE_MS
  const storage = await openStorage({ engine: 'memory', clock, retention, collectionIntervalMs })
  const api = await startTestServer(t, { deps: { clock, storage } })
  await api.query('CREATE TABLE item (id INTEGER PRIMARY KEY, at TIMESTAMP DEFAULT now())')
  await api.query('INSERT INTO item (id) VALUES (1)')
  const ahead = await nowOf(api)
  assert.ok(Math.abs(ahead.now - clock.wallMicros()) < 1_000_000)

  clock.jumpWall(-HOUR_MS)
  assert.deepEqual(await warningsOf(api), ['clock_jumped'])
  assert.equal(await gauge(api, 'clock_offset_seconds'), -3600)
  await clock.advance(MINUTE_MS)
  const after = await nowOf(api)
  assert.ok(Math.abs(after.now - clock.wallMicros()) < 1_000_000, 'now() is the time')
  assert.ok(after.read > ahead.read && after.read - after.now > 58 * MINUTE_MS * 1000)
  assert.deepEqual(await warningsOf(api), ['timestamps_ahead'])
  assert.equal(await gauge(api, 'clock_offset_seconds'), 0)
  assert.ok((await gauge(api, 'timestamp_ahead_seconds')) > 58 * 60)
  const { body: status } = await api.get('/v1/status')
  assert.ok(status.clock.timestampsAheadSeconds > 58 * 60)

  const asOf = `GET id FROM item AS OF ${after.read} WHERE id = 1`
  // Ten minutes and a collection later nobody reads what was there, though timestamps stand still.
  assert.equal((await api.query(asOf)).status, 200)
  await clock.advance(12 * MINUTE_MS)
  const old = await api.query(asOf)
  assert.equal(old.body.code, 'snapshot_too_old', old.text)
  assert.ok((await nowOf(api)).read - after.read < 1_000_000)

  await clock.advance(HOUR_MS)
  const late = await nowOf(api)
  assert.ok(Math.abs(late.read - clock.wallMicros()) < 1_000_000, 'timestamps follow again')
  assert.deepEqual(await warningsOf(api), [])
})

test('a laptop that slept for an hour: now() is right again a minute later', async (t) => {
  const clock = new ManualClock()
  const api = await startTestServer(t, { deps: { clock } })
  await api.query('CREATE TABLE item (id INTEGER PRIMARY KEY)')
  await api.query('INSERT INTO item (id) VALUES (1)')
  clock.jumpWall(HOUR_MS)
  assert.ok(clock.wallMicros() - (await nowOf(api)).now > 59 * MINUTE_MS * 1000)
  assert.deepEqual(await warningsOf(api), ['clock_jumped'])
  await clock.advance(MINUTE_MS)
  assert.ok(Math.abs((await nowOf(api)).now - clock.wallMicros()) < 1_000_000)
  assert.deepEqual(await warningsOf(api), [])
})
