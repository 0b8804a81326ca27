// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rowKey } from '../../../test/storage/cell-notation.ts'
import { COLUMN, EmbeddedWorld, stateOf } from '../../../test/storage/embedded-world.ts'
import { InvariantViolation } from '../../invariant.ts'
import { decodeLock } from '../records/lock.ts'
import { latchedLocks } from './latched-locks.ts'
import { settleLeftOver, takeOverLocks } from './left-over-locks.ts'

async function started(...lines: string[]): Promise<EmbeddedWorld> {
  const world = new EmbeddedWorld(100)
  await world.given(...lines)
  await takeOverLocks(world.context)
  return world
}

const COMMITTED = [
  'bob write@8 -> 7 put 3',
  'joe write@6 -> 5 put 2',
  'joe lock@7 primary=bob put 9',
]
const UNDECIDED = [
  'bob write@6 -> 5 put 10',
  'bob lock@7 primary=bob put 3',
  'joe lock@7 primary=bob put 9',
]

test('a lock whose primary committed is latched with its commitTs and rolled forward', async () => {
  const world = await started(...COMMITTED)
  const joe = world.read('joe', 100)
  assert.equal(await stateOf(joe), 'waits')
  assert.equal(await world.read('joe', 7), '2')
  await world.store.apply()
  assert.equal(await joe, '9')
  assert.ok(!(await world.cells()).some((line) => line.includes(' lock@')))
  assert.equal(world.latches.size, 0)
})

test('a lock whose primary did not commit hides nothing and is rolled back', async () => {
  const world = await started(...UNDECIDED)
  assert.equal(await world.read('bob', 100), '10')
  assert.equal(await world.read('joe', 100), null)
  await world.store.apply()
  assert.deepEqual(await world.cells(), ['bob write@6 -> 5 put 10', 'bob rollback@7'])
  assert.equal(world.latches.size, 0)
})

test('the primary gets its rollback record also where its lock is missing', async () => {
  const world = await started('joe lock@7 primary=bob put 9')
  await world.store.apply()
  assert.deepEqual(await world.cells(), ['bob rollback@7'])
})

test('a writer waits for left-over locks and does not conflict with them', async () => {
  const world = await started(...UNDECIDED)
  const committed = world.commitAt(100, { bob: '1' })
  assert.equal(await stateOf(committed), 'waits')
  world.store.isHeld = false
  await world.store.apply()
  assert.deepEqual(await committed, { commitTs: 101 })
})

test('what is left over is cleared however often the store refuses it', async () => {
  const world = await started(...COMMITTED)
  for (let attempt = 0; attempt < 3; attempt += 1) await world.store.refuse('notApplied')
  await world.store.apply()
  assert.equal(world.latches.size, 0)
})

test('whoever asks for the outcome of a left-over transaction waits for its rollback', async () => {
  const world = await started(...UNDECIDED)
  const [row] = await world.store.readRows([rowKey('bob')], [{ family: 'lock' }])
  const settled = settleLeftOver(world.context, decodeLock(7, row?.cells[0]?.value ?? Buffer.of()))
  assert.equal(await stateOf(settled), 'waits')
  await world.store.apply()
  assert.deepEqual(await settled, { kind: 'rolledBack' })
})

test('locks of two transactions on one row are cleared one after the other', async () => {
  const world = new EmbeddedWorld(100)
  await world.given('bob.1 lock@7 primary=bob.1 put 3', 'bob.2 lock@9 primary=bob.2 put 4')
  const starting = takeOverLocks(world.context)
  assert.equal(await stateOf(starting), 'waits')
  await world.store.apply()
  await starting
  await world.store.apply()
  assert.deepEqual(await world.cells(), ['bob.1 rollback@7', 'bob.2 rollback@9'])
})

test('a damaged lock is left as it is and does not keep the store from starting', async () => {
  const world = new EmbeddedWorld(100)
  const damaged = { family: 'lock', qualifier: COLUMN, timestamp: 9, value: Buffer.of(1) } as const
  await world.store.mutateRows([
    { row: rowKey('ann'), mutations: [{ kind: 'setCell', ...damaged }] },
  ])
  await world.given(...UNDECIDED)
  await takeOverLocks(world.context)
  await world.store.apply()
  assert.equal(world.latches.size, 0)
})

test('a lock in the view without its latch is a broken rule wherever locks are read (J1)', async () => {
  const world = new EmbeddedWorld(100)
  await world.given(...UNDECIDED)
  const error = await Array.fromAsync(latchedLocks(world.context)).catch((thrown) => thrown)
  assert.ok(error instanceof InvariantViolation && error.rule === 'J1')
  await takeOverLocks(world.context)
  assert.equal((await Array.fromAsync(latchedLocks(world.context))).length, 2)
})
