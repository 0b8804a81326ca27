// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import type { Notification, Transaction } from '../../../storage/storage.ts'
import { HeldNotification } from './held-notification.ts'

/** Notes how the notification behind it ended. */
function heldNotification() {
  const ends: string[] = []
  const notification: Partial<Notification> = {
    id: 'count-1',
    acknowledge: async () => 'pending',
    committed: async () => void ends.push('committed'),
    failed: async (error) => void ends.push(`failed: ${error}`),
    release: () => void ends.push('released'),
  }
  const held = new HeldNotification(notification as Notification, 1, () => ends.push('over'))
  return { held, ends }
}

function inState(state: Transaction['state']): Transaction {
  return { state } as Partial<Transaction> as Transaction
}

for (const [state, mayFollow] of [
  ['active', false],
  ['committing', false],
  ['committed', false],
  ['rolledBack', true],
  ['unknown', true],
] as const) {
  test(`after a transaction that is ${state}, another ${mayFollow ? 'may' : 'may not'} run it`, async () => {
    const { held } = heldNotification()
    await held.acknowledge(inState(state))
    const another = held.acknowledge(inState('active'))
    if (mayFollow) await another
    else await assert.rejects(another, { code: 'transaction_busy' })
  })
}

test('the first end counts, and it is over before it is done', async () => {
  const { held, ends } = heldNotification()
  held.committed()
  held.giveUp('too late')
  held.release()
  await held.done
  assert.deepEqual(ends, ['over', 'committed'])
})
