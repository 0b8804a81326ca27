// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { OWNER_A } from '../../../test/storage/cell-notation.ts'
import { ProtocolWorld } from '../../../test/storage/protocol-world.ts'
import { commitPrimary } from './commit.ts'
import { prewriteRow } from './prewrite.ts'
import { rollBackWriteSet } from './rollback.ts'
import { primaryHeartbeat } from './two-phase-commit.ts'

async function prewrittenAt7() {
  const world = new ProtocolWorld(7)
  const writeSet = world.a.writeSet(7, { bob: '3' })
  await prewriteRow(world.a.context, world.a.resolver, writeSet.primary, 7)
  return { world, writeSet }
}

describe('rolling back', () => {
  test('a heartbeat between a resolver’s look and its rollback saves the transaction', async () => {
    const { world, writeSet } = await prewrittenAt7()
    let asked = 0
    world.b.liveness.isOwnerDead = async () => {
      asked += 1
      return asked === 1
    }
    world.b.store.fault = async (call) => {
      if (call === 1) await primaryHeartbeat(world.a.context, writeSet)()
      return 'none' as const
    }
    const met = writeSet.primary.columns[0].lock
    assert.deepEqual(await world.b.resolver.settle(met), { kind: 'alive' })
    assert.equal(await commitPrimary(world.a.context, writeSet, 8), 'committed')
  })

  test('a resolver that dies right after its step has left the record that refuses late prewrites', async () => {
    const { world } = await prewrittenAt7()
    world.b.liveness.dead.add(OWNER_A)
    world.b.faultAt(1, 'crashAfter')
    void world.b.read('bob', 100)
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    assert.deepEqual(await world.cells(), ['bob rollback@7'])
  })

  test('a committed transaction cannot be rolled back by its own coordinator (I3)', async () => {
    const { world, writeSet } = await prewrittenAt7()
    await commitPrimary(world.a.context, writeSet, 8)
    await assert.rejects(rollBackWriteSet(world.a.context, writeSet), { rule: 'I3' })
    assert.deepEqual(await world.cells(), ['bob write@8 -> 7 put 3'])
  })

  test('is repeated without harm', async () => {
    const { world, writeSet } = await prewrittenAt7()
    await rollBackWriteSet(world.a.context, writeSet)
    await rollBackWriteSet(world.a.context, writeSet)
    assert.deepEqual(await world.cells(), ['bob rollback@7'])
  })
})
