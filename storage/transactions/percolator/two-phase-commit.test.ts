// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { cellLines, OWNER_A, rowKey } from '../../../test/storage/cell-notation.ts'
import type { Fault } from '../../../test/storage/faulty-cell-store.ts'
import { COLUMN, type Gateway, ProtocolWorld } from '../../../test/storage/protocol-world.ts'
import { StorageError } from '../../errors.ts'
import type { CommitOutcome } from '../protocol/transaction-protocol.ts'
import { commitPrimary, commitSecondaries } from './commit.ts'
import { prewriteRow } from './prewrite.ts'
import { commitTwoPhase, primaryHeartbeat } from './two-phase-commit.ts'

/** Figure 4 of the paper: Bob has 10, Joe has 2, and the transaction that starts at 7 moves 7. */
const BEFORE = ['bob write@6 -> 5 put 10', 'joe write@6 -> 5 put 2']
const TRANSFER = { bob: '3', joe: '9' }

async function bobAndJoe(): Promise<ProtocolWorld> {
  const world = new ProtocolWorld(7)
  await world.given(...BEFORE)
  return world
}

function transfer({ a }: ProtocolWorld, startTs = 7) {
  return commitTwoPhase(a.context, a.resolver, a.writeSet(startTs, TRANSFER))
}

function prewrite(gateway: Gateway, writeSet: ReturnType<Gateway['writeSet']>) {
  const groups = [writeSet.primary, ...writeSet.secondaries]
  return Promise.all(
    groups.map((group) => prewriteRow(gateway.context, gateway.resolver, group, writeSet.startTs)),
  )
}

describe('two-phase commit, step by step', () => {
  test('the transfer of the paper leaves the cells of Figure 4 after each step', async () => {
    const world = await bobAndJoe()
    const writeSet = world.a.writeSet(7, TRANSFER)
    await prewrite(world.a, writeSet)
    assert.deepEqual(await world.cells(), [
      'bob lock@7 primary=bob put 3',
      'bob write@6 -> 5 put 10',
      'joe lock@7 primary=bob put 9',
      'joe write@6 -> 5 put 2',
    ])
    assert.equal(await commitPrimary(world.a.context, writeSet, 8), 'committed')
    assert.deepEqual(await world.cells(), [
      'bob write@8 -> 7 put 3',
      'bob write@6 -> 5 put 10',
      'joe lock@7 primary=bob put 9',
      'joe write@6 -> 5 put 2',
    ])
    await commitSecondaries(world.a.context, writeSet, 8)
    assert.deepEqual(await world.cells(), [
      'bob write@8 -> 7 put 3',
      'bob write@6 -> 5 put 10',
      'joe write@8 -> 7 put 9',
      'joe write@6 -> 5 put 2',
    ])
  })

  test('a value longer than a lock carries stands in its data cell and stays there', async () => {
    const world = new ProtocolWorld(7)
    const long = 'x'.repeat(1_537)
    await commitTwoPhase(world.a.context, world.a.resolver, world.a.writeSet(7, { bob: long }))
    assert.deepEqual(await world.cells(), [`bob data@7 = ${long}`, 'bob write@8 -> 7 data 1537'])
    assert.equal(await world.b.read('bob', 8), long)
  })

  test('the commit timestamp is taken only when every lock is held', async () => {
    const world = await bobAndJoe()
    const locksWhenStamped: string[][] = []
    const next = world.oracle.next.bind(world.oracle)
    world.oracle.next = async () => {
      locksWhenStamped.push((await world.cells()).filter((line) => line.includes(' lock@')))
      return await next()
    }
    await transfer(world)
    assert.deepEqual(locksWhenStamped, [
      ['bob lock@7 primary=bob put 3', 'joe lock@7 primary=bob put 9'],
    ])
    assert.deepEqual(world.a.waitedFor, ['fence'])
  })

  test('a guard leaves the newest stamp only, and no write record', async () => {
    const world = await bobAndJoe()
    await world.given('joe guard@6 -> 4')
    const transaction = world.a.beginAt(7)
    transaction.put(rowKey('bob'), COLUMN, Buffer.from('3'))
    transaction.guard(rowKey('joe'), COLUMN)
    assert.deepEqual(await transaction.commit(), { commitTs: 8 })
    assert.deepEqual(await world.cells(), [
      'bob write@8 -> 7 put 3',
      'bob write@6 -> 5 put 10',
      'joe write@6 -> 5 put 2',
      'joe guard@8 -> 7',
    ])
  })
})

