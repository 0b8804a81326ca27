// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { copyFile, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { ManualClock } from '../../../test/manual-clock.ts'
import { makeFormat5 } from '../../../test/storage/earlier-format.ts'
import { WatchedCellStore } from '../../../test/storage/watched-cell-store.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { type CellStore, CellStoreError } from '../../cells/cell-store.ts'
import { MemoryCellStore } from '../../cells/memory/memory-cell-store.ts'
import { openWriterConnection } from '../../cells/sqlite/file/connection.ts'
import { openSqliteCellStore } from '../../cells/sqlite/sqlite-cell-store.ts'
import { checkDataDirectory } from '../../operations/consistency/data-directory-check.ts'
import { systemRandomness } from '../../randomness.ts'
import { openGateway, openStorage, type Storage } from '../../storage.ts'
import { readOracleState } from '../oracle/oracle-row.ts'
import {
  readDirectoryHistory,
  readStoreHistory,
  renewDirectoryHistory,
  renewStoreHistory,
} from './directory-history.ts'
import {
  CURRENT_ROW,
  decodeCurrent,
  decodeGap,
  encodeCurrent,
  encodeGap,
  putGap,
  readHistoryRows,
} from './history-rows.ts'
import { openHistory } from './open-history.ts'
import { renewHistory } from './renew-history.ts'

const ROW = Buffer.from('\u0001bob')

function openFolder(dataDirectory: string): Promise<Storage> {
  return openStorage({ engine: 'sqlite', dataDirectory })
}

async function put(storage: Storage, value: string): Promise<number> {
  const transaction = await storage.begin()
  transaction.put(ROW, '0', Buffer.from(value))
  return (await transaction.commit()).commitTs as number
}

async function valueAt(storage: Storage, asOf: number): Promise<string | undefined> {
  const transaction = await storage.begin({ asOf })
  const row = await transaction.getRow(ROW, ['0'])
  transaction.rollback()
  const value = row?.columns.get('0')?.value
  return value === undefined ? undefined : Buffer.from(value).toString()
}

function outsideOf(cellStore: CellStore, clock = new ManualClock()) {
  return { cellStore, clock, randomness: systemRandomness }
}

/** What a start does not change. */
function lastingOf({ history: { id, from, gaps } }: Storage) {
  return { id, from, gaps }
}

/** The row is of no table, which is the one thing that is wrong with these stores. */
async function checkFolder(folder: string): Promise<void> {
  const { problems } = await checkDataDirectory(folder)
  assert.deepEqual(
    problems.filter(({ rule }) => rule !== 'T1'),
    [],
  )
}

/** What a killed process leaves, or what a copy of a stopped one is. */
async function copyStore(t: TestContext, from: string): Promise<string> {
  const to = join(await testFolder(t, 'copy'), 'data')
  await mkdir(to)
  await copyFile(join(from, 'cells.db'), join(to, 'cells.db'))
  return to
}

test('a new store has a history from its first moment on, which outlives restarts', async (t) => {
  const folder = await testFolder(t, 'history')
  const clock = new ManualClock()
  const open = () => openStorage({ engine: 'sqlite', dataDirectory: folder, clock })
  const first = await open()
  const { history } = first
  assert.equal(history.from, clock.wallMicros())
  const commitTs = await put(first, 'ten')
  assert.ok(commitTs > history.from)
  await first.close()
  const second = await open()
  assert.deepEqual(lastingOf(second), lastingOf(first))
  assert.notEqual(second.history.name, history.name, 'each start is another epoch')
  assert.equal(await valueAt(second, commitTs), 'ten')
  await second.close()
})

test('two stores have two histories, and neither takes a moment of before it was made', async () => {
  const clock = new ManualClock()
  const first = await openStorage({ engine: 'memory', clock })
  const commitTs = await put(first, 'ten')
  await first.close()
  await clock.advance(1_000)
  const second = await openStorage({ engine: 'memory', clock })
  assert.notEqual(second.history.id, first.history.id)
  assert.throws(() => second.begin({ asOf: commitTs }), { code: 'history_replaced' })
  const { from: asOf } = second.history
  assert.throws(() => second.begin({ asOf, history: first.history.id }), {
    code: 'history_replaced',
  })
  assert.equal(await valueAt(second, asOf), undefined)
  const id = `${commitTs}.${'0'.repeat(32)}`
  await assert.rejects(second.outcomeOf(id, 1), { code: 'history_replaced' })
  await second.close()
})

