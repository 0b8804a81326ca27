// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import {
  brokenLog,
  type FeedWorld,
  testFeed,
  untilLive,
} from '../../../test/feed/feed-conformance.ts'
import { LeapingClock } from '../../../test/storage/leaping-clock.ts'
import { lineOf, RecordedFeed, readFeed } from '../../../test/storage/recorded-feed.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import { MemoryCellStore } from '../../cells/memory/memory-cell-store.ts'
import { endOfPrefix, systemRowKey } from '../../cells/row-key.ts'
import { type Clock, openGateway, openStorage, Storage, systemClock } from '../../storage.ts'

const AT_ONCE = { retentionMs: 0, heldMsMax: 3600_000 }

testFeed('one-phase in memory', () => openMemory('one-phase'))
testFeed('two-phase in memory', () => openMemory('two-phase'))
testFeed('on disk', openDisk)
testFeed(
  'of two gateways',
  () => openGateways(() => new LeapingClock()),
  () => openGateways(() => systemClock),
)

test('the feed goes on where it was after a restart', async () => {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'percolite-feed-'))
  const open = () => openStorage({ engine: 'sqlite', dataDirectory })
  try {
    let storage = await open()
    const since = await storage.feed.resolved()
    const lines = [await put(storage, 'bob'), await put(storage, 'joe')]
    await storage.close()
    storage = await open()
    const recorded = new RecordedFeed(storage.feed, since)
    await untilLive([recorded])
    lines.push(await put(storage, 'sue'))
    assert.deepEqual(recorded.lines, lines)
    assert.deepEqual(await brokenLog(storage), [])
    await storage.close()
  } finally {
    await rm(dataDirectory, { recursive: true })
  }
})

for (const owner of ['exclusive', 'shared'] as const) {
  test(`a collection takes the log below the safe point with it, of a store with ${owner} owner`, async () => {
    const cellStore = new MemoryCellStore()
    const clock = new LeapingClock()
    const storage = await Storage.open(cellStore, { owner, clock, retention: AT_ONCE })
    for (const name of ['bob', 'joe', 'sue']) await put(storage, name)
    assert.equal(await logRows(cellStore), 3)
    await storage.collectGarbage()
    assert.equal(await logRows(cellStore), 0)
    const since = await storage.feed.resolved()
    const line = await put(storage, 'bob')
    assert.equal(await logRows(cellStore), 1)
    assert.deepEqual((await readFeed(storage.feed, since)).map(lineOf), [line])
    await storage.close()
  })
}

async function logRows(cellStore: CellStore): Promise<number> {
  const start = systemRowKey('log/')
  const end = endOfPrefix(start) as Uint8Array
  const filter = [{ family: 'data' }, { family: 'write' }] as const
  return (await Array.fromAsync(cellStore.scanRows({ start, end, filter }))).length
}

async function put(storage: Storage, name: string): Promise<string> {
  const transaction = await storage.begin()
  transaction.put(Buffer.from(`\u0001${name}`), '0', Buffer.from('v'))
  const { commitTs } = await transaction.commit()
  return `${commitTs}: ${name}`
}

async function openMemory(commit: 'one-phase' | 'two-phase'): Promise<FeedWorld> {
  const storage = await openStorage({ engine: 'memory', commit, retention: AT_ONCE })
  return { storages: [storage], close: () => storage.close() }
}

async function openDisk(): Promise<FeedWorld> {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'percolite-feed-'))
  const storage = await openStorage({ engine: 'sqlite', dataDirectory, retention: AT_ONCE })
  const close = async () => {
    await storage.close()
    await rm(dataDirectory, { recursive: true })
  }
  return { storages: [storage], close }
}

/** On a clock of their own: before it deletes, a collection waits minutes for what may be under way. */
async function openGateways(clock: () => Clock): Promise<FeedWorld> {
  const cellStore = new MemoryCellStore()
  const open = () => openGateway(cellStore, { clock: clock(), retention: AT_ONCE })
  const storages = [await open(), await open()] as const
  const close = async () => {
    for (const storage of storages) await storage.close()
    await cellStore.close()
  }
  return { storages, close }
}
