// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { connect, type Database, PercoliteError } from '../../client-sdk/client.ts'
import { startBreakingProxy } from '../client-sdk/breaking-proxy.ts'
import type { SeededRandomness } from '../seeded-randomness.ts'
import { changesByRow, checkRuns, type RunsOfRow } from './check-runs.ts'
import { SubscriberChecker } from './check-subscriber.ts'
import { FeedSubscriber } from './feed-subscriber.ts'
import { readHistory } from './row-history.ts'
import { SubscriberSocket } from './subscriber-socket.ts'
import { CREATE_TALLY, TALLY_OBSERVERS, tally } from './tally.ts'
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

/** What the killed server is started with. */
export const OBSERVERS_FLAGS = [
  '--observers',
  fileURLToPath(new URL('./tally-module.ts', import.meta.url)),
]

const WRITERS = 4
const LONG_EVERY = 100
/** Shorter than many a run, so that workers get each other's rows and race to commit. */
const LEASE_MS = 20
const DAWDLE_MS_MAX = 60
const SETTLE_MS_MAX = 60_000
/** The first two race with each other, the last one with a function in the server. */
const WORKERS = [
  ['tally_there', 2],
  ['tally_there', 2],
  ['tally_both', 1],
] as const
const KEYS = Array.from({ length: WATCHED_KEYS }, (_, key) => key)

/**
 * Subscribers and observers of a table that is written while its server is killed. Subscribers outlive
 * the server and come back with the last commit that they have whole; observers run in the server, in
 * workers elsewhere that race with each other, and in both.
 */
export class KillWatchers {
  readonly #random: SeededRandomness
  readonly #proxy: Proxy
  readonly #db: Database
  readonly #sockets: readonly SubscriberSocket[]
  readonly #failures: unknown[] = []
  #writing: Promise<unknown> = Promise.resolve()
  /** What all of the checks have compared so far. */
  readonly totals = {
    changes: 0,
    notifications: 0,
    runs: 0,
    begunElsewhere: 0,
    told: 0,
    resumed: 0,
  }

