// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { openEmulatedStore } from '../../bench/engines/emulated-store.ts'
import { anyEmulator, type Emulator, skipReason } from '../../bench/engines/emulator.ts'
import { EtcdCluster, etcdSkipReason } from '../../bench/engines/etcd-cluster.ts'
import { openEtcdCellStore } from '../../engines/etcd/etcd-engine.ts'
import type { Row } from '../../storage/cells/cell.ts'
import type { CellStore } from '../../storage/cells/cell-store.ts'
import { decoratedStore } from '../../storage/cells/decorated-cell-store.ts'
import { openGateway, type Storage } from '../../storage/storage.ts'
import { isSharedLogRow } from '../../storage/transactions/feed/shared-log-row.ts'
import { RecordedFeed } from '../storage/recorded-feed.ts'
import { startCountingProxy } from './counting-proxy.ts'

const COMMITS = 200
const PAUSE_MS = 15
/** Most of it is what gRPC and the store put around the cells of eight ranges. */
const WIRE_BYTES_MAX = 1_500
const IDLE_MS = 10_000
const WINDOWS = 3

/** One store over the network, where it is, and how a gateway opens it at an address. */
type Place = {
  readonly address: string
  readonly open: (address: string) => Promise<CellStore>
}

async function openGateways(t: TestContext, { address, open }: Place) {
  const proxy = await startCountingProxy(t, address)
  const [near, far] = [await open(address), await open(proxy.address)]
  const log = { bytes: 0 }
  const writer = await openGateway(near)
  const reader = await openGateway(countingLog(far, log))
  t.after(async () => {
    await reader.close()
    await writer.close()
    await far.close()
    await near.close()
  })
  const requests = () => {
    return [...(far.requestsSent?.values() ?? [])].reduce((sum, one) => sum + one, 0)
  }
  return { writer, reader, near, bytes: proxy.bytes, log, requests }
}

/** Counts what is read of rows of the log. */
function countingLog(store: CellStore, log: { bytes: number }): CellStore {
  const count = (row: Row | null) => {
    if (row !== null && isSharedLogRow(row.key)) log.bytes += bytesOf(row)
    return row
  }
  return decoratedStore(store, {
    scanRanges: async function* (...scan) {
      for await (const row of store.scanRanges(...scan)) {
        count(row)
        yield row
      }
    },
    readRows: async (...read) => (await store.readRows(...read)).map(count),
  })
}

function bytesOf({ key, cells }: Row): number {
  return cells.reduce((sum, { value }) => sum + key.length + value.length, 0)
}

async function commit(storage: Storage, at: number): Promise<void> {
  const transaction = await storage.begin()
  for (const account of [at, at + 1]) {
    transaction.put(Buffer.from(`\u0001account-${account}`), '0', Buffer.from('balance'))
  }
  await transaction.commit()
}

/** `placeOf` is another store each time; after `restMs` without a commit a gateway is idle. */
function feedIsCheap(placeOf: (store: string) => Place, restMs = 0): void {
  test('a commit costs at most three rows of the log, however long the log is', async (t) => {
    const { writer, reader, near, bytes, log, requests } = await openGateways(t, placeOf('busy'))
    const recorded = new RecordedFeed(reader.feed, await reader.feed.resolved())
    while (!recorded.follower.isLive) await delay(10)
    const before = { ...bytes, log: log.bytes, requests: requests() }
    for (let at = 0; at < COMMITS; at += 1) {
      await commit(writer, at)
      await delay(PAUSE_MS)
    }
    while (recorded.lines.length < COMMITS) await delay(10)
    const each = (after: number, earlier: number) => (after - earlier) / COMMITS
    const row = (await logBytes(near)) / COMMITS
    const read = each(log.bytes, before.log)
    const received = each(bytes.received, before.received)
    const sent = each(bytes.sent, before.sent)
    t.diagnostic(
      `a commit: ${read} bytes of the log, whose row has ${row}; on the wire ${received} received ` +
        `and ${sent} sent, in ${each(requests(), before.requests)} requests`,
    )
    assert.equal(recorded.lines.length, COMMITS)
    assert.ok(read <= 3 * row, `${read} bytes of a row of ${row}`)
    assert.ok(received <= WIRE_BYTES_MAX, `${received} bytes on the wire`)
  })

  test('a gateway with a subscriber and nothing to tell asks seldom, and hears of the next commit', async (t) => {
    const { writer, reader, requests } = await openGateways(t, placeOf('idle'))
    const recorded = new RecordedFeed(reader.feed, await reader.feed.resolved())
    while (!recorded.follower.isLive) await delay(10)
    await commit(writer, 1)
    while (recorded.lines.length < 1) await delay(10)
    await delay(restMs)
    let idle = Number.POSITIVE_INFINITY
    // What comes every second or two falls once more often into some of the windows.
    for (let window = 1; window <= WINDOWS && idle > 10; window += 1) {
      const before = requests()
      await delay(IDLE_MS)
      idle = requests() - before
      t.diagnostic(`${idle} requests in ${IDLE_MS} ms`)
    }
    assert.ok(idle <= 10, `${idle} requests`)
    await commit(writer, 2)
    const sinceMs = performance.now()
    while (recorded.lines.length < 2) await delay(1)
    const tookMs = performance.now() - sinceMs
    t.diagnostic(`the next commit is told ${tookMs} ms after it`)
    assert.ok(tookMs < 5_000, `told after ${tookMs} ms`)
  })
}

describe('what a gateway that follows the log reads of etcd', { skip: etcdSkipReason() }, () => {
  let cluster: EtcdCluster
  before(async () => {
    cluster = await EtcdCluster.start()
  })
  after(() => cluster.close())

  feedIsCheap((store) => ({
    address: cluster.members[0] as string,
    open: (address) =>
      openEtcdCellStore({
        ...{ members: [address], prefix: `${store}/`, user: undefined, tls: undefined },
      }),
  }))
})

const noEmulator = skipReason(anyEmulator())
describe('what a gateway that follows the log reads of Bigtable', { skip: noEmulator }, () => {
  let emulator: Emulator
  before(async () => {
    emulator = await anyEmulator().start()
  })
  after(() => emulator.close())

  const placeOf = (store: string): Place => ({
    address: emulator.host,
    open: (host) => openEmulatedStore({ ...emulator, host }, store),
  })
  // Bigtable tells nobody of a change: the pauses between two looks grow up to 2 s.
  feedIsCheap(placeOf, 20_000)
})

/** Of all commits as they stand in the log. */
async function logBytes(store: CellStore): Promise<number> {
  let bytes = 0
  const scan = { start: Buffer.of(0), filter: [{ family: 'write' }] } as const
  for await (const row of store.scanRows(scan)) if (isSharedLogRow(row.key)) bytes += bytesOf(row)
  return bytes
}
