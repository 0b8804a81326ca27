// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../test/manual-clock.ts'
import { MemoryCellStore } from '../../cells/memory/memory-cell-store.ts'
import { silentLog } from '../../storage-log.ts'
import { EmbeddedOracle } from './embedded-oracle.ts'
import { SharedOracle } from './shared-oracle.ts'

const HOUR_MS = 3_600_000
const NOON = Date.UTC(2026, 0, 1, 12) * 1000

for (const [kind, Oracle] of [
  ['embedded', EmbeddedOracle],
  ['shared', SharedOracle],
] as const) {
  /** A store whose newest timestamp is of noon, give or take a second, opened by a clock that is off by so much. */
  const opened = async (offMs: number, acceptClock?: boolean) => {
    const cellStore = new MemoryCellStore()
    const before = { cellStore, clock: new ManualClock({ wallMicros: NOON }), log: silentLog }
    const first = await Oracle.open(before)
    await first.next()
    await first.close()
    const clock = new ManualClock({ wallMicros: NOON + offMs * 1000 })
    const oracle = await Oracle.open({ cellStore, clock, log: silentLog, acceptClock })
    const { timestamp } = await oracle.next()
    await oracle.close()
    return timestamp
  }

  test(`${kind}: a clock from an hour below to 30 days above the newest timestamp starts`, async () => {
    for (const offMs of [-0.99 * HOUR_MS, 0, 29.9 * 24 * HOUR_MS]) {
      assert.ok((await opened(offMs)) > NOON)
    }
  })

  test(`${kind}: a clock further off is refused, with both times, and accepted where that is said`, async () => {
    await assert.rejects(opened(-2 * HOUR_MS), {
      code: 'clock_not_plausible',
      message: /says 2026-01-01T10:00:00.000Z, which is 2 h before the newest timestamp.*12:00:0/,
    })
    await assert.rejects(opened(31 * 24 * HOUR_MS), {
      code: 'clock_not_plausible',
      message: /31 days after the newest timestamp/,
    })
    assert.ok((await opened(-2 * HOUR_MS, true)) > NOON, 'timestamps ascend')
    const ahead = 31 * 24 * HOUR_MS
    assert.ok(Math.abs((await opened(ahead, true)) - NOON - ahead * 1000) <= 1)
  })
}

test('a new store has nothing to compare a clock with', async () => {
  const clock = new ManualClock({ wallMicros: Date.UTC(2036, 0, 1) * 1000 })
  const oracle = await EmbeddedOracle.open({
    cellStore: new MemoryCellStore(),
    clock,
    log: silentLog,
  })
  assert.equal((await oracle.next()).timestamp, clock.wallMicros())
})
