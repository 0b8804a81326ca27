// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { OWNER_A, rowKey } from '../../../test/storage/cell-notation.ts'
import { ProtocolWorld } from '../../../test/storage/protocol-world.ts'
import { findPendingChange } from './pending-change.ts'

/** What observer 7 has still to see of Bob at 40, when it has acknowledged so much. */
async function pendingIn(world: ProtocolWorld, acknowledged = 0, readTs = 40) {
  const { resolver } = world.b
  const parts = { cellStore: world.cellStore, settle: resolver.settle.bind(resolver) }
  const row = { key: rowKey('bob'), observerId: 7, acknowledged, readTs }
  return await findPendingChange(parts, row)
}

describe('the change that an observer has still to see', () => {
  const scenarios = [
    {
      name: 'is one that is notified and not acknowledged',
      given: ['bob.7 notify@21', 'bob write@25 -> 21 put a'],
      acknowledged: 0,
      expected: 25,
    },
    {
      name: 'is none that is acknowledged',
      given: ['bob.7 notify@21', 'bob write@25 -> 21 put a'],
      acknowledged: 28,
      expected: undefined,
    },
    {
      name: 'is none of which the observer is not notified, though it is newer',
      given: ['bob.7 notify@21', 'bob write@25 -> 21 put a', 'bob.1 write@37 -> 35 put b'],
      acknowledged: 28,
      expected: undefined,
    },
    {
      name: 'is one that began before the acknowledgment and was committed after it',
      given: ['bob.7 notify@21', 'bob write@33 -> 21 put a'],
      acknowledged: 28,
      expected: 33,
    },
    {
      name: 'is none that the snapshot does not see',
      given: ['bob.7 notify@39', 'bob write@45 -> 39 put a', 'bob.7 notify@41'],
      acknowledged: 0,
      expected: undefined,
    },
    {
      name: 'is none of another observer',
      given: ['bob.9 notify@21', 'bob write@25 -> 21 put a'],
      acknowledged: 0,
      expected: undefined,
    },
    {
      name: 'is none of a transaction that was rolled back',
      given: ['bob.7 notify@21', 'bob rollback@21'],
      acknowledged: 0,
      expected: undefined,
    },
    {
      name: 'is no acknowledgment',
      given: ['bob.7 notify@21', 'bob.ack/9 write@25 -> 21 put 00000021'],
      acknowledged: 0,
      expected: undefined,
    },
    {
      name: 'may be older than the notify cell that tells of it',
      given: ['bob.7 notify@30 of 5', 'bob write@6 -> 5 put a'],
      acknowledged: 0,
      expected: 6,
    },
    {
      name: 'is found behind many that are none',
      given: [
        ...Array.from({ length: 70 }, (_, at) => `bob.7 notify@${at + 1}`),
        'bob write@25 -> 2 delete',
      ],
      acknowledged: 24,
      readTs: 90,
      expected: 25,
    },
    {
      name: 'may be a lock that is committed and has not become a write record',
      given: ['bob.7 notify@21', 'bob lock@21 primary=joe put a', 'joe write@25 -> 21 put b'],
      acknowledged: 0,
      expected: 25,
    },
    {
      name: 'is no lock of a transaction that may still commit, which is after the snapshot',
      given: ['bob.7 notify@21', 'bob lock@21 primary=bob put a'],
      acknowledged: 0,
      expected: undefined,
    },
  ]
  for (const { name, given, acknowledged, expected, readTs } of scenarios) {
    test(name, async () => {
      const world = new ProtocolWorld(100)
      await world.given(...given)
      assert.equal(await pendingIn(world, acknowledged, readTs), expected)
    })
  }

  test('is no lock whose owner died before it committed', async () => {
    const world = new ProtocolWorld(100)
    await world.given('bob.7 notify@21', 'bob lock@21 primary=bob put a')
    world.b.liveness.dead.add(OWNER_A)
    assert.equal(await pendingIn(world), undefined)
  })
})
