// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { SeededRandomness } from '../../../test/seeded-randomness.ts'
import { testFolder } from '../../../test/test-folder.ts'
import type { StreamPosition } from '../../cells/store-replication.ts'
import type { Storage } from '../../database.ts'
import type { StorageError } from '../../errors.ts'
import { openStandby, openStorage } from '../../open-storage.ts'
import { changeAccess, readAccessVersion } from '../../tables/access/access-rows.ts'
import type { FeedCommit } from '../../transactions/feed/change-feed.ts'

const signal = new AbortController().signal
const PRIMARY = 'http://127.0.0.1:1'

/** Keys of a table with the id 5. */
function rowOf(number: number): Buffer {
  return Buffer.concat([Buffer.from([1, 0, 0, 0, 5]), Buffer.from(String(number).padStart(4, '0'))])
}

class Pair {
  readonly folder: string
  readonly primaryFolder: string
  readonly standbyFolder: string
  primary: Storage | undefined
  standby: Storage | undefined

  private constructor(folder: string) {
    this.folder = folder
    this.primaryFolder = join(folder, 'primary')
    this.standbyFolder = join(folder, 'standby')
  }

  static async open(t: TestContext): Promise<Pair> {
    const pair = new Pair(await testFolder(t, 'standby'))
    t.after(() => pair.close())
    await pair.startPrimary()
    return pair
  }

  get one(): Storage {
    assert.ok(this.primary !== undefined)
    return this.primary
  }

  get other(): Storage {
    assert.ok(this.standby !== undefined)
    return this.standby
  }

  async startPrimary(): Promise<void> {
    this.primary = await openStorage({ engine: 'sqlite', dataDirectory: this.primaryFolder })
  }

  async copy(): Promise<void> {
    mkdirSync(this.standbyFolder, { mode: 0o700 })
    await this.one.primary?.copyInto(join(this.standbyFolder, 'cells.db'), signal)
  }

  async startStandby(): Promise<void> {
    this.standby = await openStandby({ dataDirectory: this.standbyFolder, primary: PRIMARY })
  }

  /** One frame; false where the standby had all. */
  async follow(bytesMax: number): Promise<boolean> {
    const standby = this.other.standby
    const after = standby?.position as StreamPosition
    const frame = await this.one.primary?.frame({ after, visible: 0, bytesMax, waitMs: 0, signal })
    assert.ok(frame !== undefined && standby !== undefined)
    await standby.apply({ ...frame, groups: Buffer.concat(frame.groups) })
    return frame.groups.length > 0
  }

  async followAll(): Promise<void> {
    while (await this.follow(2 ** 20));
  }

  async close(): Promise<void> {
    await this.standby?.close()
    await this.primary?.close()
    this.standby = undefined
    this.primary = undefined
  }
}

async function contentAt(storage: Storage, asOf?: number): Promise<Map<string, string>> {
  const transaction = await storage.begin({
    readOnly: true,
    ...(asOf === undefined ? {} : { asOf }),
  })
  const rows = new Map<string, string>()
  for await (const { key, columns } of transaction.scanRows({
    start: rowOf(0),
    end: rowOf(9999),
    columns: ['0'],
  })) {
    const found = columns.get('0')
    rows.set(Buffer.from(key).toString('latin1'), `${found?.commitTs} ${found?.value}`)
  }
  transaction.rollback()
  return rows
}

async function commitSome(storage: Storage, random: SeededRandomness): Promise<void> {
  const transaction = await storage.begin()
  for (let left = 1 + random.below(5); left > 0; left -= 1) {
    const row = rowOf(random.below(60))
    if (random.below(5) === 0) transaction.delete(row, '0')
    else transaction.put(row, '0', Buffer.from(String(random.below(1_000))))
  }
  await transaction.commit().catch((error) => assert.equal(error.code, 'write_conflict'))
}