test('a store from before there were histories gets one, and all of its moments stay valid', async (t) => {
  const folder = await testFolder(t, 'history')
  let storage = await openFolder(folder)
  const commitTs = await put(storage, 'ten')
  await storage.close()
  await makeFormat4(folder)
  await checkFolder(folder)
  storage = await openFolder(folder)
  const { history } = storage
  assert.equal(history.from, 0)
  assert.deepEqual(history.gaps, [])
  assert.equal(await valueAt(storage, commitTs), 'ten')
  const page = await storage.feed.read(commitTs - 1, { rowsMax: 10 })
  assert.deepEqual(
    page.commits.map((commit) => commit.commitTs),
    [commitTs],
  )
  await storage.close()
  const former = storage
  storage = await openFolder(folder)
  assert.deepEqual(lastingOf(storage), lastingOf(former))
  await storage.close()
})

/** Takes away what format 5 has more than format 4. */
async function makeFormat4(folder: string): Promise<void> {
  const cellStore = await openSqliteCellStore({ dataDirectory: folder })
  const all = { kind: 'deleteFromColumn', family: 'data', qualifier: '0', timestamps: {} } as const
  const rows = [CURRENT_ROW, Buffer.from('\u0000feed/begins')]
  await cellStore.mutateRows(rows.map((row) => ({ row, mutations: [all] })))
  await cellStore.close()
  const database = openWriterConnection(join(folder, 'cells.db'))
  makeFormat5(database)
  database.pragma('user_version = 4')
  database.close()
}

test('gateways that open a new store at once have one history between them', async () => {
  const cellStore = new MemoryCellStore()
  const storages = await Promise.all(Array.from({ length: 4 }, () => openGateway(cellStore)))
  const [first] = storages as [Storage]
  for (const { history } of storages) assert.deepEqual(history, first.history)
  assert.ok((await put(first, 'ten')) > first.history.from)
  for (const storage of storages) await storage.close()
})

test('the copy of a store that is put back and renewed has lost what came after it', async (t) => {
  const original = await testFolder(t, 'history')
  let storage = await openFolder(original)
  const { id } = storage.history
  const kept = await put(storage, 'kept')
  await storage.close()
  const copy = await copyStore(t, original)
  storage = await openFolder(original)
  assert.equal(storage.history.id, id, 'moving on is no new history')
  const lost = await put(storage, 'lost')
  await storage.close()

  const { before, now } = await renewDirectoryHistory(copy)
  assert.equal(before.id, id)
  assert.notEqual(now.id, id)
  const gap = now.gaps.at(-1)
  assert.ok(gap !== undefined && gap.after < lost && lost < gap.until, 'what is lost is in the gap')
  assert.deepEqual(await readDirectoryHistory(copy), now)

  storage = await openFolder(copy)
  assert.equal(await valueAt(storage, kept), 'kept')
  assert.throws(() => storage.begin({ asOf: lost }), {
    code: 'history_replaced',
    fields: { history: storage.history.name, from: now.from, timestamp: lost, gap },
  })
  assert.ok((await put(storage, 'new')) > now.from)
  await storage.close()
  await checkFolder(copy)
})

test('of a process that was killed everything above its last commit counts as lost', async () => {
  const cellStore = new MemoryCellStore()
  const clock = new ManualClock()
  const storage = await openGateway(cellStore, { clock })
  const kept = await put(storage, 'kept')
  await clock.advance(60_000)
  const { timestamp } = await storage.status()
  const { now } = await renewHistory(outsideOf(cellStore, clock))
  assert.ok((now.gaps.at(-1)?.after ?? 0) <= kept)
  assert.ok(now.from > timestamp)
  assert.throws(() => now.require(timestamp), { code: 'history_replaced' })
  assert.ok((await readOracleState(cellStore)).timestamp >= now.from)
  await storage.close()
})

test('a transaction that was under way in the copy may have committed later: the gap begins before it', async () => {
  const cellStore = new MemoryCellStore()
  const clock = new ManualClock()
  const storage = await openGateway(cellStore, { clock })
  const early = await put(storage, 'early')
  await clock.advance(1_000)
  const { timestamp: startTs } = await storage.status()
  const lock = { kind: 'setCell', family: 'lock', qualifier: '0', timestamp: startTs } as const
  const row = Buffer.from('\u0001joe')
  await cellStore.mutateRows([{ row, mutations: [{ ...lock, value: new Uint8Array(1) }] }])
  await clock.advance(1_000)
  const late = await put(storage, 'late')
  const { now } = await renewHistory(outsideOf(cellStore, clock))
  assert.throws(() => now.require(late), { code: 'history_replaced' })
  now.require(early)
  await storage.close()
})

