// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWNER_A, rowKey } from '../../test/storage/cell-notation.ts'
import { COLUMN, type Gateway, ProtocolWorld } from '../../test/storage/protocol-world.ts'
import { findOutcome } from './transaction-outcome.ts'
import { TransactionRegistry } from './transaction-registry.ts'

/** Another process, or the same one after a restart, that has nothing of the transaction in memory. */
function ask(gateway: Gateway, id: string, openMsMax?: number) {
  const question = { id, ...(openMsMax === undefined ? {} : { openMsMax }) }
  return findOutcome(
    gateway.context,
    (lock) => gateway.resolver.settle(lock),
    new TransactionRegistry(),
    question,
  )
}

function begin(world: ProtocolWorld) {
  const transaction = world.a.beginAt(9, { keepsOutcome: true })
  transaction.put(rowKey('bob'), COLUMN, Buffer.from('1'))
  return transaction
}

async function crashAt(world: ProtocolWorld, call: number, fault: 'crashBefore' | 'crashAfter') {
  const transaction = begin(world)
  world.a.faultAt(call, fault)
  void transaction.commit()
  for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve))
  return transaction.id
}

test('a committed transaction is found with its commit timestamp by those who never knew it', async () => {
  const world = new ProtocolWorld(10)
  const transaction = begin(world)
  const { commitTs } = await transaction.commit()
  assert.deepEqual(await ask(world.b, transaction.id), { kind: 'committed', commitTs })
})

test('a coordinator died right after the commit point: committed', async () => {
  const world = new ProtocolWorld(10)
  const id = await crashAt(world, 3, 'crashAfter')
  assert.deepEqual(await ask(world.b, id), { kind: 'committed', commitTs: 11 })
})

test('it died before the commit point: active while it counts as alive, then rolled back', async () => {
  const world = new ProtocolWorld(10)
  const id = await crashAt(world, 3, 'crashBefore')
  assert.deepEqual(await ask(world.b, id), { kind: 'active' })
  world.b.liveness.dead.add(OWNER_A)
  assert.deepEqual(await ask(world.b, id), { kind: 'rolledBack', reason: 'rolled_back' })
})

test('it died before its first lock: rolled back where nobody else can hold it open', async () => {
  const world = new ProtocolWorld(10)
  const id = await crashAt(world, 1, 'crashBefore')
  assert.deepEqual(await ask(world.b, id), { kind: 'rolledBack', reason: 'never_committed' })
})

test('among several gateways it counts as open for its longest life, and is then ended for good', async () => {
  const world = new ProtocolWorld(10)
  const transaction = begin(world)
  assert.deepEqual(await ask(world.b, transaction.id, 1_000), { kind: 'active' })
  assert.deepEqual(await ask(world.b, transaction.id, 0), {
    kind: 'rolledBack',
    reason: 'rolled_back',
  })
  await assert.rejects(transaction.commit(), { code: 'transaction_rolled_back' })
})

test('history was collected: unknown, even where a rollback record stands', async () => {
  const world = new ProtocolWorld(10)
  const id = await crashAt(world, 3, 'crashBefore')
  world.b.liveness.dead.add(OWNER_A)
  world.oracle.safePoint = 10
  assert.deepEqual(await ask(world.b, id), { kind: 'unknown' })
})

test('an id that was never given out', async () => {
  const world = new ProtocolWorld(10)
  for (const id of [
    '',
    'bob',
    `99.${'0'.repeat(32)}`,
    `9.${'0'.repeat(31)}`,
    `-9.${'0'.repeat(32)}`,
  ]) {
    assert.deepEqual(await ask(world.b, id), { kind: 'neverBegun' }, id)
  }
})