describe('two-phase commit is refused', () => {
  test('below the safe point: the transaction is rolled back on every row', async () => {
    const world = await bobAndJoe()
    world.oracle.safePoint = 8
    const outcome = await transfer(world)
    assert.equal(outcome.kind === 'aborted' && outcome.reason.code, 'snapshot_too_old')
    assert.deepEqual(await world.cells(), [BEFORE[0], 'bob rollback@7', BEFORE[1]])
  })

  test('below the schema fence of a table that it wrote', async () => {
    const world = await bobAndJoe()
    world.oracle.schemaFence = 8
    const outcome = await transfer(world)
    assert.equal(outcome.kind === 'aborted' && outcome.reason.code, 'schema_changed')
  })

  test('a change of schema raises the fence above every writer that may still use the old one', async () => {
    const world = await bobAndJoe()
    const change = { ...world.a.writeSet(7, { table: 'new' }), changedSchemas: [1] }
    const fenceAtCommitPoint: number[] = []
    world.a.store.fault = () => {
      fenceAtCommitPoint.push(world.oracle.schemaFence)
      return 'none'
    }
    const outcome = await commitTwoPhase(world.a.context, world.a.resolver, change)
    assert.deepEqual(outcome, { kind: 'committed', commitTs: 9 })
    // The first call is the prewrite, the second the commit point: there the fence is at commitTs,
    // so a snapshot taken before it, which reads the old definition, can no longer commit.
    assert.deepEqual(fenceAtCommitPoint, [0, 9])
  })

  test('a conflict on a row that is alone leaves nothing behind, not even a rollback record', async () => {
    const world = await bobAndJoe()
    const { context, resolver } = world.a
    const outcome = await commitTwoPhase(context, resolver, world.a.writeSet(4, { bob: '3' }))
    assert.equal(outcome.kind === 'aborted' && outcome.reason.code, 'write_conflict')
    assert.deepEqual(await world.cells(), BEFORE)
  })

  test('a conflict on the primary takes the lock of the secondary away again', async () => {
    const world = await bobAndJoe()
    const { context, resolver } = world.a
    const writeSet = world.a.writeSet(4, { bob: '3', sue: '1' })
    const outcome = await commitTwoPhase(context, resolver, writeSet)
    assert.equal(outcome.kind === 'aborted' && outcome.reason.code, 'write_conflict')
    assert.deepEqual(await world.cells(), [BEFORE[0], 'bob rollback@4', BEFORE[1]])
  })

  test('by whoever met a secondary while the request for its primary was on the way', async () => {
    const world = await bobAndJoe()
    const arrival = Promise.withResolvers<void>()
    world.a.store.fault = async (call): Promise<Fault> => {
      if (call === 1) await arrival.promise
      return 'none'
    }
    const outcome = transfer(world)
    await settled()
    assert.deepEqual(await world.cells(), [BEFORE[0], 'joe lock@7 primary=bob put 9', BEFORE[1]])
    world.b.liveness.dead.add(OWNER_A)
    assert.equal(await world.b.read('joe', 100), '2')
    arrival.resolve()
    const { kind, reason } = (await outcome) as Extract<CommitOutcome, { kind: 'aborted' }>
    assert.deepEqual([kind, reason.code], ['aborted', 'transaction_rolled_back'])
    await world.b.context.background.drain()
    assert.deepEqual(await world.cells(), [BEFORE[0], 'bob rollback@7', BEFORE[1]])
  })

  test('a conflict on a secondary names the row and takes the primary lock away again', async () => {
    const world = await bobAndJoe()
    await world.given('joe write@9 -> 8 put 5')
    const outcome = await transfer(world)
    assert.equal(outcome.kind, 'aborted')
    if (outcome.kind !== 'aborted') return
    assert.equal(outcome.reason.code, 'write_conflict')
    assert.deepEqual(outcome.reason.fields, { row: rowKey('joe'), conflictingTimestamp: 9 })
    assert.deepEqual(await world.cells(), [
      BEFORE[0],
      'bob rollback@7',
      'joe write@9 -> 8 put 5',
      BEFORE[1],
    ])
  })
})

// The transfer has four conditional mutations: two prewrites, the primary's commit, the secondary's.
const CALLS = [1, 2, 3, 4]
const COMMITTED = ['3', '9']
const UNTOUCHED = ['10', '2']

describe('the coordinator dies around each of its mutations', () => {
  for (const call of CALLS) {
    for (const fault of ['crashBefore', 'crashAfter'] as const) {
      test(`${fault} mutation ${call}: whoever comes next finds all of the transfer or nothing`, async () => {
        const world = await bobAndJoe()
        world.a.faultAt(call, fault)
        void transfer(world)
        await settled()
        world.b.liveness.dead.add(OWNER_A)
        const seen = [await world.b.read('bob', 100), await world.b.read('joe', 100)]
        const isCommitted = call > 3 || (call === 3 && fault === 'crashAfter')
        assert.deepEqual(seen, isCommitted ? COMMITTED : UNTOUCHED)
        await world.b.context.background.drain()
        const locks = (await cellLines(world.cellStore)).filter((line) => line.includes(' lock@'))
        assert.deepEqual(locks, [])
      })
    }
  }
})