  private constructor(proxy: Proxy, random: SeededRandomness, mayBeTooOld: boolean) {
    this.#proxy = proxy
    this.#random = random
    this.#db = connect({ url: proxy.url })
    const queries: WatchedQuery[] = [WHOLE_ROWS, ...WATCHED_QUERIES.slice(0, 8)]
    this.#sockets = queries.map(
      (query, position) =>
        new SubscriberSocket([
          new FeedSubscriber(query, position % 2 === 0 ? { snapshot: true } : 'now', mayBeTooOld),
        ]),
    )
  }

  static async create(
    t: Pick<TestContext, 'after'>,
    url: string,
    random: SeededRandomness,
    mayBeTooOld = false,
  ): Promise<KillWatchers> {
    const proxy = await startBreakingProxy(t, url)
    const watchers = new KillWatchers(proxy, random, mayBeTooOld)
    t.after(() => watchers.#close())
    for (const sql of [CREATE_WATCHED, ...CREATE_TALLY]) await watchers.#db.query(sql)
    for (const [observer, workers] of WORKERS) watchers.#observe(observer, workers)
    return watchers
  }

  /** Writes until the server is killed, while everything is subscribed to and observed. */
  begin(): void {
    for (const socket of this.#sockets) socket.returnNow(this.#proxy.url)
    const write = async () => {
      const writes = new WatchedWrites(this.#db, this.#random, LONG_EVERY)
      for (;;) await writes.writeOnce()
    }
    this.#writing = Promise.allSettled(Array.from({ length: WRITERS }, write))
  }

  /** To be called when the server has been killed. */
  async killed(): Promise<void> {
    for (const result of (await this.#writing) as PromiseSettledResult<void>[]) {
      const { reason } = result as PromiseRejectedResult
      if (!(reason instanceof PercoliteError) || reason.code !== 'connection_failed') throw reason
    }
  }

  /** Finds the server again, waits until all has arrived and been observed, and compares it. */
  async check(url: string): Promise<void> {
    this.#proxy.turnTo(url)
    const late = AbortSignal.timeout(SETTLE_MS_MAX)
    // Some have not seen yet that the server has ended, and would not come back by themselves.
    for (const socket of this.#sockets) socket.breakAndReturn(this.#proxy.url, 0)
    const end = await new WatchedWrites(this.#db, this.#random).writeEnd()
    await Promise.all(this.#sockets.map((socket) => socket.until(end, late)))
    await this.#drained(url, late)
    assert.deepEqual(this.#failures, [])
    const history = await readHistory<WatchedRow>(
      url,
      { table: 'watched', keys: KEYS },
      shortenedRow,
    )
    this.#checkSubscribers(new SubscriberChecker(history, end))
    const changes = changesByRow(history)
    const runs = await readRuns(this.#db)
    for (const observer of TALLY_OBSERVERS) {
      for (const [key, changed] of changes) {
        const ofRow = runs.get(`${observer} ${key}`) ?? { started: [], counted: 0, seen: null }
        assert.deepEqual(checkRuns(ofRow, changed), [], `${observer} of row ${key}`)
      }
    }
    this.totals.changes = [...changes.values()].reduce((sum, row) => sum + row.commits.length, 0)
    this.totals.notifications = this.totals.changes * TALLY_OBSERVERS.length
    this.totals.runs = [...runs.values()].reduce((sum, { started }) => sum + started.length, 0)
  }

  /** What has been compared, in words. */
  get said(): string {
    const { changes, notifications, runs, begunElsewhere, told, resumed } = this.totals
    return (
      `subscribers were told ${told} commits and resumed ${resumed} times, 0 missing, 0 doubled; ` +
      `${notifications} notifications of ${changes} changes, ${runs} runs committed ` +
      `(workers elsewhere began ${begunElsewhere}), 0 changes observed twice, 0 never`
    )
  }

  #checkSubscribers(checker: SubscriberChecker): void {
    this.totals.told = 0
    this.totals.resumed = 0
    for (const subscriber of this.#sockets.flatMap(({ subscribers }) => subscribers)) {
      assert.deepEqual(checker.check(subscriber), [], subscriber.query.sql)
      this.totals.told += subscriber.commits.length
      this.totals.resumed += subscriber.resumed
    }
  }

  /** A worker that finds the server again by itself, each time that it is killed. */
  #observe(observer: string, workers: number): void {
    const run: Parameters<Database['observe']>[1] = async (tx, event) => {
      this.totals.begunElsewhere += 1
      if (this.#random.below(8) === 0) await delay(this.#random.below(DAWDLE_MS_MAX))
      await tally(tx, event)
    }
    const worker = this.#db.observe(observer, run, { workers, leaseMs: LEASE_MS })
    worker.done.catch((error) => this.#failures.push(error))
  }

  #close(): void {
    for (const socket of this.#sockets) socket.close()
    this.#db.close()
  }

  async #drained(url: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      if (signal.aborted) throw new Error(await notifiedRows(url))
      const answer = await fetch(`${url}/v1/observers`)
      const { observers } = (await answer.json()) as { observers: ObserverState[] }
      const isAtRest = ({ pending, running, backfilling }: ObserverState) =>
        pending === 0 && running === 0 && !backfilling
      if (observers.every(isAtRest)) {
        for (const { deadLetters } of observers) assert.equal(deadLetters.count, 0)
        return
      }
      await delay(20)
    }
  }
}

/** What observers wait for, in words. */
async function notifiedRows(url: string): Promise<string> {
  const said = [await (await fetch(`${url}/v1/observers`)).text()]
  for (const key of KEYS) {
    const cells = await (await fetch(`${url}/v1/tables/watched/cells/${key}`)).text()
    if (cells.includes('notify')) said.push(`${key}: ${cells}`)
  }
  return `Observers are not at rest after ${SETTLE_MS_MAX} ms: ${said.join('\n')}`
}

type Proxy = Awaited<ReturnType<typeof startBreakingProxy>>

type ObserverState = {
  readonly pending: number
  readonly running: number
  readonly backfilling: boolean
  readonly deadLetters: { readonly count: number }
}

/** By observer and row. */
async function readRuns(db: Database): Promise<Map<string, RunsOfRow>> {
  const runs = new Map<string, { started: number[]; counted: number; seen: unknown }>()
  const { rows } = await db.query<{ observer: string; item: number; runs: number; seen: unknown }>(
    'SCAN * FROM tally USE PRIMARY KEY',
  )
  for (const { observer, item, runs: counted, seen } of rows) {
    runs.set(`${observer} ${item}`, { started: [], counted, seen })
  }
  type Run = { observer: string; item: number; started: number }
  for await (const { observer, item, started } of db.scan<Run>('SCAN * FROM run USE PRIMARY KEY')) {
    const known = runs.get(`${observer} ${item}`)
    assert.ok(known, 'a run and its count are one transaction')
    known.started.push(started)
  }
  return runs
}
