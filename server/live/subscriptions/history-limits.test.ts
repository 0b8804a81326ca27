// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { openStorage } from '../../../storage/storage.ts'
import type { RecordingSink } from '../../../test/server/recording-sink.ts'
import { subscriberOf } from '../../../test/server/subscriber.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import { FrameCache } from './frames/frame-cache.ts'
import type { SubscribedQuery } from './matching/subscribed-query.ts'

/** Subscriptions whose reads of the stored history wait for `held`, and how many rows each asked for. */
async function world(t: TestContext) {
  const storage = await openStorage({ engine: 'memory' })
  const { feed } = storage
  const reads = { held: Promise.resolve(), running: 0, asked: [] as number[] }
  const read = feed.read.bind(feed)
  feed.read = async (position, options) => {
    // A look at whether what comes next is still there.
    if (options.rowsMax === 1) return await read(position, options)
    reads.asked.push(options.rowsMax)
    reads.running += 1
    await reads.held
    reads.running -= 1
    return await read(position, options)
  }
  const server = await startTestServer(t, { deps: { storage } })
  await server.query('CREATE TABLE item (id INTEGER PRIMARY KEY)')
  const subscriber = subscriberOf(t, storage)
  const subscribe = (since: number) => subscriber({ sql: 'SCAN * FROM item', since }).sink
  /** Writes so many rows in one commit; returns a moment before it. */
  let written = 0
  const write = async (count: number): Promise<number> => {
    const { body } = await server.query('SHOW TABLES')
    const rows = Array.from({ length: count }, () => ({ id: written++ }))
    const posted = await server.post('/v1/tables/item/rows', rows)
    assert.equal(posted.status, 201, posted.text)
    return body.readTimestamp
  }
  return { reads, subscribe, write }
}

const changed = (sink: RecordingSink) =>
  sink.until((frames) => frames.some(({ type }) => type === 'change'))

test('history is read feedPageRows at a time, by feedReadersMax subscriptions at a time', async (t) => {
  const { reads, subscribe, write } = await world(t)
  const { feedPageRows, feedReadersMax } = SERVER_LIMITS
  const since = await write(1)
  const { promise, resolve } = Promise.withResolvers<void>()
  reads.held = promise
  const sinks = Array.from({ length: feedReadersMax + 4 }, () => subscribe(since))
  while (reads.running < feedReadersMax) await setImmediate()
  for (let turn = 0; turn < 50; turn += 1) await setImmediate()
  assert.equal(reads.running, feedReadersMax)
  assert.deepEqual([...new Set(reads.asked)], [feedPageRows])
  resolve()
  await Promise.all(sinks.map(changed))
})

test('commits of more than twice feedRecentRows are read from the store again', async (t) => {
  const { reads, subscribe, write } = await world(t)
  const since = await write(1)
  await changed(subscribe(since))
  const askedBy = async (at: number) => {
    const before = reads.asked.length
    await changed(subscribe(at))
    return reads.asked.length - before
  }
  const small = await write(1)
  assert.equal(await askedBy(small), 0, 'it is in memory')
  const { feedRecentRows } = SERVER_LIMITS
  for (let n = 0; n < 3; n += 1) await write((feedRecentRows * 3) / 4)
  assert.ok((await askedBy(small)) > 0)
})

test('frames that are longer together than frameCacheBytes are not all kept', () => {
  const cache = new FrameCache()
  const query = { number: 1 } as SubscribedQuery
  const bytes = SERVER_LIMITS.frameCacheBytes / 2
  const frames = [{ frame: { bytes } }] as unknown as Parameters<FrameCache['add']>[2]
  for (const commitTs of [1, 2]) cache.add(query, commitTs, frames)
  assert.deepEqual([cache.get(query, 1), cache.get(query, 2)], [undefined, frames])
})
