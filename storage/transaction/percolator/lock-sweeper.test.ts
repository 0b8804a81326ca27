// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWNER_A, rowKey } from '../../../test/storage/cell-notation.ts'
import { COLUMN, ProtocolWorld } from '../../../test/storage/protocol-world.ts'
import { LockSweeper } from './lock-sweeper.ts'
import { primaryHeartbeat } from './two-phase-commit.ts'

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
  const sweeper = new LockSweeper(world.b.context, world.b.resolver, 0)
  assert.deepEqual(await sweeper.sweep(), { resolved: 3, alive: 1 })
  assert.deepEqual(await world.cells(), [
    'bob write@8 -> 7 put 3',
    'joe write@8 -> 7 put 9',
    'sue rollback@20',
    'zoe lock@30 primary=zoe owner=b put 5',
  ])
})

test('a sweep does not even ask about young locks when it is told to spare them', async () => {
  const world = new ProtocolWorld(100)
  await world.given('sue lock@20 primary=sue put 1')
  world.b.liveness.dead.add(OWNER_A)
  const sweeper = new LockSweeper(world.b.context, world.b.resolver)
  assert.deepEqual(await sweeper.sweep(), { resolved: 0, alive: 1 })
})

test('a lock that stays young because time stands still is looked at by the second sweep', async () => {
  const world = new ProtocolWorld(100)
  await world.given('sue lock@20 primary=sue put 1')
  world.b.liveness.dead.add(OWNER_A)
  const sweeper = new LockSweeper(world.b.context, world.b.resolver)
  assert.deepEqual(await sweeper.sweep(), { resolved: 0, alive: 1 })
  assert.deepEqual(await sweeper.sweep(), { resolved: 1, alive: 0 })
  assert.deepEqual(await world.cells(), ['sue rollback@20'])
})

test('a lock that its owner renewed between two sweeps is spared again', async () => {
  const world = new ProtocolWorld(100)
  await world.given('sue lock@20 primary=sue put 1')
  world.b.liveness.dead.add(OWNER_A)
  const sweeper = new LockSweeper(world.b.context, world.b.resolver)
  await sweeper.sweep()
  const writeSet = world.a.writeSet(20, { sue: '1' })
  world.a.liveness.wallMicros = () => 2_000
  await primaryHeartbeat(world.a.context, writeSet)()
  assert.deepEqual(await sweeper.sweep(), { resolved: 0, alive: 1 })
})

test('a sweep goes over more locks than fit a page', async () => {
  const world = new ProtocolWorld(100)
  const names = Array.from({ length: 2_100 }, (_, index) => `r${1000 + index}`)
  await world.given(
    'bob write@8 -> 7 put 3',
    ...names.map((name) => `${name} lock@7 primary=bob put 9`),
  )
  const sweeper = new LockSweeper(world.b.context, world.b.resolver, 0)
  assert.deepEqual(await sweeper.sweep(), { resolved: 2_100, alive: 0 })
  assert.ok(!(await world.cells()).some((line) => line.includes(' lock@')))
})

test('a damaged lock does not keep a sweep from the locks after it', async () => {
  const world = new ProtocolWorld(100)
  await world.given('sue lock@20 primary=sue put 1')
  world.b.liveness.dead.add(OWNER_A)
  const damaged = {
    family: 'lock',
    qualifier: COLUMN,
    timestamp: 9,
    value: Buffer.from('?'),
  } as const
  await world.cellStore.mutateRows([
    { row: rowKey('bob'), mutations: [{ kind: 'setCell', ...damaged }] },
  ])
  const sweeper = new LockSweeper(world.b.context, world.b.resolver, 0)
  assert.deepEqual(await sweeper.sweep(), { resolved: 1, alive: 1 })
})