describe('the store loses a request or an answer', () => {
  for (const call of CALLS) {
    for (const fault of ['requestLost', 'answerLost', 'refused'] as const satisfies Fault[]) {
      test(`${fault} at mutation ${call}: the transfer commits all the same, once`, async () => {
        const world = await bobAndJoe()
        world.a.faultAt(call, fault)
        const outcome = await transfer(world)
        assert.deepEqual(outcome, { kind: 'committed', commitTs: 8 })
        assert.deepEqual(
          [await world.b.read('bob', 100), await world.b.read('joe', 100)],
          COMMITTED,
        )
      })
    }
  }

  test('a store that never answers phase one again: not committed, and said so', async () => {
    const world = await bobAndJoe()
    world.a.store.fault = (call) => (call >= 2 ? 'requestLost' : 'none')
    const outcome = await transfer(world)
    assert.equal(outcome.kind === 'aborted' && outcome.reason.code, 'transaction_rolled_back')
  })

  test('a store that never answers the commit: the outcome is unknown, and nothing is rolled back', async () => {
    const world = await bobAndJoe()
    world.a.store.fault = (call) => (call === 3 ? 'answerLost' : call > 3 ? 'requestLost' : 'none')
    const outcome = await transfer(world)
    assert.deepEqual(outcome, { kind: 'unknown' })
    assert.deepEqual([await world.b.read('bob', 100), await world.b.read('joe', 100)], COMMITTED)
  })

  test('the commit’s answer was lost and a rollback came first: certain while history is there', async () => {
    const world = await bobAndJoe()
    const writeSet = world.a.writeSet(7, TRANSFER)
    await prewrite(world.a, writeSet)
    world.a.faultAt(1, 'requestLost')
    world.b.liveness.dead.add(OWNER_A)
    await world.b.read('bob', 100)
    await assert.rejects(commitPrimary(world.a.context, writeSet, 8), {
      code: 'transaction_rolled_back',
    })
  })

  test('the same while the oracle is being closed: nobody can say whether history is there', async () => {
    const world = await bobAndJoe()
    const writeSet = world.a.writeSet(7, TRANSFER)
    await prewrite(world.a, writeSet)
    world.a.faultAt(1, 'requestLost')
    world.b.liveness.dead.add(OWNER_A)
    await world.b.read('bob', 100)
    world.oracle.next = async () => {
      throw new StorageError('closed', 'The timestamp oracle is closed.')
    }
    assert.equal(await commitPrimary(world.a.context, writeSet, 8), 'unknown')
  })

  test('the same once the safe point has passed: not even a rollback record is proof', async () => {
    const world = await bobAndJoe()
    const writeSet = world.a.writeSet(7, TRANSFER)
    await prewrite(world.a, writeSet)
    world.a.faultAt(1, 'answerLost')
    // The commit is applied; garbage collection then takes its record away, and a resolver that had
    // slept since it saw the lock writes its rollback record late.
    const { store } = world.a
    const fault = store.fault
    store.fault = async (call, row) => {
      const decided = await fault(call, row)
      if (decided === 'none') {
        world.oracle.safePoint = 50
        await world.cellStore.mutateRows([
          {
            row: rowKey('bob'),
            mutations: [
              { kind: 'deleteFromColumn', family: 'write', qualifier: COLUMN, timestamps: {} },
              {
                kind: 'setCell',
                family: 'rollback',
                qualifier: COLUMN,
                timestamp: 7,
                value: new Uint8Array(),
              },
            ],
          },
        ])
      }
      return decided
    }
    assert.equal(await commitPrimary(world.a.context, writeSet, 8), 'unknown')
  })
})

describe('the primary’s heartbeat', () => {
  test('renews the wall time in the lock', async () => {
    const world = await bobAndJoe()
    const writeSet = world.a.writeSet(7, TRANSFER)
    await prewrite(world.a, writeSet)
    const before = await world.cellStore.readRows([rowKey('bob')], [{ family: 'lock' }])
    await primaryHeartbeat(world.a.context, writeSet)()
    const after = await world.cellStore.readRows([rowKey('bob')], [{ family: 'lock' }])
    assert.notDeepEqual(after[0]?.cells[0]?.value, before[0]?.cells[0]?.value)
    assert.equal(await commitPrimary(world.a.context, writeSet, 8), 'committed')
  })

  test('does not bring back a lock that was rolled back', async () => {
    const world = await bobAndJoe()
    const writeSet = world.a.writeSet(7, TRANSFER)
    await prewrite(world.a, writeSet)
    world.b.liveness.dead.add(OWNER_A)
    await world.b.read('bob', 100)
    await primaryHeartbeat(world.a.context, writeSet)()
    assert.ok(!(await world.cells()).some((line) => line.startsWith('bob lock')))
  })
})

/** Lets everything run that can run; a dead coordinator's call never returns. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve))
}
