// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ManualClock } from '../../../test/manual-clock.ts'
import { LeapingClock } from '../../../test/storage/leaping-clock.ts'
import { MemoryCellStore } from '../../cells/memory/memory-cell-store.ts'
import { readPlainRow, setPlain } from '../../cells/plain-row.ts'
import { openGateway, type Storage } from '../../storage.ts'
import { encodeToken, tokenRow } from '../../transactions/protocol/tokens/token.ts'

const AT_ONCE = { retentionMs: 0, heldMsMax: 0 }
const KEY = Buffer.from('\u0001bob')

/** Gateways over one store, each on a clock of its own: collections wait minutes for what may be under way. */
async function openGateways(count: number) {
  const cellStore = new MemoryCellStore()
  const open = () => openGateway(cellStore, { clock: new LeapingClock(), retention: AT_ONCE })
  const gateways: Storage[] = []
  for (let at = 0; at < count; at += 1) gateways.push(await open())
  const close = async () => {
    for (const gateway of gateways) await gateway.close()
    await cellStore.close()
  }
  return { gateways, close }
}

async function write(storage: Storage, value: string): Promise<void> {
  const transaction = await storage.begin()
  transaction.put(KEY, '0', Buffer.from(value))
  await transaction.commit()
}

async function read(storage: Storage): Promise<string> {
  const transaction = await storage.begin()
  const row = await transaction.getRow(KEY, ['0'])
  transaction.rollback()
  return Buffer.from(row?.columns.get('0')?.value ?? []).toString()
}

test('gateways that collect at once all do, though the fence of one overtakes the snapshot of another', async (t) => {
  const { gateways, close } = await openGateways(3)
  t.after(close)
  for (let round = 1; round <= 5; round += 1) {
    await write(gateways[round % 3] as Storage, `${round}`)
    const reports = await Promise.all(gateways.map((gateway) => gateway.collectGarbage()))
    for (const { safePoint } of reports) assert.ok(safePoint > 0)
    for (const gateway of gateways) assert.equal(await read(gateway), `${round}`)
  }
})

test('a gateway that is closed does not wait until no other one could rely on the older safe point', async (t) => {
  const cellStore = new MemoryCellStore()
  t.after(() => cellStore.close())
  const gateway = await openGateway(cellStore, { clock: new ManualClock(), retention: AT_ONCE })
  await write(gateway, 'a')
  const collected = assert.rejects(gateway.collectGarbage(), { name: 'AbortError' })
  await setImmediate()
  await gateway.close()
  await collected
})

test('a collection takes away the tokens of gateways that ended without a word, and of no others', async (t) => {
  const cellStore = new MemoryCellStore()
  const ended = tokenRow('e'.repeat(32))
  const paused = tokenRow('f'.repeat(32))
  const now = Date.UTC(2026, 5, 1) * 1000
  const clock = new ManualClock({ wallMicros: now })
  const gateway = await openGateway(cellStore, { clock, retention: AT_ONCE })
  t.after(() => gateway.close())
  const renew = async (row: Uint8Array, renewal: number) => {
    const token = { lifeMs: 12_000, renewal, renewedAt: now, oldestSnapshot: undefined, url: '' }
    await cellStore.mutateRows([{ row, mutations: [setPlain(encodeToken(token))] }])
  }
  await renew(ended, 1)
  await renew(paused, 1)
  await passing(clock, gateway.collectGarbage())
  assert.notEqual(await readPlainRow(cellStore, ended), undefined, 'nobody knows yet that it ended')
  await clock.advance(3_540_000)
  await renew(paused, 2)
  await passing(clock, gateway.collectGarbage())
  assert.equal(await readPlainRow(cellStore, ended), undefined)
  assert.notEqual(await readPlainRow(cellStore, paused), undefined)
  assert.equal((await gateway.gateways.living(9)).length, 1)
})

test('a collection leaves what a transaction of another gateway reads', async (t) => {
  const cellStore = new MemoryCellStore()
  const clock = new ManualClock()
  const options = { clock, retention: { retentionMs: 0, heldMsMax: 3_600_000 } }
  const gateways = [await openGateway(cellStore, options), await openGateway(cellStore, options)]
  const [one, other] = gateways as [Storage, Storage]
  t.after(() => Promise.all(gateways.map((gateway) => gateway.close())))
  await write(one, 'old')
  const reader = await one.begin()
  for (let passed = 0; passed < RENEWED_WITHIN_MS; passed += 500) await clock.advance(500)
  await write(other, 'new')
  const { safePoint } = await passing(clock, other.collectGarbage())
  assert.equal(safePoint, reader.startTs)
  const row = await reader.getRow(KEY, ['0'])
  assert.equal(Buffer.from(row?.columns.get('0')?.value ?? []).toString(), 'old')
  reader.rollback()
})

test('of several gateways one collects in each interval, and another one when it has ended', async (t) => {
  const cellStore = new MemoryCellStore()
  const clock = new ManualClock()
  const open = () => openGateway(cellStore, { clock, collectionIntervalMs: INTERVAL_MS })
  const gateways = [await open(), await open(), await open()]
  t.after(() => Promise.all(gateways.map((gateway) => gateway.close())))
  const collected = async () => {
    const statuses = await Promise.all(gateways.map((gateway) => gateway.status()))
    return statuses.map(({ lastCollection }) => lastCollection?.safePoint)
  }
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 500) await clock.advance(500)
  }
  await pass(2 * INTERVAL_MS)
  const first = await collected()
  assert.equal(first.filter((safePoint) => safePoint !== undefined).length, 1)
  await gateways
    .splice(
      first.findIndex((safePoint) => safePoint !== undefined),
      1,
    )[0]
    ?.close()
  await pass(2 * INTERVAL_MS)
  assert.equal((await collected()).filter((safePoint) => safePoint !== undefined).length, 1)
})

async function passing<T>(clock: ManualClock, work: Promise<T>): Promise<T> {
  let isOver = false
  const over = () => {
    isOver = true
  }
  work.then(over, over)
  while (!isOver) await clock.advance(500)
  return await work
}

const INTERVAL_MS = 600_000
/** A gateway that writes nothing. */
const RENEWED_WITHIN_MS = 7_000
