// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keyString } from '../../cells/row-key.ts'
import { NotificationQueue, type QueuedNotification } from './notification-queue.ts'

const BOB = Buffer.from('bob')
const JOE = Buffer.from('joe')

function taken(queue: NotificationQueue, untilMs?: number): QueuedNotification {
  const notification = queue.take(untilMs)
  assert.ok(notification !== undefined)
  return notification
}

test('a row that is offered twice is there once, and not while somebody has it', () => {
  const queue = new NotificationQueue()
  queue.offer({ key: BOB, timestamp: 5 })
  queue.offer({ key: BOB, timestamp: 6 })
  const bob = taken(queue)
  queue.offer({ key: BOB, timestamp: 5 })
  assert.equal(queue.take(), undefined)
  queue.end(bob)
  assert.equal(queue.take(), undefined)
})

test('a change that comes while its row is run makes it ready again afterwards', () => {
  const queue = new NotificationQueue()
  queue.offer({ key: BOB, timestamp: 5 })
  const bob = taken(queue)
  queue.offer({ key: BOB, timestamp: 7 })
  queue.end(bob)
  assert.equal(queue.take()?.timestamp, 7)
})

test('a change of this process counts as one whatever its timestamp', () => {
  const queue = new NotificationQueue()
  queue.offer({ key: BOB, timestamp: 5 })
  const bob = taken(queue)
  queue.offer({ key: BOB, timestamp: 4 }, 'isNews')
  queue.end(bob)
  assert.equal(queue.take()?.timestamp, 4)
})

test('what is delayed is ready when it is due, with what it has gone through', () => {
  const queue = new NotificationQueue()
  queue.offer({ key: BOB, timestamp: 5 })
  queue.delay(taken(queue), { dueMs: 100, failures: 1 })
  queue.offer({ key: BOB, timestamp: 5 })
  assert.equal(queue.turnDue(99), 100)
  assert.equal(queue.take(), undefined)
  assert.equal(queue.turnDue(100), undefined)
  const { failures, tries } = taken(queue)
  assert.deepEqual({ failures, tries }, { failures: 1, tries: 1 })
})

test('what is held for too long is given to the next, and its holder has lost it', () => {
  const queue = new NotificationQueue()
  queue.offer({ key: BOB, timestamp: 5 })
  const late = taken(queue, 50)
  assert.equal(queue.turnDue(10), 50)
  queue.turnDue(50)
  assert.ok(!queue.isHeld(late))
  assert.ok(queue.isHeld(taken(queue)))
})

test('what is dead is not offered again but by a newer cell', () => {
  const queue = new NotificationQueue()
  queue.setDead(new Map([[keyString(BOB), 5]]))
  queue.offer({ key: BOB, timestamp: 5 })
  assert.equal(queue.take(), undefined)
  queue.offer({ key: BOB, timestamp: 6 })
  queue.bury(taken(queue))
  queue.offer({ key: BOB, timestamp: 6 })
  assert.equal(queue.take(), undefined)
})

test('what there is no room for is left out, and that is told once', () => {
  const queue = new NotificationQueue()
  for (let row = 0; row < 5_000; row += 1) queue.offer({ key: Buffer.from(`${row}`), timestamp: 5 })
  assert.ok(queue.takeHasLeftOut())
  assert.ok(!queue.takeHasLeftOut())
})

test('resuming makes ready at once what is delayed', () => {
  const queue = new NotificationQueue()
  queue.offer({ key: BOB, timestamp: 5 })
  queue.offer({ key: JOE, timestamp: 5 })
  queue.delay(taken(queue), { dueMs: 1e9, failures: 3 })
  queue.hasten()
  assert.deepEqual([taken(queue).key, taken(queue).key], [JOE, BOB])
})

test('a dead row that has been run after all is no longer remembered as dead', () => {
  const queue = new NotificationQueue()
  queue.offer({ key: BOB, timestamp: 5 })
  queue.bury(taken(queue))
  queue.offer({ key: BOB, timestamp: 5 })
  assert.equal(queue.take(), undefined)
  queue.offer({ key: BOB, timestamp: 6 })
  queue.end(taken(queue))
  queue.offer({ key: BOB, timestamp: 5 })
  assert.equal(queue.take()?.timestamp, 5)
})
