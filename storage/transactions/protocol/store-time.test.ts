// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { ManualClock } from '../../../test/manual-clock.ts'
import { MemoryCellStore } from '../../cells/memory/memory-cell-store.ts'
import { openGateway, type Storage } from '../../storage.ts'

const HOUR_MS = 3_600_000
const DAYS_MS = 48 * HOUR_MS
const NOW = 1_800_000_000_000_000
const NEAR_MICROS = 10_000_000
const RETENTION = { retentionMs: HOUR_MS, heldMsMax: 0 }

/** Gateways over one store, each with a clock of its own that is so much ahead. */
function given(t: TestContext) {
  const cellStore = new MemoryCellStore()
  const clocks: ManualClock[] = []
  const opened = new Set<Storage>()
  t.after(async () => {
    for (const gateway of opened) await gateway.close()
    await cellStore.close()
  })
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 500) {
      for (const clock of clocks) await clock.advance(500)
      for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const open = async (aheadMs: number) => {
    const passedMs = clocks[0] === undefined ? 0 : (clocks[0].wallMicros() - NOW) / 1_000
    const clock = new ManualClock({ wallMicros: NOW + (passedMs + aheadMs) * 1_000 })
    const gateway = await openGateway(cellStore, { clock, retention: RETENTION })
    clocks.push(clock)
    opened.add(gateway)
    return { gateway, clock }
  }
  const close = async ({ gateway }: { gateway: Storage }) => {
    opened.delete(gateway)
    await gateway.close()
  }
  return { pass, open, close, cellStore }
}

async function write(storage: Storage): Promise<number> {
  const transaction = await storage.begin()
  transaction.put(Buffer.from('\u0001bob'), '0', Buffer.from('v'))
  const { commitTs } = await transaction.commit()
  return commitTs as number
}

const warnings = (storage: Storage) => storage.health.warnings.map(({ code }) => code)

test('a gateway whose clock is two days ahead moves neither the time of the store nor what others hold', async (t) => {
  const { pass, open } = given(t)
  const right = await open(0)
  const first = await write(right.gateway)
  const held = await right.gateway.begin()
  held.put(Buffer.from('\u0001joe'), '0', Buffer.from('v'))
  const wrong = await open(DAYS_MS)
  for (let round = 0; round < 40; round += 1) {
    await pass(1_000)
    for (const { gateway } of [wrong, right]) {
      const commitTs = await write(gateway)
      assert.ok(Math.abs(commitTs - right.clock.wallMicros()) < NEAR_MICROS, `round ${round}`)
    }
  }
  assert.equal((await right.gateway.gateways.living(9)).length, 2)
  assert.equal((await wrong.gateway.gateways.living(9)).length, 2)
  assert.deepEqual(warnings(wrong.gateway), ['clock_ahead'])
  assert.deepEqual(warnings(right.gateway), [])
  await held.commit()
  // Its retention counts from the time of the store, too.
  const collected = wrong.gateway.collectGarbage()
  await pass(180_000)
  assert.ok((await collected).safePoint < first)
  // Whose clock is right needs no flag.
  const third = await open(0)
  assert.ok(Math.abs((await write(third.gateway)) - right.clock.wallMicros()) < NEAR_MICROS)
})

test('a gateway that was restarted often with a clock ahead stays near the others', async (t) => {
  const { pass, open, close } = given(t)
  const right = await open(0)
  await write(right.gateway)
  for (let round = 0; round < 5; round += 1) {
    const wrong = await open(DAYS_MS)
    for (let at = 0; at < 20; at += 1) await write(wrong.gateway)
    await pass(1_000)
    await close(wrong)
  }
  assert.ok((await write(right.gateway)) - right.clock.wallMicros() < NEAR_MICROS)
})

test('the clock of a gateway counts that was left alone, when no other one has renewed its token for a while', async (t) => {
  const { pass, open, close } = given(t)
  const right = await open(0)
  await write(right.gateway)
  const other = await open(HOUR_MS)
  await write(other.gateway)
  await pass(5_000)
  assert.ok((await write(other.gateway)) < right.clock.wallMicros() + NEAR_MICROS)
  await close(right)
  await pass(30_000)
  await write(other.gateway)
  assert.ok(Math.abs((await write(other.gateway)) - other.clock.wallMicros()) < NEAR_MICROS)
  assert.deepEqual(warnings(other.gateway), [])
})

test('a store that rested for a day has the time again at once, where its gateways have stopped in order', async (t) => {
  const { open, close } = given(t)
  const before = await open(0)
  await write(before.gateway)
  await close(before)
  const { gateway, clock } = await open(24 * HOUR_MS)
  assert.ok(Math.abs((await write(gateway)) - clock.wallMicros()) < NEAR_MICROS)
})

test('gateways that rested for hours, and live, have the time again at once', async (t) => {
  const { pass, open } = given(t)
  const [one, other] = [await open(0), await open(0)]
  await write(one.gateway)
  await pass(120_000)
  await write(other.gateway)
  assert.ok(Math.abs((await write(other.gateway)) - one.clock.wallMicros()) < NEAR_MICROS)
})