test('a standby has the retention of its primary, also after that was set, and sets none', async (t) => {
  const pair = await Pair.open(t)
  await pair.one.retention.set(1_000, signal)
  await pair.copy()
  await pair.startStandby()
  const retentionOf = async () => (await pair.other.retention.read()).retentionMs
  assert.equal(await retentionOf(), 1_000)
  await pair.one.retention.set(2_000, signal)
  await pair.followAll()
  assert.equal(await retentionOf(), 2_000)
  await assert.rejects(pair.other.retention.set(3_000, signal), { code: 'not_primary' })
})

test('each read of a standby is what its primary had at that timestamp, and never goes back', async (t) => {
  const seed = Date.now() % 1_000_000
  t.diagnostic(`seed ${seed}`)
  const random = new SeededRandomness(seed)
  const pair = await Pair.open(t)
  for (let left = 10; left > 0; left -= 1) await commitSome(pair.one, random)
  await pair.copy()
  await pair.startStandby()
  let before = 0
  for (let step = 0; step < 120; step += 1) {
    const many = Array.from({ length: random.below(6) }, () => commitSome(pair.one, random))
    if (random.below(2) === 0) await Promise.all(many)
    if (random.below(3) > 0) await pair.follow(random.below(3) === 0 ? 300 : 2 ** 20)
    await Promise.all(many)
    const visible = pair.other.standby?.visible ?? 0
    assert.ok(visible >= before)
    before = visible
    // Twice: what the first read has put into memory serves the second.
    for (const _ of [1, 2]) {
      assert.deepEqual(await contentAt(pair.other), await contentAt(pair.one, visible))
    }
    if (random.below(25) === 0) {
      await pair.other.close()
      await pair.startStandby()
      // The timestamp may be that of the last commit again; what is read is the same or later.
      before = 0
    }
  }
  await pair.followAll()
  assert.deepEqual(await contentAt(pair.other), await contentAt(pair.one))
})

test('the feed of a standby has the commits of its primary, whoever follows it and since when', async (t) => {
  const random = new SeededRandomness(3)
  const pair = await Pair.open(t)
  await commitSome(pair.one, random)
  const from = await pair.one.feed.resolved()
  await pair.copy()
  await pair.startStandby()
  await pair.followAll()
  const listen = (storage: Storage) => {
    const commits: FeedCommit[] = []
    const failed = (error: unknown) => assert.fail(String(error))
    const follower = storage.feed.follow(from, { commit: (one) => commits.push(one), failed })
    t.after(() => follower.stop())
    return commits
  }
  const live = listen(pair.other)
  for (let round = 0; round < 20; round += 1) {
    await Promise.all([1, 2, 3].map(() => commitSome(pair.one, random)))
    await pair.follow(2 ** 20)
  }
  const late = listen(pair.other)
  const own = listen(pair.one)
  for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
  assert.ok(own.length > 20)
  const textsOf = (commits: FeedCommit[]) => commits.map((one) => JSON.stringify(one))
  assert.deepEqual(textsOf(live), textsOf(own))
  assert.deepEqual(textsOf(late), textsOf(own))
})

test('a standby takes no writes, waits for a timestamp, and is promoted with all that it has', async (t) => {
  const random = new SeededRandomness(4)
  const pair = await Pair.open(t)
  await commitSome(pair.one, random)
  await pair.copy()
  await pair.startStandby()
  const refused = { code: 'not_primary' }
  const transaction = await pair.other.begin()
  await assert.rejects(async () => {
    transaction.put(rowOf(1), '0', Buffer.from('x'))
    await transaction.commit()
  }, refused)
  await assert.rejects(() => pair.other.collectGarbage(), refused)
  await assert.rejects(() => pair.other.observers.lease('any'), refused)

  await commitSome(pair.one, random)
  const newest = await pair.one.feed.resolved()
  const reached = pair.other.standby?.reached(newest, signal)
  const ended = AbortSignal.abort(new Error('too late'))
  await assert.rejects(async () => pair.other.standby?.reached(newest, ended), /too late/)
  await pair.followAll()
  await reached

  const content = await contentAt(pair.one)
  const bookmark = { timestamp: newest, name: pair.one.history.name }
  assert.equal(pair.other.history.name, bookmark.name)
  await pair.close()
  const promoted = await openStorage({ engine: 'sqlite', dataDirectory: pair.standbyFolder })
  t.after(() => promoted.close())
  assert.deepEqual(await contentAt(promoted), content)
  promoted.history.require(bookmark.timestamp, bookmark.name)
  await commitSome(promoted, random)
  assert.notEqual(promoted.history.name, bookmark.name)
  // What the old primary gave out later is not of this store.
  assert.throws(() => promoted.history.require(newest + 3_600_000_000, bookmark.name), {
    code: 'history_replaced',
  })
})

