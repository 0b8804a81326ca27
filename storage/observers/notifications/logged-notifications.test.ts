// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { ForwardingCellStore } from '../../../bench/engines/forwarding-cell-store.ts'
import { ManualClock } from '../../../test/manual-clock.ts'
import { SeededRandomness } from '../../../test/seeded-randomness.ts'
import { ObserverScene } from '../../../test/storage/observer-scene.ts'
import type { CellStore, RowScan } from '../../cells/cell-store.ts'
import { MemoryCellStore } from '../../cells/memory/memory-cell-store.ts'
import { openGateway } from '../../open-storage.ts'
import { tableIdOf } from '../../tables/bytes/key-encoding.ts'
import { eraseNotify, setNotify } from '../../transactions/records/notify-cell.ts'
import { LoggedNotifications } from './logged-notifications.ts'

const OBSERVER = 7
const RANGE = { observerId: OBSERVER, start: Uint8Array.of(1), end: Uint8Array.of(2) }
const { signal } = new AbortController()

/** Counts the walks over rows of tables for notify cells. */
class WalkCounter extends ForwardingCellStore {
  readonly atomicScope = 'row'
  walks = 0

  override scanRows(scan: RowScan) {
    const looksForAny = scan.filter.some(({ family }) => family === 'notify')
    if (looksForAny && tableIdOf(scan.start) !== undefined) this.walks += 1
    return super.scanRows(scan)
  }
}

async function gatewayOver(t: TestContext, cellStore: CellStore): Promise<ObserverScene> {
  const storage = await openGateway(cellStore, {})
  t.after(() => storage.close())
  return new ObserverScene(storage)
}

/** Two gateways over one store, of which the other one has looked for notifications of both observers already. */
async function twoGateways(t: TestContext) {
  const shared = new MemoryCellStore()
  const counter = new WalkCounter(shared)
  const [one, other] = [await gatewayOver(t, shared), await gatewayOver(t, counter)]
  await one.createTable()
  await one.createObserver('strong')
  const weakId = await one.createObserver('weak', 'text', true)
  assert.ok(await other.isIdle('strong', 1_000))
  assert.ok(await other.isIdle('weak', 1_000))
  return { one, other, weakId, counter, walksBefore: counter.walks }
}

describe('one gateway learns from the log, without a walk,', () => {
  test('of a row that another one has changed', async (t) => {
    const { one, other, counter, walksBefore } = await twoGateways(t)
    const leased = other.next('strong')
    await one.insert(2)
    assert.deepEqual((await leased).key, await one.key(2))
    assert.equal(counter.walks, walksBefore)
  })

  test('of a hint of a row that nobody has changed', async (t) => {
    const { one, other, weakId, counter, walksBefore } = await twoGateways(t)
    const leased = other.next('weak')
    await one.notify(2, weakId)
    assert.deepEqual((await leased).key, await one.key(2))
    assert.equal(counter.walks, walksBefore)
  })
})

function keyOf(row: number): Buffer {
  return Buffer.from([1, row >> 8, row & 255])
}

async function notify(cellStore: CellStore, ...rows: number[]): Promise<void> {
  for (const row of rows) {
    await cellStore.mutateRows([{ row: keyOf(row), mutations: [setNotify(OBSERVER, 10)] }])
  }
}

/** Notify cells in rows 1 and 2, which the first round, a walk, has found. */
async function walked() {
  const cellStore = new WalkCounter(new MemoryCellStore())
  await notify(cellStore, 1, 2)
  const clock = new ManualClock()
  const deps = { cellStore, clock, randomness: new SeededRandomness(3) }
  const source = new LoggedNotifications(deps, RANGE)
  assert.deepEqual(await round(source), [1, 2])
  return { cellStore, clock, source }
}

async function round(source: LoggedNotifications): Promise<number[]> {
  const rows: number[] = []
  for (;;) {
    const { found, isRoundOver } = await source.nextPage(signal)
    for (const { key } of found) rows.push(Buffer.from(key).readUInt16BE(1))
    if (isRoundOver) return rows.toSorted((a, b) => a - b)
  }
}

describe('the looks at what the log has named', () => {
  test('find what is named and what was found before, until it is cleared', async () => {
    const { cellStore, source } = await walked()
    await notify(cellStore, 3, 4)
    source.name(keyOf(3))
    source.name(keyOf(9))
    assert.deepEqual(await round(source), [1, 2, 3], 'nobody has named 4, and 9 has no cell')
    const mutations = [eraseNotify(OBSERVER, 11)]
    await cellStore.mutateRows([{ row: keyOf(2), mutations }])
    assert.deepEqual(await round(source), [1, 3])
    await notify(cellStore, 2)
    assert.deepEqual(await round(source), [1, 3], 'it was forgotten with its cell')
  })

  test('keep what is named while they read', async () => {
    const { cellStore, source } = await walked()
    source.name(keyOf(3))
    const page = source.nextPage(signal)
    await notify(cellStore, 3)
    source.name(keyOf(3))
    await page
    assert.deepEqual(await round(source), [1, 2, 3])
  })

  test('keep what could not be read', async () => {
    const { cellStore, source } = await walked()
    cellStore.readRows = () => Promise.reject(new Error('no answer'))
    await assert.rejects(source.nextPage(signal), /no answer/)
    Reflect.deleteProperty(cellStore, 'readRows')
    source.teleport()
    assert.deepEqual(await round(source), [1, 2])
  })

  test('are a walk again within an hour and a half, and when it is asked for', async () => {
    const { cellStore, clock, source } = await walked()
    await notify(cellStore, 3)
    assert.deepEqual(await round(source), [1, 2])
    await clock.advance(5_400_000)
    assert.deepEqual(await round(source), [1, 2, 3])
    await notify(cellStore, 4)
    source.walkSoon()
    assert.deepEqual(await round(source), [1, 2, 3, 4])
  })

  test('are a walk again when more was named than is remembered, and the rest is done', async () => {
    const { cellStore, source } = await walked()
    const all = Array.from({ length: 16_390 }, (_, row) => row)
    for (const row of all) source.name(keyOf(row))
    await notify(cellStore, 16_385)
    assert.deepEqual(await round(source), [1, 2])
    const mutations = [eraseNotify(OBSERVER, 11)]
    await cellStore.mutateRows([1, 2].map((row) => ({ row: keyOf(row), mutations })))
    assert.deepEqual(await round(source), [])
    assert.deepEqual(await round(source), [16_385])
  })
})
