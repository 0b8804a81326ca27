// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { openEmulatedStore } from '../../bench/engines/emulated-store.ts'
import { anyEmulator, type Emulator, skipReason } from '../../bench/engines/emulator.ts'
import { EtcdCluster, etcdSkipReason } from '../../bench/engines/etcd-cluster.ts'
import { openEtcdCellStore } from '../../engines/etcd/etcd-engine.ts'
import { systemClock } from '../../storage/clock.ts'
import { type CellStore, openGateway, type Storage } from '../../storage/storage.ts'

const ROWS = 1_000
const VERSIONS = 3
const BATCH = 50
const RETENTION = { retentionMs: 0, heldMsMax: 0 }
/** How often a gateway looks whether there is something to collect. */
const INTERVAL_MS = 5_000
/** The two waits of a collection, in which it sends nothing: for leases of the fence, and for late requests. */
const LONG_WAIT_MS = 25_000

/** What gateways send while there is nothing to do, at each interval, and for what there is. */
type Most = { readonly idle: number; readonly garbage: number }

/** The waits of a collection are left out. */
const clock = {
  ...systemClock,
  sleep: async (ms: number, signal?: AbortSignal) => {
    const isWait = ms === 120_000 || (ms > LONG_WAIT_MS && ms < 60_000)
    await systemClock.sleep(isWait ? 10 : ms, signal)
  },
}

function sentBy({ requestsSent }: CellStore): number {
  return [...(requestsSent?.values() ?? [])].reduce((sum, count) => sum + count, 0)
}

async function fill(storage: Storage): Promise<void> {
  for (let version = 0; version < VERSIONS; version += 1) {
    for (let first = 0; first < ROWS; first += BATCH) {
      const transaction = await storage.begin()
      for (let at = first; at < first + BATCH; at += 1) {
        const key = Buffer.from(`\u0001row-${String(at).padStart(6, '0')}`)
        transaction.put(key, '0', Buffer.from(`version ${version}`))
      }
      await transaction.commit()
    }
  }
}

async function untilCollected(gateways: readonly Storage[]): Promise<Storage> {
  for (;;) {
    const found = gateways.find((one) => one.status().lastCollection !== undefined)
    if (found !== undefined) return found
    await delay(100)
  }
}

async function collectionsAreCheap(
  t: TestContext,
  open: () => Promise<CellStore>,
  most: Most,
): Promise<void> {
  const stores = [await open(), await open()]
  const sent = () => stores.reduce((sum, store) => sum + sentBy(store), 0)
  const [writer] = stores as [CellStore, CellStore]
  const filling = await openGateway(writer, { clock, retention: RETENTION })
  await fill(filling)
  await filling.close()
  const options = { clock, retention: RETENTION, collectionIntervalMs: INTERVAL_MS }
  const gateways = await Promise.all(stores.map((store) => openGateway(store, options)))
  t.after(async () => {
    for (const gateway of gateways) await gateway.close()
    for (const store of stores) await store.close()
  })
  const before = sent()
  const collecting = await untilCollected(gateways)
  const garbage = sent() - before
  const { lastCollection } = collecting.status()
  t.diagnostic(
    `${garbage} requests of two gateways for ${lastCollection?.rowsCollected} rows with ${VERSIONS} versions each, ` +
      `of ${lastCollection?.rowsExamined} in the store`,
  )
  assert.ok((lastCollection?.rowsCollected ?? 0) >= ROWS)
  assert.ok(garbage <= most.garbage, `${garbage} requests`)
  // One more may still be due, for what the first one has left in the log.
  await delay(3 * INTERVAL_MS)
  const rested = sent()
  await delay(4 * INTERVAL_MS)
  const idle = (sent() - rested) / 4
  t.diagnostic(`${idle} requests of two gateways in ${INTERVAL_MS} ms with nothing to collect`)
  assert.ok(idle <= most.idle, `${idle} requests`)
}

describe('collections over an etcd', { skip: etcdSkipReason() }, () => {
  let cluster: EtcdCluster
  before(async () => {
    cluster = await EtcdCluster.start(1)
  })
  after(() => cluster.close())

  test('cost what there is to collect, and next to nothing without', async (t) => {
    const { members } = cluster
    const open = () =>
      openEtcdCellStore({ members, prefix: 'collect/', user: undefined, tls: undefined })
    await collectionsAreCheap(t, open, { idle: 30, garbage: 150 })
  })
})

describe('collections over Bigtable', { skip: skipReason(anyEmulator()) }, () => {
  let emulator: Emulator
  before(async () => {
    emulator = await anyEmulator().start()
  })
  after(() => emulator.close())

  test('cost what there is to collect, and next to nothing without', async (t) => {
    const open = () => openEmulatedStore(emulator, 'collect')
    await collectionsAreCheap(t, open, { idle: 30, garbage: 75 })
  })
})
