// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { retentionLine } from './retention-line.ts'

const HOUR = 3_600_000_000

describe('the line of the retention', () => {
  it('goes from the safe point to now, with the oldest snapshot on it', () => {
    const now = 100 * HOUR
    const status = { timestamp: now, safePoint: now - 24 * HOUR, historyFrom: 0 }
    const { marks, text } = retentionLine({ ...status, oldestSnapshot: now - 6 * HOUR })
    assert.deepEqual(
      marks.map(({ name, percent }) => [name, percent]),
      [
        ['safe point', 0],
        ['oldest snapshot', 75],
        ['now', 100],
      ],
    )
    assert.equal(
      text,
      'The past can be read 1 d back; the oldest snapshot that is open is 6 h old.',
    )
  })

  it('begins with the database, where all of it can be read', () => {
    const status = { timestamp: 5 * HOUR, safePoint: 0, historyFrom: 5 * HOUR }
    const { marks, text } = retentionLine({ ...status, oldestSnapshot: 6 * HOUR })
    assert.match(text, /no open snapshot holds old versions\.$/)
    assert.deepEqual(
      marks.map(({ name, percent }) => [name, percent]),
      [
        ['begin of the database', 0],
        ['oldest snapshot', 100],
        ['now', 100],
      ],
    )
  })
})
