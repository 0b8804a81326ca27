// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { rowKey } from '../../../test/storage/cell-notation.ts'
import { ProtocolWorld } from '../../../test/storage/protocol-world.ts'
import { clearNotification, clearWeakNotification } from './clear-notification.ts'

/** Of a run of observer 7 that began at 28. */
const SEEN = { key: rowKey('bob'), observerId: 7, seenAt: 28, columns: ['0', '1'] }

describe('what a run of 28 clears of its notify cells', () => {
  const scenarios = [
    {
      name: 'is all up to its start, and nothing of other observers',
      given: ['bob write@25 -> 21 put a', 'bob.7 notify@21', 'bob.7 notify@28', 'bob.9 notify@21'],
      left: ['bob.9 notify@21'],
    },
    {
      name: 'is nothing that came after its start',
      given: ['bob write@33 -> 30 put a', 'bob.7 notify@21', 'bob.7 notify@30'],
      left: ['bob.7 notify@30'],
    },
    {
      name: 'is nothing of a writer that began before it and committed after it',
      given: ['bob write@33 -> 26 put a', 'bob.7 notify@21', 'bob.7 notify@26'],
      left: ['bob.7 notify@26'],
    },
    {
      name: 'is nothing of a writer that began before it and has not ended',
      given: ['bob.1 lock@24 primary=bob.1 put a', 'bob.7 notify@21', 'bob.7 notify@24'],
      left: ['bob.7 notify@24'],
    },
    {
      name: 'is what is older than the oldest of such writers',
      given: [
        'bob lock@24 primary=bob put a',
        'bob.1 write@35 -> 22 put b',
        'bob.7 notify@21',
        'bob.7 notify@22',
        'bob.7 notify@24',
      ],
      left: ['bob.7 notify@24', 'bob.7 notify@22'],
    },
    {
      name: 'does not depend on writers that began after it, nor on acknowledgments',
      given: [
        'bob lock@31 primary=bob put a',
        'bob.ack/9 write@36 -> 24 put 00000024',
        'bob.7 notify@21',
        'bob.7 notify@31',
      ],
      left: ['bob.7 notify@31'],
    },
  ]
  for (const { name, given, left } of scenarios) {
    test(name, async () => {
      const world = new ProtocolWorld(100)
      await world.given(...given)
      await clearNotification(world.cellStore, SEEN)
      const notified = (await world.cells()).filter((cell) => cell.includes('notify'))
      assert.deepEqual(notified, left)
    })
  }

  test('of weak ones is all up to its start, whoever is at work in the row', async () => {
    const world = new ProtocolWorld(100)
    await world.given('bob write@33 -> 26 put a', 'bob.7 notify@27', 'bob.7 notify@33')
    await clearWeakNotification(world.cellStore, SEEN)
    assert.deepEqual(await world.cells(), ['bob write@33 -> 26 put a', 'bob.7 notify@33'])
  })
})
