// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import { createParser } from '../../../parser/parser.ts'
import { openStorage, StorageError } from '../../../storage/storage.ts'
import { executionDeps } from '../../../test/server/execution-deps.ts'
import { RecordingSink } from '../../../test/server/recording-sink.ts'
import type { Frame } from '../../../test/server/socket-client.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { Shares } from '../../guard/budgets/shares.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import { AnswerWriter } from '../../requests/answers/answer-text.ts'
import { RunningRequest } from '../../requests/prepared/running-request.ts'
import { StatementExecution } from '../../requests/statements/statement-execution.ts'
import { LiveSubscriptions } from './live-subscriptions.ts'
import type { Subscription } from './subscription.ts'
import { Subscriptions } from './subscriptions.ts'

/** Subscriptions over a store whose snapshots of the past, the images of rows, a test can hold back. */
async function world(t: TestContext, subscriptionsMax?: number) {
  const storage = await openStorage({ engine: 'memory' })
  const server = await startTestServer(t, { deps: { storage } })
  await server.query('CREATE TABLE item (id INTEGER PRIMARY KEY, n INTEGER)')
  const begin = storage.begin.bind(storage)
  const images = { before: async () => {}, count: 0 }
  storage.begin = async (options) => {
    if (options?.asOf !== undefined) {
      images.count += 1
      await images.before()
    }
    return begin(options)
  }
  const follow = storage.feed.follow.bind(storage.feed)
  const followers: Array<{ readonly isLive: boolean }> = []
  storage.feed.follow = (position, listener) => {
    const follower = follow(position, listener)
    followers.push(follower)
    return follower
  }
  const deps = executionDeps(storage)
  const execution = new StatementExecution(deps)
  const log = pino({ level: 'silent' })
  const rows = { written: 0 }
  const writer = new (class extends AnswerWriter {
    override row(...row: Parameters<AnswerWriter['row']>): string {
      rows.written += 1
      return super.row(...row)
    }
  })()
  const shares = new Shares(subscriptionsMax === undefined ? {} : { subscriptionsMax })
  const serving = { ...deps, log, writer, execution, shares }
  const subscriptions = new Subscriptions(serving, createParser())
  const running: RunningRequest[] = []
  t.after(async () => {
    for (const one of running) one.abort(new Error('The test is over.'))
    await subscriptions.close()
  })
  const subscribe = async (sql: string, sink = new RecordingSink()) => {
    const own = new RunningRequest()
    running.push(own)
    const ended = subscriptions.serve({ sql }, sink, own).catch((error) => error)
    await sink.until((frames) => frames.length > 0)
    return { sink, ended, own }
  }
  const together = new Set<Subscription>()
  const { add, delete: leave } = LiveSubscriptions.prototype
  t.mock.method(
    LiveSubscriptions.prototype,
    'add',
    function (this: LiveSubscriptions, one: Subscription) {
      together.add(one)
      add.call(this, one)
    },
  )
  t.mock.method(
    LiveSubscriptions.prototype,
    'delete',
    function (this: LiveSubscriptions, one: Subscription) {
      together.delete(one)
      return leave.call(this, one)
    },
  )
  /** Until so many are told together; then one commit shows that the feed is followed. */
  const live = async (count: number) => {
    while (together.size < count || followers.at(-1)?.isLive !== true) await setImmediate()
  }
  const idsIn = (frames: readonly Frame[]) =>
    frames.flatMap(({ changes = [] }) => changes.map(({ key }: Frame) => key[0]))
  return {
    server,
    storage,
    subscriptions,
    subscribe,
    live,
    together,
    idsIn,
    images,
    followers,
    rows,
  }
}

test('a change is found out and written once, for all subscriptions to one query', async (t) => {
  const { server, subscribe, live, images, rows } = await world(t)
  const sinks = [new RecordingSink(), new RecordingSink(), new RecordingSink()]
  for (const sink of sinks) await subscribe('SCAN * FROM item', sink)
  await live(3)
  images.count = 0
  rows.written = 0
  await server.query('SET n = 1 ON item WHERE id = 1')
  for (const sink of sinks) await sink.until((frames) => frames.length === 2)
  assert.deepEqual([images.count, rows.written], [2, 1])
})

test('what is of no concern to anybody is not read', async (t) => {
  const { server, subscribe, live, images } = await world(t)
  const { sink } = await subscribe('GET * FROM item WHERE id = 7')
  await live(1)
  images.count = 0
  for (let id = 0; id < 7; id += 1) await server.query(`SET n = 1 ON item WHERE id = ${id}`)
  assert.equal(images.count, 0)
  await server.query('SET n = 1 ON item WHERE id = 7')
  await sink.until((frames) => frames.length === 2)
  assert.equal(images.count, 2)
})

test('when more has happened than the hub keeps, it is read from history, in order and once', async (t) => {
  const { server, subscribe, live, idsIn, images, followers } = await world(t)
  const { sink } = await subscribe('SCAN id FROM item')
  await live(1)
  const gate = Promise.withResolvers<void>()
  images.before = () => gate.promise
  const commits = SERVER_LIMITS.feedQueueRows / 1_000 + 5
  for (let n = 0; n < commits; n += 1) {
    const rows = Array.from({ length: 1_000 }, (_, id) => ({ id: n * 1_000 + id }))
    await server.post('/v1/tables/item/rows', rows)
  }
  assert.equal(followers.length, 1)
  gate.resolve()
  await sink.until((frames) => frames.filter(({ last }) => last).length === commits)
  assert.deepEqual(
    idsIn(sink.frames),
    Array.from({ length: commits * 1_000 }, (_, id) => id),
  )
  assert.ok(followers.length > 1, 'it followed anew')
})

