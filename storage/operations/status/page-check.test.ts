// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../test/manual-clock.ts'
import type { CellStore, StoreCopier } from '../../cells/cell-store.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import { PageCheck } from './page-check.ts'

const HOUR_MS = 3_600_000

test('a check ends where the log becomes long or the disk small, begins again in an hour, and tells a bounded part', async () => {
  const clock = new ManualClock()
  const opened: Array<PromiseWithResolvers<string[]>> = []
  const said: string[] = []
  const say = (_: object, message: string) => void said.push(message)
  const check = new PageCheck({
    cellStore: {
      wasKilled: true,
      openCopier(options) {
        assert.deepEqual(options, { isInBackground: true })
        const answer = Promise.withResolvers<string[]>()
        opened.push(answer)
        const close = async () => answer.reject(new Error('killed'))
        return { pageProblems: () => answer.promise, close } as Partial<StoreCopier> as StoreCopier
      },
    } as Partial<CellStore> as CellStore,
    clock,
    log: { info: say, warn: say, error: say },
  })
  // A function, so that TypeScript does not take it for what it was.
  const status = () => check.status
  check.start()
  assert.equal(status(), undefined)
  await clock.advance(1_000)
  const { pageCheckLogBytesMax: max } = STORAGE_LIMITS
  const ofDisk = { sizeBytes: 8 * max, storeBytes: max }
  const inTheWay = [
    { logBytes: max + 1, freeBytes: 4 * max },
    { logBytes: 10_000, freeBytes: 9_999 },
  ]
  for (const [round, use] of inTheWay.entries()) {
    check.look({ ...ofDisk, logBytes: max, freeBytes: max })
    await clock.advance(0)
    assert.equal(status()?.state, 'running')
    check.look({ ...ofDisk, ...use })
    await clock.advance(HOUR_MS - 1)
    assert.deepEqual([status()?.state, opened.length], ['stopped', round + 1])
    await clock.advance(1)
    assert.equal(opened.length, round + 2)
  }
  assert.equal(status()?.state, 'running')
  opened[2]?.resolve(Array.from({ length: 100 }, (_, at) => `page ${at}\n`.repeat(100)))
  await clock.advance(0)
  assert.deepEqual([status()?.state, status()?.problems.length], ['damaged', 20])
  assert.ok(status()?.problems.every(({ length }) => length === 200))
  assert.equal(said.length, 3)
  await clock.advance(2 * HOUR_MS)
  assert.equal(opened.length, 3)
  await check.stop()
})
