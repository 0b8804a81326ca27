// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { retentionOf, STEPS, stampAt, stepOf } from './as-of.ts'

const DAY = 86_400_000_000

describe('the slider over the past', () => {
  it('reaches as far back as versions are kept, and not before the database', () => {
    const status = { timestamp: 10 * DAY, safePoint: 0, historyFrom: 0, retentionMs: DAY / 1_000 }
    assert.deepEqual(retentionOf(status), { oldest: 9 * DAY, now: 10 * DAY })
    assert.equal(retentionOf({ ...status, retentionMs: 3_600_000 }).oldest, 10 * DAY - DAY / 24)
    assert.equal(retentionOf({ ...status, safePoint: 9 * DAY + 5 }).oldest, 9 * DAY + 5)
    assert.equal(retentionOf({ ...status, historyFrom: 10 * DAY - 1 }).oldest, 10 * DAY - 1)
  })

  it('is at the present at its end, and at a stamp everywhere else', () => {
    const retention = { oldest: 1_000_000, now: 2_000_000 }
    assert.equal(stampAt(retention, STEPS), undefined)
    assert.equal(stampAt(retention, 0), 1_000_000)
    for (const step of [0, 1, 500, 999]) {
      assert.equal(stepOf(retention, stampAt(retention, step)), step)
    }
    assert.equal(stepOf(retention, undefined), STEPS)
    assert.equal(stepOf(retention, 5), 0)
    assert.equal(stepOf(retention, 9_000_000), STEPS - 1)
  })
})
