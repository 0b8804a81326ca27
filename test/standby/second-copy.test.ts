// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { StreamPosition } from '../../storage/cells/store-replication.ts'
import type { ReplicationFrame } from '../../storage/operations/replication/primary.ts'
import { openStorage, type Primary, type Storage } from '../../storage/storage.ts'
import { ManualClock } from '../manual-clock.ts'
import { SqlSession } from '../sql-session.ts'
import { testFolder } from '../test-folder.ts'

// Rule S4, on a store whose clock stands still and whose only follower is moved by hand.

const NEVER = new AbortController().signal
/** What is ready is done in far fewer turns of the event loop; what waits for a second copy in none. */
const TURNS = 300
/** So long a standby that says nothing counts as there, and one that takes nothing. */
const GONE_MS = 5_000

async function turns(count = TURNS): Promise<void> {
  for (let left = count; left > 0; left -= 1) await new Promise(setImmediate)
}

async function untilDone(isDone: () => boolean, what: string): Promise<void> {
  for (let left = 100_000; !isDone(); left -= 1) {
    assert.ok(left > 0, `never: ${what}`)
    await new Promise(setImmediate)
  }
}

/** A store that requires a second copy, and who says that there is one. */
class Followed {
  readonly clock = new ManualClock()
  readonly storage: Storage
  readonly session: SqlSession
  /** Up to where the follower has everything. */
  #has: StreamPosition

  private constructor(clock: ManualClock, storage: Storage, session: SqlSession) {
    this.clock = clock
    this.storage = storage
    this.session = session
    this.#has = present(this.primary.position)
  }

  static async open(t: TestContext, redoLog: 'never' | 'always'): Promise<Followed> {
    const clock = new ManualClock()
    const dataDirectory = await testFolder(t, 'second-copy')
    const storage = await openStorage({ engine: 'sqlite', dataDirectory, redoLog, clock })
    t.after(() => storage.close())
    const session = SqlSession.over(storage)
    await session.run('CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)')
    await session.run('CREATE OBSERVER seen ON note (text)')
    await session.run("INSERT INTO note (id, text) VALUES (1, 'before')")
    await observed(session, 1)
    await present(storage.primary).begin()
    const followed = new Followed(clock, storage, session)
    await followed.primary.demand('required')
    await followed.takeAll()
    return followed
  }

  get primary(): Primary {
    return present(this.storage.primary)
  }

  /** Asks for what follows, as one who has so far what it has taken. */
  async ask(): Promise<ReplicationFrame> {
    const bounds = { bytesMax: 2 ** 20, waitMs: 0, signal: NEVER }
    return await this.primary.frame({ after: this.#has, visible: 0, ...bounds })
  }

  /** What was sent is durable there: the next question says so. */
  take({ position }: ReplicationFrame): void {
    this.#has = position
  }

  async takeAll(): Promise<void> {
    for (let frame = await this.ask(); frame.groups.length > 0; frame = await this.ask()) {
      this.take(frame)
    }
  }

  get durable(): number {
    return present(this.primary.position).number
  }
}

/** The run of an observer for the note with this id, which it has read: the timestamp at which it did. */
async function observed(session: SqlSession, id: number): Promise<number> {
  const { storage } = session
  const notification = await storage.observers.lease('seen')
  const transaction = await storage.begin()
  assert.equal(await notification.acknowledge(transaction), 'pending')
  const catalog = await storage.catalog(transaction)
  const { rows } = await session.runIn(transaction, catalog, `GET text FROM note WHERE id = ${id}`)
  assert.equal(rows.length, 1)
  await transaction.commit()
  await notification.committed()
  return transaction.startTs
}

for (const redoLog of ['never', 'always'] as const) {
  test(`nothing shows what only one disk has, with a redo log: ${redoLog}`, async (t) => {
    const followed = await Followed.open(t, redoLog)
    const { storage, session } = followed
    const shown: string[] = []
    const note = (what: string) => () => void shown.push(what)
    const commits: number[] = []
    const live = storage.feed.follow(storage.visible.newest, {
      commit: ({ commitTs }) => {
        commits.push(commitTs)
        shown.push('the feed')
      },
      failed: (error) => assert.fail(String(error)),
    })
    t.after(() => live.stop())
    await turns()
    const before = followed.durable

    session.run("INSERT INTO note (id, text) VALUES (2, 'both')").then(note('the answer'))
    await untilDone(() => followed.durable > before, 'it is durable')
    session.run('GET text FROM note WHERE id = 2').then(note('a read'))
    session.run('SCAN text FROM note USE PRIMARY KEY').then(note('a scan'))
    const running = observed(session, 2)
    await turns()
    assert.deepEqual(shown, [], 'durable here')

    const frame = await followed.ask()
    assert.ok(frame.groups.length > 0)
    await turns()
    assert.deepEqual(shown, [], 'sent to the standby')
    assert.deepEqual((await followed.ask()).position, frame.position)
    await turns()
    assert.deepEqual(shown, [], 'sent again')

    followed.take(frame)
    await followed.ask()
    const all = ['a read', 'a scan', 'the answer', 'the feed']
    await untilDone(() => shown.length >= all.length, `all of it, and not only ${shown}`)
    assert.deepEqual(shown.slice(0, all.length).toSorted(), all)
    // The run, which commits as well, has seen it.
    let hasRun = false
    running.then(() => {
      hasRun = true
    })
    while (!hasRun) {
      await followed.takeAll()
      await turns(1)
    }
    const [commitTs = 0] = commits
    assert.ok((await running) > commitTs)
    assert.ok((frame.visible ?? 0) < commitTs, 'a standby shows what it was not sent')
  })

  test(`without a standby reads go on, and writes are refused, with a redo log: ${redoLog}`, async (t) => {
    const followed = await Followed.open(t, redoLog)
    const { storage, session, clock } = followed
    const before = followed.durable
    let isAnswered = false
    const inserted = session.run("INSERT INTO note (id, text) VALUES (2, 'waits')")
    inserted.then(() => {
      isAnswered = true
    })
    await untilDone(() => followed.durable > before, 'it is durable')
    // Timestamps need a higher mark by now, which waits as well.
    await clock.advance(2_000)
    let isRead = false
    const reading = session.rows('GET text FROM note WHERE id = 1').then((rows) => {
      isRead = true
      return rows
    })
    await turns()
    assert.equal(isRead, false)
    // No frame waits for what waits for a frame.
    await followed.ask()
    await clock.advance(GONE_MS - 2_000)
    await untilDone(() => isRead, 'the read')
    assert.deepEqual(await reading, [{ text: 'before' }])
    // It asks, and takes nothing: what comes now is refused.
    await followed.ask()
    const late = session.run("INSERT INTO note (id, text) VALUES (3, 'late')")
    await assert.rejects(late, { code: 'no_second_copy' })
    assert.equal(isAnswered, false)

    await followed.takeAll()
    await untilDone(() => isAnswered, 'the answer')
    await clock.advance(1_000)
    const after = session.run("INSERT INTO note (id, text) VALUES (3, 'after')")
    let isDone = false
    after.finally(() => {
      isDone = true
    })
    while (!isDone) {
      await followed.takeAll()
      await turns(1)
    }
    await after
    assert.equal((await session.rows('SCAN text FROM note USE PRIMARY KEY')).length, 3)
    await storage.close()
  })
}

function present<T>(value: T | undefined): T {
  assert.ok(value !== undefined)
  return value
}
