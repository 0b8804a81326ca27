// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { type Clock, openStorage, systemClock } from '../../../../storage/storage.ts'
import { subscriberOf } from '../../../../test/server/subscriber.ts'
import { SqlSession } from '../../../../test/sql-session.ts'
import type { ClientKey } from '../../../guard/budgets/client-key.ts'
import { Shares } from '../../../guard/budgets/shares.ts'
import { TurnQueue } from '../../../guard/budgets/turns.ts'
import { SERVER_LIMITS } from '../../../limits.ts'
import { EvaluationCosts } from './evaluation-costs.ts'

async function scene(t: TestContext, shares = new Shares()) {
  const storage = await openStorage({ engine: 'memory' })
  t.after(() => storage.close())
  const session = SqlSession.over(storage)
  await session.run('CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)')
  return { session, subscribe: subscriberOf(t, storage, { shares }) }
}

type Refusal = { readonly code: string; readonly fields: Readonly<Record<string, unknown>> }

/** Takes one turn for each piece of work, since every look at it is a second later. */
function impatientClock(): Clock {
  let nowMs = 0
  return { ...systemClock, monotonicMs: () => (nowMs += 1_000) }
}

test('who has paid for an evaluation may go while the others are told of it', async (t) => {
  const storage = await openStorage({ engine: 'memory' })
  t.after(() => storage.close())
  const session = SqlSession.over(storage)
  await session.run('CREATE TABLE t (id INTEGER PRIMARY KEY)')
  const subscribe = subscriberOf(t, storage, { turnQueue: new TurnQueue(impatientClock()) })
  const all = [1, 2, 3].map((client) =>
    subscribe({ sql: 'SCAN count(*) FROM t USE PRIMARY KEY' }, `${client}`),
  )
  for (const { sink } of all) await sink.until((frames) => frames.length === 3)
  const [payer, ...others] = all
  assert.ok(payer !== undefined)
  const send = payer.sink.send.bind(payer.sink)
  payer.sink.send = (frame) => {
    send(frame)
    payer.own.abort(new Error('The payer goes.'))
  }
  await session.run('INSERT INTO t (id) VALUES (1)')
  await payer.ended
  for (const { sink, ended } of others) {
    const told = sink.until((frames) => frames.some(({ type }) => type === 'patch'))
    assert.equal(await Promise.race([told, ended]), undefined)
  }
})

test('who missed states, or comes back with an old one, gets the patch of its own list', async (t) => {
  const { session, subscribe } = await scene(t)
  await session.run('INSERT INTO t (id) VALUES (1), (2), (3), (4)')
  const sql = 'SCAN id FROM t ORDER BY id'
  const [quick, slow] = [subscribe({ sql }, 'a'), subscribe({ sql }, 'b')]
  for (const { sink } of [quick, slow]) await sink.until((frames) => frames.length === 3)
  const [{ history }, , { timestamp: since, digest }] = slow.sink.frames
  Object.defineProperty(slow.sink, 'isWritable', { value: false, configurable: true })
  for (const [at, id] of [1, 3].entries()) {
    await session.run(`DELETE FROM t WHERE id = ${id}`)
    await quick.sink.until((frames) => frames.length === 4 + at)
  }
  const back = subscribe({ sql, since, digest, history }, 'c')
  await back.sink.until((frames) => frames.length === 2)
  const both = [
    [0, 1, []],
    [1, 1, []],
  ]
  assert.deepEqual(back.sink.frames[1]?.splice, both)
  // It is told the same state as the quick one, who knows the one before.
  Object.defineProperty(slow.sink, 'isWritable', { value: true })
  await session.run('DELETE FROM t WHERE id = 4')
  await quick.sink.until((frames) => frames.length === 6)
  await slow.sink.until((frames) => frames.length === 4)
  assert.deepEqual(quick.sink.frames[5]?.splice, [[1, 1, []]])
  assert.deepEqual(slow.sink.frames[3]?.splice, [
    [0, 1, []],
    [1, 2, []],
  ])
})

