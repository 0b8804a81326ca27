// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { rowKey } from '../../../test/storage/cell-notation.ts'
import { COLUMN, EmbeddedWorld, stateOf } from '../../../test/storage/embedded-world.ts'
import { InvariantViolation } from '../../invariant.ts'

/** Figure 4 of the paper: Bob has 10, Joe has 2, and the transaction that starts at 7 moves 7. */
const BEFORE = ['bob write@6 -> 5 put 10', 'joe write@6 -> 5 put 2']
const TRANSFER = { bob: '3', joe: '9' }
const AFTER = [
  'bob write@8 -> 7 put 3',
  'bob write@6 -> 5 put 10',
  'joe write@8 -> 7 put 9',
  'joe write@6 -> 5 put 2',
]

async function bobAndJoe(): Promise<EmbeddedWorld> {
  const world = new EmbeddedWorld(7)
  await world.given(...BEFORE)
  return world
}

describe('a one-phase commit', () => {
  test('makes all rows visible at one timestamp by one batch, and leaves no latch', async () => {
    const world = await bobAndJoe()
    const committed = world.commitAt(7, TRANSFER)
    assert.equal(world.store.queued, 1)
    assert.equal(await stateOf(committed), 'waits')
    await world.store.apply()
    assert.deepEqual(await committed, { commitTs: 8 })
    assert.deepEqual(await world.cells(), AFTER)
    assert.equal(world.latches.size, 0)
  })

  test('writes long values, deletions and guards as two-phase commit does', async () => {
    const world = await bobAndJoe()
    world.store.isHeld = false
    await world.given('sue guard@4 -> 3')
    const transaction = world.beginAt(7)
    transaction.put(rowKey('bob'), COLUMN, Buffer.alloc(2_000, 'x'))
    transaction.delete(rowKey('joe'), COLUMN)
    transaction.guard(rowKey('sue'), COLUMN)
    await transaction.commit()
    assert.deepEqual(await world.cells(), [
      `bob data@7 = ${'x'.repeat(2_000)}`,
      'bob write@8 -> 7 data 2000',
      BEFORE[0],
      'joe write@8 -> 7 delete',
      BEFORE[1],
      'sue guard@8 -> 7',
    ])
    assert.equal(await world.read('bob', 8), 'x'.repeat(2_000))
    assert.equal(await world.read('joe', 8), null)
  })

  test('has its outcome row in the same batch', async () => {
    const world = await bobAndJoe()
    const transaction = world.beginAt(7, { keepsOutcome: true })
    transaction.put(rowKey('bob'), COLUMN, Buffer.from('3'))
    void transaction.commit()
    const rows = world.store.batches[0]?.map(({ row }) => Buffer.from(row).toString('latin1'))
    assert.deepEqual(rows, [`\0txn/${transaction.id}`, 'bob'])
  })

  test('of guards alone has nothing to commit', async () => {
    const world = await bobAndJoe()
    const transaction = world.beginAt(7)
    transaction.guard(rowKey('bob'), COLUMN)
    assert.deepEqual(await transaction.commit(), { commitTs: null })
    assert.equal(world.store.batches.length, 0)
  })
})

describe('C1: the fences', () => {
  test('a commit below the safe point is refused and latches nothing', async () => {
    const world = await bobAndJoe()
    world.oracle.safePoint = 8
    assert.equal(await stateOf(world.commitAt(7, TRANSFER)), 'snapshot_too_old')
    assert.equal(world.latches.size + world.store.queued, 0)
  })

  test('a commit below the schema fence of a table that it wrote is refused', async () => {
    const world = await bobAndJoe()
    world.oracle.schemaFence = 8
    assert.equal(await stateOf(world.commitAt(7, TRANSFER)), 'schema_changed')
  })

  test('a change of schema raises the fence to its commitTs in the turn that takes it', async () => {
    const world = await bobAndJoe()
    const change = world.beginAt(7)
    change.changeSchema(1)
    change.put(rowKey('table'), COLUMN, Buffer.from('new'))
    const committed = change.commit()
    // It is only queued, and already every older writer meets the fence; a younger one waits for the
    // definition itself, which is latched.
    assert.equal(world.oracle.schemaFence, 8)
    assert.equal(await stateOf(world.read('table', 9)), 'waits')
    await world.store.apply()
    assert.deepEqual(await committed, { commitTs: 8 })
  })

  test('a change of schema is not stopped by the fence of another one', async () => {
    const world = await bobAndJoe()
    world.oracle.schemaFence = 8
    world.store.isHeld = false
    const change = world.beginAt(7)
    change.changeSchema(1)
    change.put(rowKey('table'), COLUMN, Buffer.from('new'))
    assert.deepEqual(await change.commit(), { commitTs: 8 })
  })
})

