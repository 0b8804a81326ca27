// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../test/manual-clock.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import { DiskWatch } from './disk-watch.ts'

test('below diskBytesMin, or 5 % of a small disk, what makes the store larger is refused', async (t) => {
  const { diskBytesMin } = STORAGE_LIMITS
  const GIB = 2 ** 30
  const use = { freeBytes: 0, sizeBytes: 0 }
  const clock = new ManualClock()
  const log = { info() {}, warn() {}, error() {} }
  const watch = new DiskWatch({ cellStore: { diskUse: async () => use } as CellStore, clock, log })
  await watch.start()
  t.after(() => watch.stop())
  for (const [sizeBytes, reserveBytes] of [
    [100 * GIB, diskBytesMin],
    [GIB, 0.05 * GIB],
  ] as const) {
    for (const [more, code] of [
      [-1, 'disk_full'],
      [1, undefined],
    ] as const) {
      Object.assign(use, { sizeBytes, freeBytes: Math.floor(reserveBytes) + more })
      await clock.advance(1_000)
      assert.equal(watch.refusal?.code, code, `${use.freeBytes} of ${sizeBytes}`)
    }
  }
})
