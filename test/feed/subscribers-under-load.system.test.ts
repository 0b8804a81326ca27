// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { connect } from '../../client-sdk/client.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { ServerProcess } from '../server/server-process.ts'
import { testFolder } from '../test-folder.ts'
import { SubscriberChecker } from './check-subscriber.ts'
import { type Beginning, FeedSubscriber } from './feed-subscriber.ts'
import { readChangeLines } from './read-change-lines.ts'
import { type PastCommit, readHistory, rowsAt } from './row-history.ts'
import { SubscriberSocket } from './subscriber-socket.ts'
import {
  CREATE_WATCHED,
  shortenedRow,
  WATCHED_KEYS,
  WATCHED_QUERIES,
  type WatchedQuery,
  type WatchedRow,
  WHOLE_ROWS,
} from './watched-table.ts'
import { WatchedWrites } from './watched-writes.ts'

/**
 * Subscribers over real sockets of a real server, while rows are written, connections break and readers
 * stop; then every one of them is compared with the store's own history. Longer or with more of them:
 * `FEED_SUBSCRIBERS`, `FEED_SECONDS` and `FEED_SEED` in the environment.
 */
const SUBSCRIBERS = Number(process.env.FEED_SUBSCRIBERS ?? 1_000)
const SECONDS = Number(process.env.FEED_SECONDS ?? 6)
const SEED = Number(process.env.FEED_SEED ?? Date.now() % 1_000_000)
const WRITERS = 6
/** Some sockets have many subscribers, most have one. */
const SHARED_SOCKETS = 10
const SUBSCRIBERS_OF_SHARED = 20
/** Readers of whole rows, who now and then stop reading. */
const SLOW = 8
/** Of so many times that a long commit could be broken off between two of its frames, once. */
const BROKEN_INSIDE_OF = 4
const BREAK_EVERY_MS = 20
const PAUSE_EVERY_MS = 100
const WRITE_EVERY_MS = 25
const EARLY_COMMITS = 30
const LONG_EVERY = 20
const CATCH_UP_MS_MAX = 60_000
/** Bookmarks, and moments of the past, that are tried afterwards. */
const TRIED = 25

const KEYS = Array.from({ length: WATCHED_KEYS }, (_, key) => key)

type World = { readonly url: string; readonly random: SeededRandomness }

function pick<T>(random: SeededRandomness, from: readonly T[]): T {
  return from[random.below(from.length)] as T
}

/** `since` is of commits of before, a snapshot is of any moment, and some only want what is new. */
function subscriberOf(
  random: SeededRandomness,
  past: readonly number[],
  query: WatchedQuery = pick(random, WATCHED_QUERIES),
): FeedSubscriber {
  const beginnings: Beginning[] = [{ since: pick(random, past) }, 'now', { snapshot: true }]
  return new FeedSubscriber(query, pick(random, beginnings))
}

function openSockets({ random }: World, past: readonly number[]): SubscriberSocket[] {
  const slow = Array.from(
    { length: SLOW },
    () =>
      new SubscriberSocket(
        [subscriberOf(random, past, WHOLE_ROWS)],
        () => random.below(BROKEN_INSIDE_OF) === 0,
      ),
  )
  const shared = Array.from({ length: SHARED_SOCKETS }, () => {
    const several = { length: Math.min(SUBSCRIBERS_OF_SHARED, SUBSCRIBERS >> 4) }
    return new SubscriberSocket(Array.from(several, () => subscriberOf(random, past)))
  })
  const count = shared.reduce((sum, { subscribers }) => sum + subscribers.length, SLOW)
  const single = Array.from(
    { length: Math.max(0, SUBSCRIBERS - count) },
    () => new SubscriberSocket([subscriberOf(random, past)]),
  )
  return [...slow, ...shared, ...single]
}

/** Until the signal: opens the sockets, breaks some, and lets some of the slow ones stop reading. */
async function trouble(
  { url, random }: World,
  sockets: readonly SubscriberSocket[],
  signal: AbortSignal,
): Promise<void> {
  const slow = sockets.slice(0, SLOW)
  const openEvery = Math.ceil((sockets.length * BREAK_EVERY_MS) / (SECONDS * 500))
  let opened = 0
  for (let tick = 0; !signal.aborted; tick += 1) {
    for (const socket of sockets.slice(opened, opened + openEvery)) socket.connect(url)
    opened = Math.min(sockets.length, opened + openEvery)
    pick(random, sockets.slice(0, opened)).breakAndReturn(url, random.fraction())
    if ((tick * BREAK_EVERY_MS) % PAUSE_EVERY_MS === 0) {
      const socket = pick(random, slow)
      if (random.below(2) === 0) socket.stopReading()
      else socket.readOn()
    }
    await delay(BREAK_EVERY_MS)
  }
  for (const socket of sockets.slice(opened)) socket.connect(url)
}

