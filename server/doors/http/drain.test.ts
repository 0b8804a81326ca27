// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { ManualClock } from '../../../test/manual-clock.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { Drain } from './drain.ts'

test('who has asked within a minute is waited for, and nobody else', async () => {
  for (const [askedAgoMs, expectedMs] of [
    [undefined, 0],
    [60_001, 0],
    [60_000, 5_000],
    [1, 5_000],
  ] as const) {
    const clock = new ManualClock()
    const drain = new Drain(clock, 5_000)
    if (askedAgoMs !== undefined) {
      drain.readinessAsked()
      await clock.advance(askedAgoMs)
    }
    const waited = drain.wait(10_000)
    assert.equal(drain.isDraining, true)
    await clock.advance(expectedMs)
    assert.equal(await waited, expectedMs)
  }
})

test('the waiting is no longer than the whole stop may take, and another signal ends it', async () => {
  const clock = new ManualClock()
  const drain = new Drain(clock, 5_000)
  drain.readinessAsked()
  const short = drain.wait(2_000)
  await clock.advance(2_000)
  assert.equal(await short, 2_000)
  const ended = drain.wait(10_000)
  await clock.advance(100)
  assert.equal(drain.end(), true)
  assert.equal(drain.end(), false)
  assert.equal(await ended, 100)
  assert.equal(await drain.wait(10_000), 0)
  assert.equal(drain.end(), false)
})

test('while it drains only /readyz says so, and everything is served', async (t) => {
  const clock = new ManualClock()
  const server = await startTestServer(t, { deps: { clock } })
  assert.equal((await server.get('/readyz')).status, 200)
  const closed = server.server.close({ drain: true })
  assert.equal((await server.get('/readyz')).status, 503)
  assert.equal((await server.get('/healthz')).status, 200)
  assert.equal((await server.query('SHOW TABLES')).status, 200)
  await clock.advance(5_000)
  await closed
})