test('when a commit cannot be read, everybody reads on alone, and nothing is missing', async (t) => {
  const { server, subscribe, live, idsIn, images } = await world(t)
  const subscribers = [await subscribe('SCAN id FROM item'), await subscribe('SCAN n FROM item')]
  await live(2)
  let failures = 0
  images.before = async () => {
    if (failures === 1) return
    failures += 1
    throw new Error('The disk hiccups.')
  }
  for (let id = 0; id < 20; id += 1) await server.query(`SET n = 1 ON item WHERE id = ${id}`)
  for (const { sink } of subscribers) {
    await sink.until((frames) => frames.length === 21)
    assert.deepEqual(
      idsIn(sink.frames),
      Array.from({ length: 20 }, (_, id) => id),
    )
  }
  assert.equal(failures, 1)
})

test('the feed is followed as long as somebody is live, and no longer', async (t) => {
  const { subscribe, live, together, followers, subscriptions } = await world(t)
  const one = await subscribe('SCAN * FROM item')
  await live(1)
  one.own.abort(new Error('It left.'))
  assert.match(String(await one.ended), /It left/)
  assert.deepEqual([subscriptions.count, together.size], [0, 0])
  assert.equal(followers.at(-1)?.isLive, false)
  await subscribe('SCAN * FROM item')
  await live(1)
  assert.equal(followers.length, 2)
})

test('those who read the same history by themselves share what the first of them finds out', async (t) => {
  const { server, subscribe, live, idsIn, images } = await world(t)
  const slow = Array.from({ length: 5 }, () => new RecordingSink(1))
  for (const sink of slow) await subscribe('SCAN id FROM item', sink)
  const { sink: fast } = await subscribe('SCAN id FROM item')
  await live(1)
  for (let id = 0; id < 10; id += 1) await server.query(`SET n = 1 ON item WHERE id = ${id}`)
  await fast.until((frames) => frames.length === 11)
  const counts: number[] = []
  for (const sink of slow) {
    images.count = 0
    sink.makeRoom(100)
    await sink.until((frames) => frames.length === 11)
    counts.push(images.count)
    assert.deepEqual(idsIn(sink.frames), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  }
  // Two images of each commit for the first one; for all of them the definitions to begin with.
  assert.deepEqual(counts, [21, 1, 1, 1, 1])
})

test('what is left of a commit that was cut off is not taken for the whole by others', async (t) => {
  const { server, subscribe, live, idsIn } = await world(t)
  await server.query('CREATE TABLE text (id INTEGER PRIMARY KEY, body TEXT)')
  const slow = [new RecordingSink(1), new RecordingSink(1)] as const
  for (const sink of slow) await subscribe('SCAN * FROM text', sink)
  await subscribe('SCAN * FROM item')
  await live(1)
  const body = 'x'.repeat(600_000)
  await server.post('/v1/tables/text/rows', [
    { id: 1, body },
    { id: 2, body },
  ])
  slow[0].makeRoom(1)
  await slow[0].until((frames) => frames.length === 2)
  assert.equal(slow[0].frames[1].last, false)
  // Only when it has met that there is no room is the commit cut off.
  for (let turn = 0; turn < 20; turn += 1) await setImmediate()
  for (const sink of slow) {
    sink.makeRoom(10)
    await sink.until((frames) => frames.at(-1).last === true)
    assert.deepEqual(idsIn(sink.frames), [1, 2])
  }
})

test('a table that goes while somebody joins leaves nothing behind for those who come later', async (t) => {
  const { server, storage, subscriptions, subscribe, live, idsIn } = await world(t)
  const { feed } = storage
  const resolved = feed.resolved.bind(feed)
  feed.resolved = async () => {
    feed.resolved = resolved
    await server.query('DROP TABLE item')
    return resolved()
  }
  const gone = subscriptions.serve(
    { sql: 'SCAN * FROM item' },
    new RecordingSink(),
    new RunningRequest(),
  )
  await assert.rejects(gone, { code: 'unknown_table' })
  await server.query('CREATE TABLE later (id INTEGER PRIMARY KEY)')
  const { sink } = await subscribe('SCAN * FROM later')
  await live(1)
  await server.query('INSERT INTO later (id) VALUES (7)')
  await sink.until((frames) => frames.length === 2)
  assert.deepEqual(idsIn(sink.frames), [7])
})

test('when garbage collection passes what is just being read, only a new beginning helps', async (t) => {
  const { server, storage, subscribe, live, images } = await world(t)
  const slow = await subscribe('SCAN * FROM item', new RecordingSink(1))
  await subscribe('SCAN * FROM item')
  await live(1)
  await server.query('SET n = 1 ON item WHERE id = 1')
  images.before = async () => {
    storage.feed.read = async () => {
      throw new StorageError('resume_too_old', 'These changes are not kept any more.')
    }
    throw new StorageError('snapshot_too_old', 'This snapshot is not kept any more.')
  }
  slow.sink.makeRoom(10)
  assert.equal((await slow.ended).code, 'resume_too_old')
})

test('more subscriptions than there may be are refused, until one ends', async (t) => {
  const { subscribe, subscriptions } = await world(t, 8)
  const { own, ended } = await subscribe('SCAN * FROM item')
  for (let count = 2; count <= 6; count += 1) await subscribe('SCAN id FROM item')
  const another = () =>
    subscriptions.serve({ sql: 'SCAN * FROM item' }, new RecordingSink(), new RunningRequest())
  const figures = { limit: 'subscriptionsMax', limitValue: 6, actual: 7 }
  await assert.rejects(another(), { code: 'client_overloaded', fields: figures })
  own.abort(new Error('The client left.'))
  await ended
  await subscribe('SCAN n FROM item')
  await assert.rejects(another(), { code: 'client_overloaded' })
})