test('a store in which nothing ever was has no history that could be read or renewed', async () => {
  const cellStore = new MemoryCellStore()
  await assert.rejects(readStoreHistory(cellStore), { code: 'data_directory_unusable' })
  await assert.rejects(renewStoreHistory(cellStore), { code: 'data_directory_unusable' })
  const storage = await openGateway(cellStore)
  const lost = await put(storage, 'lost')
  await storage.close()
  assert.equal((await readStoreHistory(cellStore)).id, storage.history.id)
  const { before, now } = await renewStoreHistory(cellStore)
  assert.equal(before.id, storage.history.id)
  assert.throws(() => now.require(lost, before.id), { code: 'history_replaced' })
})

test('a history is renewed again and again, each time with a gap of its own', async () => {
  const cellStore = new MemoryCellStore()
  const clock = new ManualClock()
  const ids = new Set<string>()
  const { from } = await openHistory(outsideOf(cellStore, clock))
  for (let round = 1; round <= 12; round += 1) {
    const { now } = await renewHistory(outsideOf(cellStore, clock))
    ids.add(now.id)
    assert.equal(now.gaps.length, round + 1)
    assert.deepEqual(now.gaps[0], { after: 0, until: from })
    assert.equal(now.gaps.at(-1)?.until, now.from)
  }
  assert.equal(ids.size, 12)
})

test('a renewal that is cut off after any of its steps is finished by the next start', async () => {
  for (let stepsDone = 0; stepsDone < 4; stepsDone += 1) {
    const memory = new MemoryCellStore()
    const clock = new ManualClock()
    const { id } = await openHistory(outsideOf(memory, clock))
    const cellStore = new WatchedCellStore(memory)
    let left = stepsDone
    cellStore.before = async () => {
      if (left === 0) throw new CellStoreError('closed', 'The process has died.')
      left -= 1
    }
    await assert.rejects(renewHistory(outsideOf(cellStore, clock)), { kind: 'closed' })
    const { gaps } = await readHistoryRows(memory)
    const storage = await openGateway(memory, { clock })
    const { history } = storage
    const isBegun = gaps.length > 1
    assert.equal(history.id !== id, isBegun, `after ${stepsDone} steps`)
    if (isBegun) assert.equal(history.from, gaps.at(-1)?.until)
    assert.ok((await put(storage, 'new')) > history.from)
    await storage.close()
  }
})

test('a gap that was noted twice is one, and a late repetition changes nothing', async () => {
  const cellStore = new MemoryCellStore()
  await putGap(cellStore, 1, { after: 1, until: 2 })
  await putGap(cellStore, 1, { after: 7, until: 9 })
  assert.deepEqual((await readHistoryRows(cellStore)).gaps, [{ after: 1, until: 2 }])
})

test('the history of a folder that a server uses, or that has no store, is not touched', async (t) => {
  const folder = await testFolder(t, 'history')
  const storage = await openFolder(folder)
  await assert.rejects(renewDirectoryHistory(folder), { code: 'data_directory_locked' })
  await assert.rejects(readDirectoryHistory(folder), { code: 'data_directory_locked' })
  await storage.close()
  await rm(join(folder, 'cells.db'))
  await assert.rejects(renewDirectoryHistory(folder), { code: 'data_directory_unusable' })
})

test('the rows are as docs/storage-format.md says', () => {
  const text = readFileSync(new URL('../../../docs/storage-format.md', import.meta.url), 'utf8')
  const examples = new Map(
    [...text.matchAll(/^\| `(history\/\w+)` \| .* \| `([0-9A-F ]+)` \|$/gm)].map((match) => [
      match[1],
      Buffer.from((match[2] as string).replaceAll(' ', ''), 'hex'),
    ]),
  )
  const current = { id: '000102030405060708090a0b0c0d0e0f', from: 1769860800000000 }
  const gap = { after: 1769860800000007, until: 1769860900000000 }
  const currentBytes = examples.get('history/current') as Buffer
  const gapBytes = examples.get('history/1') as Buffer
  assert.deepEqual(Buffer.from(encodeCurrent(current)), currentBytes)
  assert.deepEqual(decodeCurrent(currentBytes), current)
  assert.deepEqual(Buffer.from(encodeGap(gap)), gapBytes)
  assert.deepEqual(decodeGap(gapBytes), gap)
})
