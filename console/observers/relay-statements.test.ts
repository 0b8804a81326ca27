// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { isLate, pauseRelayOf, resumeRelayOf } from './relay-statements.ts'

test('a relay that lost its place is resumed from a snapshot, any other from where it was', () => {
  assert.equal(pauseRelayOf('my shop').sql, 'ALTER RELAY "my shop" PAUSE')
  const sqlOf = (stopped?: string) =>
    resumeRelayOf({ relay: 'shop', ...(stopped !== undefined && { stopped }) }).sql
  assert.match(sqlOf(), /RESUME$/)
  assert.match(sqlOf('relay_gone'), /RESUME$/)
  assert.match(sqlOf('relay_too_old'), /RESUME FROM SNAPSHOT$/)
  assert.match(sqlOf('history_replaced'), /RESUME FROM SNAPSHOT$/)
})

test('a relay is late from half of the retention on', () => {
  assert.deepEqual([isLate({ lagMs: 49 }, 100), isLate({ lagMs: 51 }, 100)], [false, true])
})