describe('a live result', () => {
  test('ends above liveRowsMax, and says LIMIT', async (t) => {
    const { session, subscribe } = await scene(t)
    const { liveRowsMax } = SERVER_LIMITS
    const rows = Array.from({ length: liveRowsMax }, (_, id) => `(${id})`)
    await session.run(`INSERT INTO t (id) VALUES ${rows}`)
    const { sink, ended } = subscribe({ sql: 'SCAN id FROM t ORDER BY id', mode: 'result' })
    await sink.until((frames) => frames.some(({ type }) => type === 'snapshotEnd'))
    await session.run(`INSERT INTO t (id) VALUES (${liveRowsMax})`)
    const { code, fields } = (await ended) as Refusal
    assert.deepEqual([code, fields.limit, fields.actual], ['limit_exceeded', 'liveRowsMax', 1_001])
    assert.match(String(fields.hint), /LIMIT/)
    const next = subscribe({ sql: `SCAN id FROM t ORDER BY id LIMIT ${liveRowsMax}` })
    await next.sink.until((frames) => frames.some(({ type }) => type === 'snapshotEnd'))
  })

  test('ends above liveBytesMax', async (t) => {
    const { session, subscribe } = await scene(t)
    const { liveBytesMax } = SERVER_LIMITS
    for (let id = 0; id < 4; id += 1) {
      await session.run(`INSERT INTO t (id, a) VALUES (${id}, '${'x'.repeat(liveBytesMax / 4)}')`)
    }
    const { fields } = (await subscribe({ sql: 'SCAN a FROM t ORDER BY id LIMIT 9' })
      .ended) as Refusal
    assert.equal(fields.limit, 'liveBytesMax')
    const { sink } = subscribe({ sql: 'SCAN a FROM t ORDER BY id LIMIT 3' })
    await sink.until((frames) => frames.some(({ type }) => type === 'snapshotEnd'))
  })

  test('is refused where all of them keep liveResultsBytesMax', async (t) => {
    const { session, subscribe } = await scene(t, new Shares({ liveResultsBytesMax: 8_000 }))
    await session.run('INSERT INTO t (id) VALUES (1)')
    const open = []
    for (let limit = 1; limit < 20; limit += 1) {
      const one = subscribe({ sql: `SCAN id FROM t ORDER BY id LIMIT ${limit}` })
      const begun = one.sink.until((frames) => frames.some(({ type }) => type === 'snapshotEnd'))
      const refusal = await Promise.race([one.ended, begun])
      if (refusal === undefined) open.push(one)
      else {
        const { code, fields } = refusal as Refusal
        assert.deepEqual([code, fields.limit], ['client_overloaded', 'liveResultsBytesMax'])
        break
      }
    }
    assert.ok(open.length >= 2 && open.length < 19, `${open.length} are open`)
    open[0]?.own.abort(new Error('It leaves.'))
    await open[0]?.ended
    const { sink } = subscribe({ sql: 'SCAN id FROM t ORDER BY id LIMIT 77' })
    await sink.until((frames) => frames.some(({ type }) => type === 'snapshotEnd'))
  })
})

test('a client has evaluations for a quarter of a core, and who shares one pays a part', () => {
  const costs = new EvaluationCosts()
  const [one, other] = ['one', 'other'] as [ClientKey, ClientKey]
  costs.spend(new Set([one, other]), 100, 0)
  assert.deepEqual([costs.waitMs(one, 0), costs.waitMs(other, 0)], [0, 0], 'half a second is free')
  costs.spend(new Set([one]), 1_000, 0)
  assert.equal(costs.waitMs(one, 0), 200 + 4_000 - 500)
  assert.equal(costs.waitMs(one, 4_000), 0)
  assert.equal(costs.waitMs(other, 0), 0)
  assert.equal(costs.waitMs(one, 100_000), 0)
})
