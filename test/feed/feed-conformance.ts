// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Storage } from '../../storage/database.ts'
import { StorageError } from '../../storage/errors.ts'
import { nextTurn } from '../../storage/turns/turns.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { lineOf, RecordedFeed, readFeed } from '../storage/recorded-feed.ts'

/** One or several storage layers over a store; what any of them commits is in the feed of each. */
export type FeedWorld = {
  readonly storages: readonly [Storage, ...Storage[]]
  readonly close: () => Promise<void>
}

const COLUMN = '0'
const key = (name: string) => Buffer.from(`\u0001${name}`)

/**
 * What every feed keeps, whatever the engine and the way to commit. `openAtLength` opens it for what goes on for
 * several turns, where the clock of `open` leaps.
 */
export function testFeed(
  name: string,
  open: () => Promise<FeedWorld>,
  openAtLength: () => Promise<FeedWorld> = open,
): void {
  describe(`the feed, ${name}`, () => {
    test('tells every commit once, whole, ascending, to all who follow from wherever', async () => {
      await withWorld(open, async ({ storages }) => {
        const writers = new Writers(storages, 1)
        const first = new RecordedFeed(storages[0].feed, await storages[0].feed.resolved())
        await writers.run(80)
        const later: RecordedFeed[] = []
        for (const since of [...writers.committed.keys()].slice(10, 14)) {
          later.push(new RecordedFeed(storages[0].feed, since))
          await writers.run(20)
        }
        await untilLive([first, ...later])
        await writers.run(40)
        const resolved = await storages[0].feed.resolved()
        for (const { since, follower, error, lines } of [first, ...later]) {
          assert.equal(error, undefined)
          assert.ok(follower.position >= resolved)
          assert.deepEqual(lines, writers.linesAfter(since))
        }
        assert.equal(first.lines.length, writers.committed.size)
        assert.ok(writers.conflicts > 0, 'the writers met each other')
      })
    })

    test('reads on from any position, in pages of any size', async () => {
      await withWorld(open, async ({ storages }) => {
        const [{ feed }] = storages
        const writers = new Writers(storages, 2)
        const start = await feed.resolved()
        await writers.run(60)
        for (const rowsMax of [1, 2, 7, 1_000]) {
          const commits = await readFeed(feed, start, rowsMax)
          assert.deepEqual(commits.map(lineOf), writers.linesAfter(start))
        }
        for (const since of writers.committed.keys()) {
          const commits = await readFeed(feed, since, 5)
          assert.deepEqual(commits.map(lineOf), writers.linesAfter(since))
        }
      })
    })

    test('reads on between any two commits that became durable together', async () => {
      await withWorld(open, async ({ storages }) => {
        const [{ feed }] = storages
        const start = await feed.resolved()
        const insert = async (at: number) => {
          const storage = storages[at % storages.length] as Storage
          const transaction = await storage.begin()
          transaction.put(key(`r${at}`), COLUMN, Buffer.from('v'))
          const { commitTs } = await transaction.commit()
          return { commitTs: commitTs as number, line: `${commitTs}: r${at}` }
        }
        const committed = await Promise.all(Array.from({ length: 40 }, (_, at) => insert(at)))
        committed.sort((a, b) => a.commitTs - b.commitTs)
        for (const [at, { commitTs }] of [{ commitTs: start }, ...committed].entries()) {
          const lines = committed.slice(at).map(({ line }) => line)
          const read = await readFeed(feed, commitTs, at % 2 === 0 ? 1 : 1_000)
          assert.deepEqual(read.map(lineOf), lines)
        }
        assert.deepEqual(await brokenLog(storages[0]), [])
      })
    })

    test('a snapshot goes on as the feed: applied to it, the commits give the next snapshot', async () => {
      await withWorld(open, async ({ storages }) => {
        const [storage] = storages
        const writers = new Writers(storages, 3)
        await writers.run(30)
        const from = await storage.feed.resolved()
        const rows = await snapshotAt(storage, from)
        await writers.run(50)
        for (const { commitTs, rows: changed } of await readFeed(storage.feed, from)) {
          const after = await snapshotAt(storage, commitTs)
          for (const { key: rowKey, isDelete } of changed) {
            const name = Buffer.from(rowKey).toString()
            assert.equal(after.has(name), !isDelete)
            if (isDelete) rows.delete(name)
            else rows.set(name, after.get(name) as string)
          }
          assert.deepEqual(new Map([...rows].toSorted()), after)
        }
      })
    })

    test('grows on an idle store', async () => {
      await withWorld(open, async ({ storages: [storage] }) => {
        const before = await storage.feed.resolved()
        const page = await storage.feed.read(before, { rowsMax: 1 })
        assert.deepEqual(page.commits, [])
        assert.ok(page.isCaughtUp)
        assert.ok((await storage.feed.resolved()) > before)
      })
    })

    test('refuses a position that it never reached, and one that collection has passed', async () => {
      await withWorld(open, async ({ storages }) => {
        const [storage] = storages
        const writers = new Writers(storages, 4)
        await writers.run(20)
        const position = await storage.feed.resolved()
        await assert.rejects(storage.feed.read(position + 1e9, { rowsMax: 1 }), {
          code: 'timestamp_in_future',
        })
        const { safePoint } = await storage.collectGarbage()
        await assert.rejects(storage.feed.read(safePoint - 1, { rowsMax: 1 }), {
          code: 'resume_too_old',
          fields: { since: safePoint - 1, oldest: safePoint },
        })
        await writers.run(10)
        const commits = await readFeed(storage.feed, safePoint)
        assert.deepEqual(commits.map(lineOf), writers.linesAfter(safePoint))
        assert.deepEqual(await brokenLog(storage), [])
      })
    })

    test('tells a transaction of very many rows whole', async () => {
      await withWorld(openAtLength, async ({ storages: [storage] }) => {
        const since = await storage.feed.resolved()
        const recorded = new RecordedFeed(storage.feed, since)
        await untilLive([recorded])
        const transaction = await storage.begin()
        const names = Array.from({ length: 1_500 }, (_, at) => `many${1_000 + at}`)
        for (const one of names) transaction.put(key(one), COLUMN, Buffer.from('v'))
        const { commitTs } = await transaction.commit()
        await storage.feed.resolved()
        const wanted = [`${commitTs}: ${names.join(' ')}`]
        assert.deepEqual(recorded.lines, wanted)
        assert.deepEqual((await readFeed(storage.feed, since)).map(lineOf), wanted)
      })
    })

    test('of a store that is closed ends quietly', async () => {
      const { storages, close } = await open()
      const recorded = new RecordedFeed(storages[0].feed, await storages[0].feed.resolved())
      await untilLive([recorded])
      await close()
      await assert.rejects(storages[0].feed.resolved())
      assert.deepEqual(recorded.lines, [])
    })
  })
}

