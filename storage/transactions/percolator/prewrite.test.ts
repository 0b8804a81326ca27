// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { OWNER_A } from '../../../test/storage/cell-notation.ts'
import { ProtocolWorld } from '../../../test/storage/protocol-world.ts'
import { prewriteRow } from './prewrite.ts'

/** Gateway B prewrites `bob` with its transaction that starts at 7, over these cells. */
const SCENARIOS = [
  { name: 'an absent row', given: [], expected: 'locked' },
  { name: 'an older version', given: ['bob write@6 -> 5 put 10'], expected: 'locked' },
  { name: 'an older tombstone', given: ['bob write@6 -> 5 delete'], expected: 'locked' },
  { name: 'an older guard', given: ['bob guard@6 -> 5'], expected: 'locked' },
  { name: 'a rollback of another transaction', given: ['bob rollback@6'], expected: 'locked' },
  {
    name: 'a version committed since the snapshot',
    given: ['bob write@9 -> 8 put 1'],
    expected: 'write_conflict',
  },
  {
    name: 'a version that began before the snapshot and committed after it',
    given: ['bob write@9 -> 3 put 1'],
    expected: 'write_conflict',
  },
  {
    name: 'a tombstone since the snapshot',
    given: ['bob write@9 -> 8 delete'],
    expected: 'write_conflict',
  },
  { name: 'a guard since the snapshot', given: ['bob guard@9 -> 8'], expected: 'write_conflict' },
  {
    name: 'a rollback record of its own',
    given: ['bob rollback@7'],
    expected: 'transaction_rolled_back',
  },
  {
    name: 'its own lock from an attempt whose answer was lost',
    given: ['bob lock@7 primary=bob owner=b put 3'],
    expected: 'locked',
  },
  {
    name: 'an older lock of a living owner',
    given: ['bob lock@4 primary=bob put 1'],
    expected: 'write_conflict',
  },
  {
    name: 'a newer lock of a living owner',
    given: ['bob lock@9 primary=bob put 1'],
    expected: 'write_conflict',
  },
  {
    name: 'the guard of a living owner',
    given: ['bob lock@4 primary=joe guard', 'joe lock@4 primary=joe put 1'],
    expected: 'write_conflict',
  },
  {
    name: 'a lock whose primary committed before the snapshot: it is rolled forward first',
    given: ['bob lock@4 primary=joe put 1', 'joe write@5 -> 4 put 1'],
    expected: 'locked',
  },
  {
    name: 'a lock whose primary committed after the snapshot',
    given: ['bob lock@4 primary=joe put 1', 'joe write@9 -> 4 put 1'],
    expected: 'write_conflict',
  },
  {
    name: 'a lock whose primary was rolled back',
    given: ['bob lock@4 primary=joe put 1', 'joe rollback@4'],
    expected: 'locked',
  },
  {
    name: 'a lock whose owner is dead',
    dead: true,
    given: ['bob lock@4 primary=bob put 1'],
    expected: 'locked',
  },
  {
    name: 'a lock whose owner is dead and whose primary never arrived',
    dead: true,
    given: ['bob lock@4 primary=joe put 1'],
    expected: 'locked',
  },
] as const

describe('a prewrite at 7 meets', () => {
  for (const scenario of SCENARIOS) {
    test(`${scenario.name}: ${scenario.expected}`, async () => {
      const world = new ProtocolWorld(10)

      await world.given(...scenario.given)
      if ('dead' in scenario) world.b.liveness.dead.add(OWNER_A)
      const outcome = await prewriteRow(
        world.b.context,
        world.b.resolver,
        world.b.writeSet(7, { bob: '3' }).primary,
        7,
      ).then(
        () => 'locked',
        (error: { code: string }) => error.code,
      )
      assert.equal(outcome, scenario.expected)
      const isLocked = (await world.cells()).includes('bob lock@7 primary=bob owner=b put 3')
      assert.equal(isLocked, scenario.expected === 'locked')
    })
  }
})

describe('a prewrite that was delayed on its way', () => {
  test('is refused by the rollback record of a resolver that found no lock', async () => {
    const world = new ProtocolWorld(10)
    await world.given('joe lock@7 primary=bob put 9')
    world.b.liveness.dead.add(OWNER_A)
    assert.equal(await world.b.read('joe', 20), null)
    const late = world.a.writeSet(7, { bob: '3', joe: '9' }).primary
    await assert.rejects(prewriteRow(world.a.context, world.a.resolver, late, 7), {
      code: 'transaction_rolled_back',
    })
    assert.deepEqual(await world.cells(), ['bob rollback@7'])
  })

  test('and that lands between a resolver’s look and its rollback is rolled back whole', async () => {
    const world = new ProtocolWorld(10)
    await world.given('joe lock@7 primary=bob.1 put 9')
    world.b.liveness.dead.add(OWNER_A)
    // The primary row has two columns; the primary column is not the first one of its group.
    world.b.store.fault = async (call) => {
      if (call === 1) {
        await world.given('bob lock@7 primary=bob.1 put 1', 'bob.1 lock@7 primary=bob.1 put 2')
      }
      return 'none' as const
    }
    assert.equal(await world.b.read('joe', 20), null)
    assert.deepEqual(await world.cells(), ['bob.1 rollback@7'])
  })
})
