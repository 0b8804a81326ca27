// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { HOUR_MS, ScheduledServers } from '../../../test/server/scheduled-servers.ts'
import { ALL_LIMITS } from '../../limits.ts'

const { scheduleMissedMax } = ALL_LIMITS

/** The whole hours up to this moment, the last ones. */
function hoursUntil(ms: number, count: number): number[] {
  const last = Math.floor(ms / HOUR_MS) * HOUR_MS
  return Array.from({ length: count }, (_, at) => last - (count - 1 - at) * HOUR_MS)
}

test('two servers insert one row for each time, and between them one for each row', async (t) => {
  const scheduled = await ScheduledServers.start(t, 2)
  await scheduled.run("CREATE SCHEDULE tick EVERY '1 second' RUN report")
  while ((await scheduled.times('tick')).length < 4) await setTimeout(50)
  await scheduled.run('ALTER SCHEDULE tick PAUSE')
  const times = await scheduled.times('tick')
  await setTimeout(1_200)
  assert.deepEqual(await scheduled.times('tick'), times, 'it is paused')
  const [first = 0] = times
  assert.deepEqual(
    times,
    times.map((_, at) => first + at * 1_000),
  )
  const rows = await Promise.all(
    scheduled.servers.map(async (server) => (await scheduled.figures(server, 'tick')).rows),
  )
  assert.equal(rows[0] + rows[1], times.length)
})

test('times that nobody was there for have one row, or one each', async (t) => {
  const scheduled = await ScheduledServers.start(t, 2)
  await scheduled.run("CREATE SCHEDULE latest EVERY '1 hour' RUN report")
  await scheduled.run("CREATE SCHEDULE each EVERY '1 hour' RUN report MISSED ALL")
  const begin = Date.now()
  scheduled.clock.set(5 * HOUR_MS)
  const wanted = hoursUntil(begin + 5 * HOUR_MS, 5)
  assert.deepEqual(await scheduled.until('each', 5), wanted)
  assert.deepEqual(await scheduled.times('latest'), wanted.slice(-1))
  const { next, last } = await scheduled.shown('each')
  assert.deepEqual(
    [Date.parse(next), Date.parse(last)],
    [(wanted[4] as number) + HOUR_MS, wanted[4]],
  )
})

test('after a long time ALL is the last times, and says so', async (t) => {
  const scheduled = await ScheduledServers.start(t, 1)
  await scheduled.run("CREATE SCHEDULE each EVERY '1 hour' RUN report MISSED ALL")
  const hours = 10 * scheduleMissedMax
  const until = Date.now() + hours * HOUR_MS
  scheduled.clock.set(hours * HOUR_MS)
  const times = await scheduled.until('each', scheduleMissedMax)
  assert.deepEqual(times, hoursUntil(until, scheduleMissedMax))
})

test('times that pass during a pause are not made up for', async (t) => {
  const scheduled = await ScheduledServers.start(t, 1)
  await scheduled.run("CREATE SCHEDULE each EVERY '1 hour' RUN report MISSED ALL")
  await scheduled.run('ALTER SCHEDULE each PAUSE')
  assert.equal((await scheduled.shown('each')).next, null)
  scheduled.clock.set(5 * HOUR_MS)
  await setTimeout(1_500)
  await scheduled.run('ALTER SCHEDULE each RESUME')
  scheduled.clock.set(0)
  await setTimeout(1_500)
  assert.deepEqual(await scheduled.times('each'), [])
  scheduled.clock.set(HOUR_MS)
  assert.equal((await scheduled.until('each', 1)).length, 1)
})

test('a clock that was ahead repeats nothing when it is set back, and RESUME sets the time right', async (t) => {
  const scheduled = await ScheduledServers.start(t, 2)
  await scheduled.run("CREATE SCHEDULE hourly EVERY '1 hour' RUN report")
  scheduled.clock.set(30 * HOUR_MS)
  const [ahead] = await scheduled.until('hourly', 1)
  scheduled.clock.set(HOUR_MS)
  await setTimeout(1_500)
  assert.deepEqual(await scheduled.times('hourly'), [ahead])
  await scheduled.run('ALTER SCHEDULE hourly PAUSE; ALTER SCHEDULE hourly RESUME')
  assert.equal(
    Date.parse((await scheduled.shown('hourly')).next),
    hoursUntil(Date.now() + HOUR_MS, 1)[0],
  )
  scheduled.clock.set(2 * HOUR_MS)
  assert.equal((await scheduled.until('hourly', 2)).length, 2)
})

test('a schedule of a server that died is gone on with by another, which did not know it', async (t) => {
  const scheduled = await ScheduledServers.start(t, 2)
  await scheduled.run("CREATE SCHEDULE tick EVERY '1 second' RUN report")
  await scheduled.until('tick', 1)
  await scheduled.kill(0)
  const before = (await scheduled.times('tick')).length
  const times = await scheduled.until('tick', before + 3)
  const gaps = times.slice(1).map((time, at) => time - (times[at] as number))
  assert.deepEqual(
    gaps,
    gaps.map(() => 1_000),
  )
})

test('a row that the table refuses is tried again, and it is said why', async (t) => {
  const scheduled = await ScheduledServers.start(t, 1)
  const [server] = scheduled.servers
  assert.ok(server !== undefined)
  await scheduled.run("CREATE SCHEDULE hourly EVERY '1 hour' RUN report")
  await scheduled.run("ALTER TABLE job ADD CONSTRAINT dated CHECK (at < '2020-01-01')")
  scheduled.clock.set(HOUR_MS)
  while ((await scheduled.figures(server, 'hourly')).failures === 0) await setTimeout(20)
  const { lastError, rows } = await scheduled.figures(server, 'hourly')
  assert.match(lastError, /dated/)
  assert.equal(rows, 0)
  const { text } = await server.get('/metrics')
  assert.match(text, /percolite_schedule_failures_total\{schedule="hourly"\} [1-9]/)
  assert.match(text, /percolite_schedule_lag_seconds\{schedule="hourly"\} [1-9]/)
  await scheduled.run('ALTER TABLE job DROP CONSTRAINT dated')
  assert.equal((await scheduled.until('hourly', 1)).length, 1)
  assert.equal((await scheduled.figures(server, 'hourly')).lastError, undefined)
})

test('a row that somebody has inserted by hand is the row of its time', async (t) => {
  const scheduled = await ScheduledServers.start(t, 1)
  await scheduled.run("CREATE SCHEDULE hourly EVERY '1 hour' RUN report")
  const { next } = await scheduled.shown('hourly')
  await scheduled.run(`INSERT INTO job (schedule, at, note) VALUES ('hourly', '${next}', 'mine')`)
  scheduled.clock.set(HOUR_MS)
  while ((await scheduled.shown('hourly')).last === null) await setTimeout(20)
  assert.deepEqual(await scheduled.run('SCAN note FROM job USE PRIMARY KEY'), [{ note: 'mine' }])
})
