// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { ManualClock } from '../../../../test/manual-clock.ts'
import { NO_ADDRESS } from '../../../guard/budgets/client-key.ts'
import { Reservation } from '../../../guard/budgets/hold.ts'
import { Shares } from '../../../guard/budgets/shares.ts'
import { SERVER_LIMITS } from '../../../limits.ts'
import { ChangeLines } from './change-lines.ts'
import { SubscriptionFrame } from './subscription-frame.ts'

const FRAME = SubscriptionFrame.of('change', { changes: ['x'.repeat(1_000)] })

test('who takes a little of much now and then is slow, and not stuck', async () => {
  const clock = new ManualClock()
  const lines = new ChangeLines(clock, new Reservation(new Shares().unsentBytes, NO_ADDRESS))
  while (lines.isWritable) lines.send(FRAME)
  for (let minutes = 0; minutes < 5; minutes += 0.5) {
    await clock.advance(30_000)
    lines.body.read(1_000)
    await setImmediate()
    assert.equal(lines.stuckMs(), 0)
  }
})

test('who takes nothing is stuck, however little waits and whatever is added', async () => {
  const clock = new ManualClock()
  const lines = new ChangeLines(clock, new Reservation(new Shares().unsentBytes, NO_ADDRESS))
  assert.equal(lines.stuckMs(), 0)
  await clock.advance(SERVER_LIMITS.progressMs)
  assert.equal(lines.stuckMs(), 0)
  for (let times = 0; times <= 5; times += 1) {
    lines.send(FRAME)
    // The first one is asked for by whoever is to take it.
    await setImmediate()
    assert.equal(lines.stuckMs(), times * SERVER_LIMITS.progressMs)
    await clock.advance(SERVER_LIMITS.progressMs)
  }
  lines.body.read()
  assert.equal(lines.stuckMs(), 0)
})
