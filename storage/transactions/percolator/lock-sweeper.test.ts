// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWNER_A, rowKey } from '../../../test/storage/cell-notation.ts'
import { COLUMN, ProtocolWorld } from '../../../test/storage/protocol-world.ts'
import { InvariantViolation } from '../../invariant.ts'
import { LockSweeper } from './lock-sweeper.ts'

test('a sweep rolls forward what committed, rolls back what is dead, and spares the living', async () => {
  const world = new ProtocolWorld(100)
  await world.given(
    'bob write@8 -> 7 put 3',
    'joe lock@7 primary=bob put 9',
    'sue lock@20 primary=sue put 1',
    'tom lock@20 primary=sue put 2',
    'zoe lock@30 primary=zoe owner=b put 5',
  )
  world.b.liveness.dead.add(OWNER_A)
  const sweeper = new LockSweeper(world.b.context, world.b.resolver)
  assert.deepEqual(await sweeper.sweep(), { resolved: 3, alive: 1 })
  assert.deepEqual(await world.cells(), [
    'bob write@8 -> 7 put 3',
    'joe write@8 -> 7 put 9',
    'sue rollback@20',
    'zoe lock@30 primary=zoe owner=b put 5',
  ])
})

test('a sweep settles what began before the safe point, whoever owns it', async () => {
  const world = new ProtocolWorld(100)
  await world.given(
    'bob lock@19 primary=bob owner=b put 3',
    'sue lock@20 primary=sue owner=b put 1',
    'tom lock@30 primary=tom owner=a put 2',
  )
  world.b.liveness.dead.add(OWNER_A)
  const sweeper = new LockSweeper(world.b.context, world.b.resolver)
  assert.deepEqual(await sweeper.sweep(20), { resolved: 2, alive: 1 })
  assert.deepEqual(await world.cells(), [
    'bob rollback@19',
    'sue lock@20 primary=sue owner=b put 1',
    'tom rollback@30',
  ])
})

test('a damaged lock of a transaction that began before the safe point ends the sweep', async () => {
  const world = new ProtocolWorld(100)
  await damagedLock(world, 9)
  const sweeper = new LockSweeper(world.b.context, world.b.resolver)
  await assert.rejects(sweeper.sweep(10), InvariantViolation)
})

test('a sweep goes over more locks than fit a page', async () => {
  const world = new ProtocolWorld(100)
  const names = Array.from({ length: 2_100 }, (_, index) => `r${1000 + index}`)
  await world.given(
    'bob write@8 -> 7 put 3',
    ...names.map((name) => `${name} lock@7 primary=bob put 9`),
  )
  const sweeper = new LockSweeper(world.b.context, world.b.resolver)
  assert.deepEqual(await sweeper.sweep(), { resolved: 2_100, alive: 0 })
  assert.ok(!(await world.cells()).some((line) => line.includes(' lock@')))
})

test('a damaged lock does not keep a sweep from the locks after it', async () => {
  const world = new ProtocolWorld(100)
  await world.given('sue lock@20 primary=sue put 1')
  world.b.liveness.dead.add(OWNER_A)
  await damagedLock(world, 9)
  const sweeper = new LockSweeper(world.b.context, world.b.resolver)
  assert.deepEqual(await sweeper.sweep(), { resolved: 1, alive: 1 })
})

async function damagedLock(world: ProtocolWorld, timestamp: number): Promise<void> {
  const value = Buffer.from('?')
  const cell = { family: 'lock', qualifier: COLUMN, timestamp, value } as const
  await world.cellStore.mutateRows([
    { row: rowKey('bob'), mutations: [{ kind: 'setCell', ...cell }] },
  ])
}
