// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { type Parameters, PlanError } from '../../../../planner/planner.ts'
import { openStorage } from '../../../../storage/storage.ts'
import { nextTurns } from '../../../../test/event-loop-turns.ts'
import type { RecordingSink } from '../../../../test/server/recording-sink.ts'
import { subscriberOf } from '../../../../test/server/subscriber.ts'
import { startTestServer } from '../../../../test/server/test-server.ts'
import { TurnQueue } from '../../../guard/budgets/turns.ts'
import { SERVER_LIMITS } from '../../../limits.ts'

async function world(t: TestContext, turnQueue?: TurnQueue) {
  const storage = await openStorage({ engine: 'memory' })
  const server = await startTestServer(t, { deps: { storage } })
  await server.query('CREATE TABLE item (id INTEGER PRIMARY KEY, v TEXT)')
  const subscriber = subscriberOf(t, storage, turnQueue && { turnQueue })
  const subscribe = async (sql: string, params: Parameters = {}) => {
    const { sink, ended } = subscriber({ sql, params })
    await sink.until((frames) => frames.length > 0)
    return { sink, ended }
  }
  return { server, subscribe }
}

const insert = (count: number) =>
  `INSERT INTO item (id, v) VALUES ${Array.from({ length: count }, (_, id) => `(${id}, 'v')`).join(', ')}`
const changesIn = ({ sink }: { readonly sink: RecordingSink }) =>
  sink.until((frames) => frames.some(({ type }) => type === 'change'))

test('a subscription whose condition takes too much work for a row ends, and the others are told', async (t) => {
  const { server, subscribe } = await world(t)
  const where = Array.from({ length: 24 }, (_, n) => `length(lower(v || :t)) > ${n}`).join(' AND ')
  const heavy = await subscribe(`SCAN * FROM item WHERE ${where}`, { t: 'a'.repeat(1_000_000) })
  const light = await subscribe('SCAN * FROM item')
  await server.query(insert(1))
  const error = await heavy.ended
  assert.ok(error instanceof PlanError && error.code === 'limit_exceeded', `${error}`)
  assert.equal(error.fields.limit, 'rowWorkMax')
  await changesIn(light)
})

test('and one that takes too much for the rows of a commit together', async (t) => {
  const { server, subscribe } = await world(t)
  const sql = 'SCAN * FROM item WHERE length(v || :t) > 0'
  const heavy = await subscribe(sql, { t: 'a'.repeat(1_000_000) })
  const light = await subscribe(sql, { t: 'a'.repeat(1_000) })
  await server.query(insert(5))
  await changesIn(heavy)
  await server.query('DELETE FROM item USE PRIMARY KEY')
  await server.query(insert(40))
  const error = await heavy.ended
  assert.ok(error instanceof PlanError && error.code === 'limit_exceeded', `${error}`)
  assert.equal(error.fields.limit, 'filterWorkMax')
  await changesIn(light)
})

test('a commit of very many rows may cost filterRowWorkMax for each of them', async (t) => {
  const { server, subscribe } = await world(t)
  const { filterWorkMax, filterRowWorkMax } = SERVER_LIMITS
  const half = (0.6 * filterWorkMax) / filterRowWorkMax
  for (const from of [0, half]) {
    const rows = Array.from({ length: half }, (_, at) => ({ id: from + at, v: 'v' }))
    assert.equal((await server.post('/v1/tables/item/rows', rows)).status, 201)
  }
  const sql = 'SCAN * FROM item WHERE length(v || :t) > 0'
  // It is joined and measured, for the row before and the row after: less than the row may cost, more than the commit.
  const told = await subscribe(sql, { t: 'a'.repeat(0.22 * filterRowWorkMax) })
  const set = (where: string) => `SET v = 'w' ON item WHERE id ${where} ${half}`
  const { status, text } = await server.query(`BEGIN; ${set('<')}; ${set('>=')}; COMMIT`)
  assert.equal(status, 200, text)
  await Promise.race([changesIn(told), told.ended.then(assert.ifError)])
})

test('what is the same for all rows is computed once for a subscription', async (t) => {
  const { server, subscribe } = await world(t)
  const params = { t: 'a'.repeat(1_000_000) }
  const both = await subscribe('SCAN * FROM item WHERE length(lower(:t)) > id', params)
  for (let time = 0; time < 10; time += 1) {
    await server.query(insert(40))
    await server.query('DELETE FROM item USE PRIMARY KEY')
  }
  await both.sink.until((frames) => frames.filter(({ type }) => type === 'change').length >= 1)
})

test('subscriptions that end one after the other by the same commit do so in several turns', async (t) => {
  let ms = 0
  // Each look at the clock is a millisecond later.
  const turnQueue = new TurnQueue({ monotonicMs: () => ms++ })
  const { server, subscribe } = await world(t, turnQueue)
  const turns = nextTurns(t)
  const endedIn = new Set<number>()
  const params = { t: 'a'.repeat(100_000) }
  const ended = Array.from({ length: 30 }, async (_, n) => {
    const sql = `SCAN id, ${n} AS n FROM item WHERE length(v || :t) / id > 0`
    const one = await subscribe(sql, params)
    return one.ended.then(() => endedIn.add(turns.count))
  })
  await subscribe('SCAN * FROM item')
  await server.query(insert(1))
  await Promise.all(ended)
  assert.ok(endedIn.size >= 10, `in ${endedIn.size} turns`)
})