describe('C2: conflicts', () => {
  test('with a version since the snapshot, named by row and timestamp', async () => {
    const world = await bobAndJoe()
    await world.given('joe write@9 -> 8 put 5')
    await assert.rejects(world.commitAt(7, TRANSFER), {
      code: 'write_conflict',
      fields: { row: rowKey('joe'), conflictingTimestamp: 9 },
    })
    assert.equal(world.latches.size, 0)
  })

  test('with the stamp of a guard since the snapshot', async () => {
    const world = await bobAndJoe()
    await world.given('joe guard@9 -> 8')
    assert.equal(await stateOf(world.commitAt(7, TRANSFER)), 'write_conflict')
  })

  test('not with a version of a column that is not written', async () => {
    const world = await bobAndJoe()
    world.store.isHeld = false
    await world.given('joe.1 write@9 -> 8 put 5', 'zoe.2 write@6 -> 5 put 1')
    const transaction = world.beginAt(7)
    transaction.put(rowKey('joe'), COLUMN, Buffer.from('9'))
    transaction.put(rowKey('zoe'), '1', Buffer.from('9'))
    assert.deepEqual(await transaction.commit(), { commitTs: 8 })
  })

  test('with a latch whose commitTs is above the snapshot, though the view shows nothing yet', async () => {
    const world = await bobAndJoe()
    void world.commitAt(7, { bob: '3' })
    await assert.rejects(world.commitAt(6, { joe: '1', bob: '4' }), {
      code: 'write_conflict',
      fields: { row: rowKey('bob'), conflictingTimestamp: 8 },
    })
    assert.equal(world.latches.size, 1)
  })

  test('with the latch of a guard, also where there is no row', async () => {
    const world = await bobAndJoe()
    const guarding = world.beginAt(7)
    guarding.guard(rowKey('absent'), COLUMN)
    guarding.put(rowKey('bob'), COLUMN, Buffer.from('3'))
    void guarding.commit()
    assert.equal(await stateOf(world.commitAt(7, { absent: 'now here' })), 'write_conflict')
  })

  test('not with a latch of a transaction that committed before: it waits, holding nothing', async () => {
    const world = await bobAndJoe()
    void world.commitAt(7, { bob: '3' })
    await world.oracle.next()
    const second = world.commitAt(9, { joe: '5', bob: '4' })
    assert.equal(await stateOf(second), 'waits')
    assert.equal(world.latches.size, 1)
    await world.store.apply()
    assert.equal(world.store.queued, 1)
    await world.store.apply()
    assert.deepEqual(await second, { commitTs: 10 })
    assert.deepEqual(world.waitedFor, ['latch_wait'])
  })

  test('after the wait everything is looked at again: the fences', async () => {
    const world = await bobAndJoe()
    void world.commitAt(7, { bob: '3' })
    const refused = assert.rejects(world.commitAt(9, { bob: '4' }), { code: 'snapshot_too_old' })
    world.oracle.safePoint = 10
    await world.store.apply()
    await refused
  })

  test('after the wait everything is looked at again: who was first now', async () => {
    const world = await bobAndJoe()
    void world.commitAt(7, { bob: '3' })
    await world.oracle.next()
    const first = world.commitAt(9, { bob: '4' })
    const second = assert.rejects(world.commitAt(9, { bob: '5' }), { code: 'write_conflict' })
    await world.store.apply()
    await second
    await world.store.apply()
    assert.deepEqual(await first, { commitTs: 10 })
  })
})

