// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PercoliteError } from '../errors.ts'
import { AppliedStamp } from './applied-stamp.ts'

test('a write waits for its own stamp or a later one, and for nothing before', async () => {
  const applied = new AppliedStamp()
  applied.reach(10)
  await applied.until(10)
  const done: number[] = []
  const waits = [12, 15].map((stamp) => applied.until(stamp).then(() => done.push(stamp)))
  assert.equal(applied.wanted, 15)
  applied.reach(11)
  await Promise.resolve()
  assert.deepEqual(done, [])
  applied.reach(13)
  await waits[0]
  assert.deepEqual([done, applied.wanted], [[12], 15])
  applied.reach(15)
  await waits[1]
  assert.equal(applied.wanted, undefined)
})

test('a write whose rows do not come in time is an error that says that it was committed', async () => {
  const applied = new AppliedStamp()
  await assert.rejects(applied.until(12, 10), (error: PercoliteError) => {
    assert.deepEqual([error.code, error.commitTimestamp], ['request_timed_out', 12])
    assert.match(error.message, /was committed at 12, .* not come within 10 ms/)
    return error.committed
  })
  assert.equal(applied.wanted, undefined)
})

test('what ends the rows ends the wait: with its error, and without one where nobody looks', async () => {
  const failed = new AppliedStamp()
  const waiting = failed.until(12)
  failed.end(new Error('no such table'))
  for (const wait of [waiting, failed.until(13)]) {
    await assert.rejects(wait, { message: /committed at 1[23], .*no such table/ })
  }
  const left = new AppliedStamp()
  const last = left.until(12)
  left.end()
  await Promise.all([last, left.until(13)])
})
