// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import { openGateway } from '../../../storage/storage.ts'
import { ManualClock } from '../../manual-clock.ts'

const NOW = 1_800_000_000_000_000
const DAYS_MICROS = 48 * 3_600_000_000
const SECONDS = 30

/**
 * Two gateways live, and the clock of each is days apart from that of the other one; the one ahead moves the time of
 * the store. Neither takes the other for dead, until one ends without a word: that one is known to be dead soon.
 */
export async function gatewaysLiveWithClocksApart(): Promise<void> {
  const cellStore = new MemoryCellStore()
  const here = new ManualClock({ wallMicros: NOW })
  const ahead = new ManualClock({ wallMicros: NOW + DAYS_MICROS })
  const right = await openGateway(cellStore, { clock: here })
  const held = await right.begin()
  const wrong = await openGateway(cellStore, { clock: ahead, acceptClock: true })
  const moved = await wrong.begin()
  for (let second = 0; second < SECONDS; second += 1) {
    for (const clock of [here, ahead]) await clock.advance(1_000)
    for (const gateway of [right, wrong]) {
      assert.equal((await gateway.gateways.living(9)).length, 2, 'both live')
    }
    const places = [
      await wrong.gateways.placeOf(held.id),
      await right.gateways.placeOf(moved.id),
    ].map(({ kind }) => kind)
    assert.deepEqual(places, ['elsewhere', 'elsewhere'], 'what they hold is not lost')
  }
  // As after SIGKILL: its clock stands still, so it renews nothing.
  for (let second = 0; second < SECONDS; second += 1) {
    await ahead.advance(1_000)
    await wrong.gateways.living(9)
  }
  assert.equal((await wrong.gateways.placeOf(held.id)).kind, 'nowhere')
  for (const transaction of [held, moved]) transaction.rollback()
  await right.close()
  await wrong.close()
}