describe('C3: the mark', () => {
  test('is waited for with nothing held, and then the rows are looked at again', async () => {
    const world = await bobAndJoe()
    const raised = Promise.withResolvers<void>()
    world.oracle.mark = 7
    world.oracle.raising = raised.promise
    const committed = world.commitAt(7, TRANSFER)
    assert.equal(await stateOf(committed), 'waits')
    assert.equal(world.latches.size + world.store.queued, 0)
    await world.given('joe write@9 -> 8 put 5')
    raised.resolve()
    assert.equal(await stateOf(committed), 'write_conflict')
    assert.deepEqual(world.waitedFor, ['fence'])
  })
})

describe('C4 and C5: latch and queue', () => {
  test('are one turn with the timestamp: the latch has it, pending has it, the batch is queued', async () => {
    const world = await bobAndJoe()
    void world.commitAt(7, TRANSFER)
    // No await since: this is still the turn in which the commit was called.
    assert.equal(world.store.queued, 1)
    assert.equal(world.latches.ownerOf('bob')?.commitTs, 8)
    assert.equal(world.latches.resolvedTimestamp(world.oracle.lastSeen()), 7)
  })

  test('a second commitTs below a pending one is a broken rule', async () => {
    const world = await bobAndJoe()
    void world.commitAt(7, { bob: '3' })
    world.oracle.take = () => 8
    const error = await world.commitAt(7, { joe: '3' }).catch((thrown: unknown) => thrown)
    assert.ok(error instanceof InvariantViolation && error.rule === 'J4')
  })
})

describe('until the answer', () => {
  test('a reader at or above commitTs waits, and one below it does not', async () => {
    const world = await bobAndJoe()
    void world.commitAt(7, TRANSFER)
    assert.equal(await world.read('bob', 7), '10')
    const later = world.read('bob', 8)
    assert.equal(await stateOf(later), 'waits')
    await world.store.apply()
    assert.equal(await later, '3')
  })

  test('also when the view shows the batch already: it may not be on disk', async () => {
    const world = await bobAndJoe()
    void world.commitAt(7, TRANSFER)
    await world.store.show()
    const later = world.read('bob', 8)
    assert.equal(await stateOf(later), 'waits')
    await world.store.apply()
    assert.equal(await later, '3')
  })

  test('the resolved timestamp stays below it, and then goes on', async () => {
    const world = await bobAndJoe()
    void world.commitAt(7, { bob: '3' })
    void world.commitAt(7, { joe: '3' })
    const resolved = () => world.latches.resolvedTimestamp(world.oracle.lastSeen())
    assert.equal(resolved(), 7)
    await world.store.apply()
    assert.equal(resolved(), 8)
    await world.store.apply()
    assert.equal(resolved(), 9)
  })
})

describe('a batch that fails', () => {
  test('and certainly was not applied: the transaction is rolled back and may be run again', async () => {
    const world = await bobAndJoe()
    const refused = assert.rejects(world.commitAt(7, TRANSFER), {
      code: 'transaction_rolled_back',
      retryable: true,
    })
    const reader = world.read('bob', 8)
    await world.store.refuse('notApplied')
    await refused
    assert.equal(await reader, '10')
    assert.equal(world.latches.size, 0)
    assert.equal(world.latches.resolvedTimestamp(world.oracle.lastSeen()), 8)
    // It is not queued again: with its old commitTs it would appear behind readers' backs.
    assert.equal(world.store.batches.length, 1)
  })

  test('and may have been applied: the outcome is unknown and nobody sees either state', async () => {
    const world = await bobAndJoe()
    const unknown = assert.rejects(world.commitAt(7, TRANSFER), { code: 'commit_outcome_unknown' })
    await world.store.refuse('ambiguous')
    await unknown
    const giveUp = new AbortController()
    const reader = world.read('bob', 8, giveUp.signal)
    assert.equal(await stateOf(reader), 'waits')
    giveUp.abort(new Error('the client has gone'))
    await assert.rejects(reader, /the client has gone/)
    assert.equal(world.latches.size, 2)
  })
})
