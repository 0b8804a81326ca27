// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ManualClock } from '../../../test/manual-clock.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import { ConflictLog } from './conflict-log.ts'

const { conflictsMax } = SERVER_LIMITS

function conflictOf(loser: number) {
  const row = Uint8Array.of(1, 2, loser & 255)
  return { kind: 'row', met: 'write', table: 'account', row, loser, winner: loser + 1 } as const
}

describe('the log of conflicts', () => {
  it('keeps the last thousand, the newest first, and counts them all', () => {
    const log = new ConflictLog(new ManualClock())
    for (let loser = 1; loser <= conflictsMax + 5; loser += 1) log.add(conflictOf(loser))
    const losers = [...log.recent()].map(({ loser }) => loser)
    assert.equal(log.total, conflictsMax + 5)
    assert.equal(losers.length, conflictsMax)
    assert.deepEqual([losers[0], losers.at(-1)], [conflictsMax + 5, 6])
  })

  it('notes which run it was and that another followed, of those that it still has', () => {
    const log = new ConflictLog(new ManualClock())
    for (let loser = 1; loser <= conflictsMax + 1; loser += 1) log.add(conflictOf(loser))
    for (const loser of [1, conflictsMax, 77_777]) {
      log.failedAttempt(loser, 3)
      log.ranAgain(loser)
      log.ranAgain(loser)
    }
    const noted = [...log.recent()].filter(({ attempt, retried }) => attempt === 3 || retried)
    assert.deepEqual(
      noted.map(({ loser, attempt, retried }) => [loser, attempt, retried]),
      [[conflictsMax, 3, true]],
    )
    const retried = log.hot().rows.reduce((sum, row) => sum + row.retried, 0)
    assert.equal(retried, 1)
  })

  it('holds no bytes of a request', () => {
    const log = new ConflictLog(new ManualClock())
    const conflict = conflictOf(7)
    log.add(conflict)
    conflict.row.fill(0)
    const [kept] = log.recent()
    assert.deepEqual(kept?.row, Uint8Array.of(1, 2, 7))
  })
})
