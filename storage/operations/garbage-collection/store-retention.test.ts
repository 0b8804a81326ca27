// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { ManualClock } from '../../../test/manual-clock.ts'
import { MemoryCellStore } from '../../cells/memory/memory-cell-store.ts'
import { readPlainRow } from '../../cells/plain-row.ts'
import { openGateway, openStorage, type Storage } from '../../storage.ts'
import { FEATURES_ROW } from '../../transactions/history/format-features.ts'
import { RETENTION_ROW } from './store-retention.ts'

const HOUR_MS = 3_600_000
const KEY = Buffer.from('\u0001bob')
const signal = new AbortController().signal
const TO = { to: 'the other store', url: '', follow: false, compare: true }

async function write(storage: Storage, value: string): Promise<number> {
  const transaction = await storage.begin()
  transaction.put(KEY, '0', Buffer.from(value))
  const { commitTs } = await transaction.commit()
  assert.ok(commitTs !== null)
  return commitTs
}

async function readAt(storage: Storage, asOf: number): Promise<string> {
  const transaction = await storage.begin({ asOf })
  const row = await transaction.getRow(KEY, ['0'])
  transaction.rollback()
  return Buffer.from(row?.columns.get('0')?.value ?? []).toString()
}

class Gateways {
  readonly cellStore = new MemoryCellStore()
  readonly clock = new ManualClock()
  readonly #t: TestContext

  constructor(t: TestContext) {
    this.#t = t
  }

  /** One that was started with this retention. */
  async open(retentionMs: number): Promise<Storage> {
    const retention = { retentionMs, heldMsMax: 0 }
    const storage = await openGateway(this.cellStore, { clock: this.clock, retention })
    this.#t.after(() => storage.close())
    return storage
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 500) await this.clock.advance(500)
  }

  async collected(storage: Storage): Promise<number> {
    let safePoint: number | undefined
    const collecting = storage.collectGarbage().then((report) => {
      safePoint = report.safePoint
    })
    while (safePoint === undefined) await this.clock.advance(500)
    await collecting
    return safePoint
  }
}

describe('gateways over one store', () => {
  test('keep the history that its row says, whatever each was started with (G1)', async (t) => {
    const gateways = new Gateways(t)
    const first = await gateways.open(HOUR_MS)
    const hasty = await gateways.open(0)
    const old = await write(first, 'old')
    await write(first, 'new')
    await gateways.pass(60_000)
    const safePoint = await gateways.collected(hasty)
    assert.ok(safePoint < old, `${safePoint} has passed ${old}`)
    assert.equal(await readAt(first, old), 'old')
  })

  test('agree on one retention, however many make it at once', async (t) => {
    const gateways = new Gateways(t)
    const wanted = [1, 2, 3, 4, 5].map((hours) => hours * HOUR_MS)
    const opened = await Promise.all(wanted.map((retentionMs) => gateways.open(retentionMs)))
    const read = await Promise.all(opened.map((storage) => storage.retention.read()))
    const kept = new Set(read.map(({ retentionMs }) => retentionMs))
    assert.equal(kept.size, 1, [...kept].join())
    assert.ok(wanted.includes([...kept][0] as number))
  })

  test('a shorter one ends reads of what is older on all of them, and a longer one brings nothing back', async (t) => {
    const gateways = new Gateways(t)
    const [one, other] = [await gateways.open(HOUR_MS), await gateways.open(HOUR_MS)]
    const old = await write(one, 'old')
    await write(one, 'new')
    await gateways.pass(60_000)
    assert.equal(await readAt(other, old), 'old')
    const reader = await other.begin({ asOf: old })
    await one.retention.set(1_000, signal)
    assert.equal((await other.retention.read()).retentionMs, 1_000)
    assert.ok((await gateways.collected(other)) > old)
    await assert.rejects(readAt(one, old), { code: 'snapshot_too_old' })
    await assert.rejects(async () => await reader.getRow(KEY, ['0']), { code: 'snapshot_too_old' })
    reader.rollback()
    await other.retention.set(2 * HOUR_MS, signal)
    await assert.rejects(readAt(one, old), { code: 'snapshot_too_old' })
  })

  test('of a version that does not know the row refuse the store', async (t) => {
    const gateways = new Gateways(t)
    await gateways.open(HOUR_MS)
    const features = await readPlainRow(gateways.cellStore, FEATURES_ROW)
    assert.match(Buffer.from(features ?? []).toString(), /"retention"/)
    const row = await readPlainRow(gateways.cellStore, RETENTION_ROW)
    assert.equal(Buffer.from(row ?? []).toString('hex'), '000000000036ee80')
  })
})

test('a move takes the retention along, and what is set while it goes on', async (t) => {
  const retention = { retentionMs: HOUR_MS, heldMsMax: 0 }
  const old = await openStorage({ engine: 'memory', retention })
  t.after(() => old.close())
  await write(old, 'a')
  const target = new MemoryCellStore()
  let hasSet = false
  const onProgress = () => {
    if (hasSet) return
    hasSet = true
    void old.retention.set(2 * HOUR_MS, signal)
  }
  await old.moveTo(target, { ...TO, follow: true, onProgress })
  assert.ok(hasSet)
  await assert.rejects(old.retention.set(3 * HOUR_MS, signal), { code: 'moved' })
  const storage = await openGateway(target, { retention: { retentionMs: 1, heldMsMax: 0 } })
  t.after(() => storage.close())
  assert.equal((await storage.retention.read()).retentionMs, 2 * HOUR_MS)
})
