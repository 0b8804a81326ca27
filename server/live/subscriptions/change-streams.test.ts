// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict'
import test from 'node:test'
import { pino } from 'pino'
import { ManualClock } from '../../../test/manual-clock.ts'
import { FaultLog } from '../../errors/fault-log.ts'
import { Shares } from '../../guard/budgets/shares.ts'
import { TurnQueue } from '../../guard/budgets/turns.ts'
import { RunningRequest } from '../../requests/prepared/running-request.ts'
import { ChangeStreams } from './change-streams.ts'
import { SubscriptionFrame } from './frames/subscription-frame.ts'
import type { Subscriptions } from './subscriptions.ts'

/** Says that each subscription stands, and never anything else. */
const SILENT: Pick<Subscriptions, 'serve'> = {
  async serve(_request, sink, { signal }) {
    sink.send(SubscriptionFrame.of('subscribed', {}))
    return new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
    })
  },
}

test('more answers of changes than may be open are refused, until one ends', async (t) => {
  const clock = new ManualClock()
  const faults = new FaultLog(pino({ level: 'silent' }), () => undefined)
  const shares = new Shares({ changeStreamsMax: 80 })
  const audit = { answered: () => {} }
  const streams = new ChangeStreams({ subscriptions: SILENT, shares, clock, audit, faults })
  t.after(() => streams.close())
  const open = (running = new RunningRequest()) => streams.open({ sql: '' }, running)
  const first = new RunningRequest()
  const body = await open(first)
  await Promise.all(Array.from({ length: 59 }, () => open()))
  let ended = 0
  const keeper = {
    shares,
    turnQueue: new TurnQueue(clock),
    limitsOf: () => ({}),
    armed: () => {},
    ended: () => {
      ended += 1
    },
  }
  const refused = new RunningRequest({ keeper })
  refused.arm()
  const fields = { limit: 'changeStreamsMax', limitValue: 60, actual: 61 }
  await assert.rejects(open(refused), { code: 'client_overloaded', fields })
  assert.equal(ended, 1, 'a stopping server does not wait for it')
  first.abort(new Error('The client left.'))
  for await (const _chunk of body);
  await open()
})