/** The history of the cells is what reads of the past answer, too. */
async function assertPast(
  { url, random }: World,
  history: ReadonlyArray<PastCommit<WatchedRow>>,
): Promise<void> {
  const db = connect({ url })
  for (let tried = 0; tried < TRIED; tried += 1) {
    const { commitTs } = pick(random, history)
    for (const asOf of [commitTs - 1, commitTs]) {
      const { rows } = await db.query<WatchedRow>(WHOLE_ROWS.sql, [], { asOf })
      const wanted = [...rowsAt(history, asOf).values()].sort((a, b) => a.id - b.id)
      assert.deepEqual(rows.map(shortenedRow), wanted, `AS OF ${asOf}`)
    }
  }
}

async function startWorld(t: TestContext): Promise<World & { server: ServerProcess }> {
  const dataDirectory = await testFolder(t, 'feed')
  const server = await ServerProcess.start(dataDirectory)
  t.after(() => server.killNine())
  return { url: server.url, server, random: new SeededRandomness(SEED) }
}

test(`${SUBSCRIBERS} subscribers, broken connections and readers that stop: each gets every commit once, whole and in order (FEED_SEED=${SEED})`, {
  timeout: 300_000,
}, async (t) => {
  const world = await startWorld(t)
  const { url, random } = world
  const db = connect({ url })
  await db.query(CREATE_WATCHED)
  const writes = new WatchedWrites(db, random, LONG_EVERY)
  while (writes.timestamps.length < EARLY_COMMITS) await writes.writeOnce()
  const past = [...writes.timestamps]

  const sockets = openSockets(world, past)
  t.after(() => {
    for (const socket of sockets) socket.close()
  })
  const stopping = new AbortController()
  const writers = Array.from({ length: WRITERS }, async () => {
    while (!stopping.signal.aborted) {
      await writes.writeOnce()
      await delay(WRITE_EVERY_MS * 2 * random.fraction())
    }
  })
  const troubling = trouble(world, sockets, stopping.signal)
  await delay(SECONDS * 1_000)
  stopping.abort()
  await Promise.all([...writers, troubling])
  const end = await writes.writeEnd()
  const waitedFrom = performance.now()
  for (const socket of sockets) {
    socket.readOn()
    socket.returnNow(url)
  }
  const late = AbortSignal.timeout(CATCH_UP_MS_MAX)
  await Promise.all(sockets.map((socket) => socket.until(end, late)))
  const caughtUpMs = performance.now() - waitedFrom

  const watched = { table: 'watched', keys: KEYS }
  const history = await readHistory<WatchedRow>(url, watched, shortenedRow)
  const there = new Set(history.map(({ commitTs }) => commitTs))
  assert.deepEqual([...new Set(writes.timestamps).difference(there)], [], 'acknowledged')
  await assertPast(world, history)
  const checker = new SubscriberChecker(history, end)
  const subscribers = sockets.flatMap((socket) => socket.subscribers)
  for (const subscriber of subscribers) {
    const about = `${subscriber.query.sql} ${JSON.stringify(subscriber.beginning)}`
    assert.deepEqual(checker.check(subscriber), [], about)
  }

  // A bookmark is good for anybody, at any later time.
  for (let tried = 0; tried < TRIED; tried += 1) {
    const { query, commits } = pick(random, subscribers)
    const since = tried === 0 ? 0 : (pick(random, commits)?.commitTs ?? 0)
    if (since === end) continue
    const { commits: rest, violations } = await readChangeLines(url, query, { since, end })
    assert.deepEqual([...violations, ...checker.checkCommits(query, rest, since)], [])
  }

  const sum = (of: (subscriber: FeedSubscriber) => number) =>
    subscribers.reduce((total, subscriber) => total + of(subscriber), 0)
  t.diagnostic(
    `${subscribers.length} subscribers, ${history.length} commits: ` +
      `${sum(({ commits }) => commits.length)} were told, ${sum(({ longCommits }) => longCommits)} of them in several frames; ` +
      `${sum(({ resumed }) => resumed)} resumed, ${sum(({ brokenCommits }) => brokenCommits)} in the middle of a commit; ` +
      `${sum(({ progress }) => progress)} signs of progress, ${sum(({ refused }) => refused)} refused at first; all had everything ${Math.round(caughtUpMs)} ms after the end`,
  )
  assert.ok(sum(({ resumed }) => resumed) > SECONDS * 10)
  assert.ok(sum(({ longCommits }) => longCommits) > 0)
  assert.ok(sum(({ brokenCommits }) => brokenCommits) > 0)
})