async function withWorld(
  open: () => Promise<FeedWorld>,
  work: (world: FeedWorld) => Promise<void>,
): Promise<void> {
  const world = await open()
  try {
    await work(world)
  } finally {
    await world.close()
  }
}

export async function untilLive(recorded: readonly RecordedFeed[]): Promise<void> {
  while (recorded.some(({ follower, error }) => !follower.isLive && error === undefined)) {
    await nextTurn()
  }
}

/** What the check of the store says of its log; the keys of these tests are of no table. */
export async function brokenLog(storage: Storage): Promise<unknown[]> {
  const { problems } = await storage.checkConsistency()
  return problems.filter(({ rule }) => rule !== 'T1')
}

/** Every row as of a timestamp, by the text of its key. */
async function snapshotAt(storage: Storage, asOf: number): Promise<Map<string, string>> {
  const transaction = await storage.begin({ asOf })
  const rows = new Map<string, string>()
  const range = { start: Uint8Array.of(1), end: Uint8Array.of(2), columns: [COLUMN] }
  for await (const { key: rowKey, columns } of transaction.scanRows(range)) {
    const value = columns.get(COLUMN)?.value as Uint8Array
    rows.set(Buffer.from(rowKey).toString(), Buffer.from(value).toString())
  }
  transaction.rollback()
  return rows
}

/** Transactions of a few rows, several at a time, over few rows, so that some conflict. */
class Writers {
  readonly #storages: readonly Storage[]
  readonly #randomness: SeededRandomness
  /** What committed, by commitTs. */
  readonly committed = new Map<number, string>()
  conflicts = 0
  #writes = 0

  constructor(storages: readonly Storage[], seed: number) {
    this.#storages = storages
    this.#randomness = new SeededRandomness(seed)
  }

  linesAfter(since: number): string[] {
    return [...this.committed.entries()]
      .filter(([commitTs]) => commitTs > since)
      .toSorted(([a], [b]) => a - b)
      .map(([, line]) => line)
  }

  async run(transactions: number): Promise<void> {
    let left = transactions
    const writer = async () => {
      while (left > 0) {
        left -= 1
        await this.#write()
      }
    }
    await Promise.all(Array.from({ length: 6 }, writer))
  }

  async #write(): Promise<void> {
    const storage = this.#storages[this.#below(this.#storages.length)] as Storage
    const transaction = await storage.begin({ keepsOutcome: this.#below(2) === 0 })
    const names = new Set(Array.from({ length: 1 + this.#below(4) }, () => `r${this.#below(12)}`))
    const sorted = [...names].toSorted()
    const line = sorted.map((name) => {
      const isDelete = this.#below(4) === 0
      this.#writes += 1
      if (isDelete) transaction.delete(key(name), COLUMN)
      else transaction.put(key(name), COLUMN, Buffer.from(`${this.#writes}`))
      return (isDelete ? '-' : '') + name
    })
    transaction.guard(key('guarded'), COLUMN)
    transaction.put(Buffer.from('\u0002entry'), `${this.#below(9)}`, Buffer.from('of an index'))
    try {
      const { commitTs } = await transaction.commit()
      this.committed.set(commitTs as number, `${commitTs}: ${line.join(' ')}`)
    } catch (error) {
      if (!(error instanceof StorageError && error.retryable)) throw error
      this.conflicts += 1
    }
  }

  #below(bound: number): number {
    return Math.floor(this.#randomness.fraction() * bound)
  }
}
