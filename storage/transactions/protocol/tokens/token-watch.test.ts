// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../../test/manual-clock.ts'
import { MemoryCellStore } from '../../../cells/memory/memory-cell-store.ts'
import { deletePlain, readPlainRow, setPlain } from '../../../cells/plain-row.ts'
import { openGateway } from '../../../storage.ts'
import { FEATURES_ROW } from '../../history/format-features.ts'
import { encodeStartTs } from '../../records/write-record.ts'
import { decodeToken, encodeToken, tokenRow } from './token.ts'
import { TokenWatch } from './token-watch.ts'

const OTHER = 'b'.repeat(32)
const NOW = 1_800_000_000_000_000
const DAYS_MS = 48 * 3_600_000
const TOKEN = { lifeMs: 2_000, renewedAt: NOW, oldestSnapshot: 7, url: 'http://10.0.0.4:4270' }

function given() {
  const [clock, cellStore] = [new ManualClock({ wallMicros: NOW }), new MemoryCellStore()]
  const write = async (value: Uint8Array) => {
    await cellStore.mutateRows([{ row: tokenRow(OTHER), mutations: [setPlain(value)] }])
  }
  const watch = () => new TokenWatch({ cellStore, clock }, 'a'.repeat(32))
  return { clock, cellStore, write, watch }
}

test('one has ended whose token is the same for longer than its life, on the clock of who looks (L1)', async () => {
  const { clock, write, watch } = given()
  const [early, late] = [watch(), watch()]
  await write(encodeToken({ ...TOKEN, renewal: 1 }))
  assert.equal(await early.hasEnded(OTHER), false)
  await clock.advance(2_000)
  assert.equal(await early.hasEnded(OTHER), false)
  await clock.advance(1)
  assert.equal(await early.hasEnded(OTHER), true)
  assert.equal(await late.hasEnded(OTHER), false, 'who comes later waits its life once')
  await write(encodeToken({ ...TOKEN, renewal: 2 }))
  assert.equal(await early.hasEnded(OTHER), false, 'it was only paused')
  await clock.advance(2_001)
  assert.equal(await early.hasEnded(OTHER), true)
  assert.equal(await late.hasEnded(OTHER), false)
})

test('one has ended at once whose token is gone', async () => {
  const { cellStore, write, watch } = given()
  await write(encodeToken({ ...TOKEN, renewal: 1 }))
  await cellStore.mutateRows([{ row: tokenRow(OTHER), mutations: [deletePlain()] }])
  assert.equal(await watch().hasEnded(OTHER), true)
})

test('an answer that was long on its way proves nothing about the time since it was asked for', async () => {
  const { clock, cellStore, write } = given()
  const read = cellStore.readRows.bind(cellStore)
  cellStore.readRows = async (keys, filter) => {
    const rows = await read(keys, filter)
    await clock.advance(5_000)
    return rows
  }
  const watch = new TokenWatch({ cellStore, clock }, 'a'.repeat(32))
  await write(encodeToken({ ...TOKEN, renewal: 1 }))
  assert.equal(await watch.hasEnded(OTHER), false)
  assert.equal(await watch.hasEnded(OTHER), false, 'it was the same at the two reads, 0 ms apart')
})

test('a token of an earlier version is read, with the longest life that it had', async () => {
  const { clock, write, watch } = given()
  const expiresAt = NOW + 12_000_000
  const url = Buffer.from(TOKEN.url)
  const old = Buffer.concat([encodeStartTs(expiresAt), encodeStartTs(7), url])
  assert.deepEqual(decodeToken(old), { ...TOKEN, lifeMs: 12_000, renewal: 0 })
  const early = watch()
  await write(old)
  assert.equal(await early.hasEnded(OTHER), false)
  await clock.advance(12_000)
  assert.equal(await early.hasEnded(OTHER), false)
  await clock.advance(1)
  assert.equal(await early.hasEnded(OTHER), true)
})

test('what is written is read, and an unknown form is refused', () => {
  const token = { ...TOKEN, renewal: 4_000_000_000 }
  assert.deepEqual(decodeToken(encodeToken(token)), token)
  const none = { ...token, oldestSnapshot: undefined, url: '' }
  assert.deepEqual(decodeToken(encodeToken(none)), none)
  const later = Buffer.from(encodeToken(token))
  later[0] = 2
  assert.throws(() => decodeToken(later), { rule: 'L1' })
})

test('a gateway is not unseated by another one that moves the time of the store by days', async (t) => {
  const cellStore = new MemoryCellStore()
  const clocks = [NOW, NOW + DAYS_MS * 1_000].map((wallMicros) => new ManualClock({ wallMicros }))
  const [here, ahead] = clocks as [ManualClock, ManualClock]
  const right = await openGateway(cellStore, { clock: here })
  t.after(() => right.close())
  const held = await right.begin()
  const wrong = await openGateway(cellStore, { clock: ahead, acceptClock: true })
  t.after(() => wrong.close())
  const moved = await wrong.begin()
  assert.ok(moved.startTs - held.startTs > DAYS_MS * 900, 'the time of the store has moved')
  for (let second = 0; second < 40; second += 1) {
    for (const clock of clocks) await clock.advance(1_000)
    assert.equal((await wrong.gateways.living(9)).length, 2, `after ${second} s`)
    assert.equal((await right.gateways.living(9)).length, 2, `after ${second} s`)
    assert.equal((await wrong.gateways.placeOf(held.id)).kind, 'elsewhere')
    assert.equal((await right.gateways.placeOf(moved.id)).kind, 'elsewhere')
  }
  held.rollback()
  moved.rollback()
})

test('a store with tokens that say their life is refused by an earlier version', async (t) => {
  const cellStore = new MemoryCellStore()
  const gateway = await openGateway(cellStore, {})
  t.after(() => gateway.close())
  const names = Buffer.from((await readPlainRow(cellStore, FEATURES_ROW)) ?? '').toString()
  assert.ok(JSON.parse(names).includes('token-life'))
})
