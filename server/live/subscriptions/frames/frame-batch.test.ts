// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import type { SubscriptionPlan } from '../../../../planner/planner.ts'
import type { SubscribedQuery } from '../matching/subscribed-query.ts'
import type { ChangeFrame } from './change-frames.ts'
import { FrameBatch } from './frame-batch.ts'
import { SubscriptionFrame } from './subscription-frame.ts'

const QUERY = {} as SubscribedQuery
const PLAN = {} as SubscriptionPlan
const LATER_PLAN = {} as SubscriptionPlan

function change(
  commitTs: number,
  more: { bytes?: number; plan?: SubscriptionPlan; next?: number },
) {
  const { bytes = 100, plan = PLAN, ...part } = more
  const frame = new SubscriptionFrame('change', `,${'x'.repeat(bytes - 1)}`)
  return { kind: 'frame', commitTs, query: QUERY, plan, frame, ...part } satisfies ChangeFrame
}

/** Of each batch the commits, in brackets where it is plain. */
function shapeOf(changes: readonly ChangeFrame[]): string[] {
  return FrameBatch.allOf(changes).map(({ frames, plan }) => {
    const commits = frames.map(({ commitTs }) => commitTs).join(' ')
    return plan === undefined ? commits : `[${commits}]`
  })
}

test('short frames of whole commits are put together, and others stand alone in their place', () => {
  assert.deepEqual(shapeOf([]), [])
  assert.deepEqual(shapeOf([change(1, {}), change(2, {}), change(3, {})]), ['[1 2 3]'])
  const long = change(2, { bytes: 20_000 })
  assert.deepEqual(shapeOf([change(1, {}), long, change(3, {})]), ['[1]', '2', '[3]'])
  const part = change(2, { next: 7 })
  assert.deepEqual(shapeOf([change(1, {}), part, change(2, {})]), ['[1]', '2', '[2]'])
})

test('a batch is seen as one plan, and is not longer than one write may be', () => {
  const replanned = change(2, { plan: LATER_PLAN })
  assert.deepEqual(shapeOf([change(1, {}), replanned, change(3, { plan: LATER_PLAN })]), [
    '[1]',
    '[2 3]',
  ])
  const large = (commitTs: number) => change(commitTs, { bytes: 16_000 })
  assert.deepEqual(shapeOf([1, 2, 3, 4, 5].map(large)), ['[1 2 3 4]', '[5]'])
})

test('what was made for an id is made once, until another id asks', () => {
  const [batch] = FrameBatch.allOf([change(1, {}), change(2, {})])
  assert.ok(batch)
  assert.deepEqual([batch.firstTs, batch.lastTs], [1, 2])
  let made = 0
  const encode = (frames: readonly SubscriptionFrame[], id: string) => {
    made += 1
    return Buffer.from(`${id} ${frames.length}`)
  }
  const first = batch.encoded('a', encode)
  assert.equal(batch.encoded('a', encode), first)
  assert.equal(String(first), 'a 2')
  assert.equal(String(batch.encoded('b', encode)), 'b 2')
  assert.equal(made, 2)
})