test('a standby says of a transaction that it is committed, and of all else that its primary knows', async (t) => {
  const pair = await Pair.open(t)
  await pair.copy()
  await pair.startStandby()
  const outcomeAtStandby = (id: string) => pair.other.outcomeOf(id, 0)
  const begin = async () => {
    const transaction = await pair.one.begin({ keepsOutcome: true })
    transaction.put(rowOf(1), '0', Buffer.from(transaction.id))
    return transaction
  }
  const one = await begin()
  const { commitTs } = await one.commit()
  await assert.rejects(outcomeAtStandby(one.id), (error) => {
    const { code, fields } = error as StorageError
    assert.deepEqual([code, fields.primary], ['not_primary', PRIMARY])
    return true
  })
  await pair.followAll()
  assert.deepEqual(await outcomeAtStandby(one.id), { kind: 'committed', commitTs })

  // Seemingly older than any transaction may be: a standby that ended it would write what its primary has not.
  const open = await begin()
  const later = await begin()
  await later.commit()
  await pair.followAll()
  await assert.rejects(outcomeAtStandby(open.id), { code: 'not_primary' })
  const committed = await open.commit().catch((error) => error.code)
  assert.equal(committed, 'write_conflict')
  await assert.rejects(outcomeAtStandby(open.id), { code: 'not_primary' })
  assert.deepEqual(await outcomeAtStandby('none'), { kind: 'neverBegun' })

  const own = await pair.other.begin({ keepsOutcome: true })
  assert.deepEqual(await outcomeAtStandby(own.id), { kind: 'active' })
  own.rollback()
  assert.equal((await outcomeAtStandby(own.id)).kind, 'rolledBack')

  // Nothing was written there: it goes on following, and after a promotion it decides by itself.
  const last = await begin()
  const { commitTs: lastTs } = await last.commit()
  await pair.followAll()
  assert.deepEqual(await outcomeAtStandby(last.id), { kind: 'committed', commitTs: lastTs })
})

test('an old primary that was restarted begins an epoch of its own, which its standby takes over', async (t) => {
  const random = new SeededRandomness(5)
  const pair = await Pair.open(t)
  await pair.copy()
  await pair.startStandby()
  await pair.followAll()
  await pair.one.close()
  await pair.startPrimary()
  await commitSome(pair.one, random)
  await pair.followAll()
  await pair.other.standby?.historyReplaced
  await pair.other.close()
  await pair.startStandby()
  await pair.followAll()
  assert.equal(pair.other.history.name, pair.one.history.name)
  assert.deepEqual(await contentAt(pair.other), await contentAt(pair.one))
})

test('a standby that opens without its primary sees the last change of access control, which no log has', async (t) => {
  const pair = await Pair.open(t)
  await commitSome(pair.one, new SeededRandomness(6))
  await pair.copy()
  await pair.startStandby()
  const transaction = await pair.one.begin()
  changeAccess(transaction)
  const { commitTs } = await transaction.commit()
  await pair.followAll()
  await pair.other.close()
  await pair.startStandby()
  const reading = await pair.other.begin({ readOnly: true })
  assert.equal(await readAccessVersion(reading), commitTs)
  reading.rollback()
})
