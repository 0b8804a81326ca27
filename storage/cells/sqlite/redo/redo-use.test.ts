// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { unconditionalStep } from '../../embedded-cell-store.ts'
import type { QueuedBatch } from './plain-batch.ts'
import { type RedoLogUse, RedoUse } from './redo-use.ts'

const CELL = { family: 'data', qualifier: '0', timestamp: 1, value: Buffer.from('x') } as const
const STEP = unconditionalStep(Buffer.from('row'), [{ kind: 'setCell', ...CELL }])
const PLAIN: QueuedBatch = { batch: { kind: 'steps', steps: [STEP] }, bytes: 100 }
const when = [{ family: 'data' }] as const
const OTHER: QueuedBatch = { batch: { kind: 'steps', steps: [{ ...STEP, when }] }, bytes: 100 }

function given(use: RedoLogUse) {
  const policy = new RedoUse(use)
  const see = (count: number, batch: QueuedBatch) => {
    for (let left = count; left > 0; left -= 1) policy.saw(batch)
    return policy.isOn
  }
  return { policy, see }
}

test('the redo log is used once nearly all batches are plain, and no more when several others come together', () => {
  const { see } = given('auto')
  assert.equal(see(255, PLAIN), false)
  assert.equal(see(1, PLAIN), true)
  // As something that is not plain twice a second.
  for (let second = 0; second < 10; second += 1)
    assert.equal(see(2, OTHER) && see(128, PLAIN), true)
  assert.equal(see(4, OTHER), false)
  assert.equal(see(255, PLAIN), false)
  assert.equal(see(1, PLAIN), true)
})

test('where every second batch is another one the redo log is never used, and is again a thousand later', () => {
  const { see } = given('auto')
  for (let pair = 0; pair < 5_000; pair += 1) assert.equal(see(1, OTHER) || see(1, PLAIN), false)
  assert.equal(see(1_022, PLAIN), false)
  assert.equal(see(2, PLAIN), true)
})

test('once everything had to be flushed for a batch, the redo log is used again a thousand plain ones later', () => {
  const { policy, see } = given('auto')
  assert.equal(see(300, PLAIN), true)
  policy.flushedForOne()
  assert.equal(policy.isOn, false)
  assert.equal(see(1_023, PLAIN), false)
  assert.equal(see(1, PLAIN), true)
})

test('always and never are what they say', () => {
  const [always, never] = [given('always'), given('never')]
  assert.equal(always.policy.isOn, true)
  always.policy.flushedForOne()
  assert.equal(always.see(5_000, OTHER), true)
  assert.equal(never.see(5_000, PLAIN), false)
})
