// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { rowKey } from '../../../test/storage/cell-notation.ts'
import { EmbeddedWorld, stateOf } from '../../../test/storage/embedded-world.ts'
import { CellStoreError } from '../../cell-store/cell-store.ts'
import { eventLoopTurn } from '../../cell-store/event-loop-turn.ts'
import { InvariantViolation } from '../../invariant.ts'
import { COMMIT_TURN_ROWS } from './latch-in-turns.ts'
import type { LatchOwner, LatchRequest } from './latches/latch-table.ts'
import { placedRow } from './latches/latched-rows.ts'

const BEFORE = ['bob write@6 -> 5 put 10', 'joe write@6 -> 5 put 2']
const TRANSFER = { bob: '3', joe: '9' }

async function bobAndJoe(): Promise<EmbeddedWorld> {
  const world = new EmbeddedWorld(7, 'two-phase')
  await world.given(...BEFORE)
  return world
}

async function lockLines(world: EmbeddedWorld): Promise<string[]> {
  return (await world.cells()).filter((line) => line.includes(' lock@'))
}

describe('a two-phase commit in the process that owns the store', () => {
  test('locks all rows by one batch, commits the primary, answers, and commits the others', async () => {
    const world = await bobAndJoe()
    const committed = world.commitAt(7, TRANSFER)
    await world.store.apply()
    assert.equal((await lockLines(world)).length, 2)
    await world.store.apply()
    assert.deepEqual(await committed, { commitTs: 8 })
    assert.equal((await lockLines(world)).length, 1)
    await world.store.apply()
    assert.deepEqual(await world.cells(), [
      'bob write@8 -> 7 put 3',
      BEFORE[0],
      'joe write@8 -> 7 put 9',
      BEFORE[1],
    ])
    assert.equal(world.latches.size, 0)
    assert.equal(world.store.batches.length, 3)
  })

  test('meets a lock without a latch: a rule was broken, and nothing is queued (J1)', async () => {
    const world = await bobAndJoe()
    await world.given('joe lock@4 primary=joe put 8')
    // As if another row in joe's place had been written: only then the row is looked at.
    const rows = [{ ...placedRow('joe'), kind: 'write' }] as const
    const owner = world.latches.latch(8, 'onePhase', rows)
    world.latches.stampCommitted(owner, 9)
    world.latches.release(owner, rows)
    await assert.rejects(world.commitAt(7, TRANSFER), (error: unknown) => {
      return error instanceof InvariantViolation && error.rule === 'J1'
    })
    assert.equal(world.store.batches.length, 0)
    assert.equal(world.latches.size, 0)
  })

  test('asks for no condition: the latch has seen to what a condition would ask for', async () => {
    const world = await bobAndJoe()
    world.store.isHeld = false
    await world.commitAt(7, TRANSFER)
    await world.context.background.drain()
    assert.equal(world.store.batches.length, 3)
    for (const { when, ifMatched } of world.store.batches.flat()) {
      assert.deepEqual([when, ifMatched], [[], []])
    }
  })

  test('latches every row before its prewrite is queued, without a timestamp', async () => {
    const world = await bobAndJoe()
    void world.commitAt(7, TRANSFER)
    assert.equal(world.store.queued, 1)
    assert.equal(world.latches.size, 2)
    assert.equal(world.latches.ownerOf('bob')?.commitTs, undefined)
    // Its timestamp will be larger than every one that has been issued, so nobody waits for it.
    assert.equal(await world.read('bob', 100), '10')
  })

  test('has commitTs in every latch, and in pending, in the turn that queues the primary', async () => {
    const world = await bobAndJoe()
    void world.commitAt(7, TRANSFER)
    await world.store.apply()
    assert.equal(world.store.queued, 1)
    assert.equal(world.latches.ownerOf('bob')?.commitTs, 8)
    assert.equal(world.latches.ownerOf('joe')?.commitTs, 8)
    assert.equal(world.latches.resolvedTimestamp(8), 7)
    assert.equal(await stateOf(world.read('joe', 8)), 'waits')
    assert.equal(await world.read('joe', 7), '2')
  })

  test('keeps a secondary latched until its own commit is in the view', async () => {
    const world = await bobAndJoe()
    const committed = world.commitAt(7, TRANSFER)
    await world.store.apply()
    await world.store.apply()
    await committed
    assert.equal(await world.read('bob', 8), '3')
    const joe = world.read('joe', 8)
    assert.equal(await stateOf(joe), 'waits')
    // The outcome is settled all the same: what follows the commits need not wait for the rows.
    assert.equal(world.latches.resolvedTimestamp(8), 8)
    await world.store.apply()
    assert.equal(await joe, '9')
  })

  test('a second transaction of the same client waits for the secondaries of its first', async () => {
    const world = await bobAndJoe()
    const first = world.commitAt(7, TRANSFER)
    await world.store.apply()
    await world.store.apply()
    await first
    await world.oracle.next()
    const second = world.commitAt(9, TRANSFER)
    assert.equal(await stateOf(second), 'waits')
    world.store.isHeld = false
    await world.store.apply()
    assert.deepEqual(await second, { commitTs: 10 })
  })

  test('a latch of a living transaction is a conflict, and nothing is queued', async () => {
    const world = await bobAndJoe()
    void world.commitAt(7, { bob: '3' })
    await assert.rejects(world.commitAt(7, TRANSFER), {
      code: 'write_conflict',
      fields: { row: rowKey('bob'), conflictingTimestamp: 7 },
    })
    assert.equal(world.store.batches.length, 1)
  })

  test('a version since the snapshot is a conflict, and nothing is queued: no lock is without its primary', async () => {
    const world = await bobAndJoe()
    await world.given('joe write@9 -> 8 put 5')
    await assert.rejects(world.commitAt(7, TRANSFER), {
      code: 'write_conflict',
      fields: { row: rowKey('joe'), conflictingTimestamp: 9 },
    })
    assert.equal(world.store.batches.length, 0)
    assert.equal(world.latches.size, 0)
  })

  test('is rolled back when the safe point passes it before its commit point', async () => {
    const world = await bobAndJoe()
    const refused = assert.rejects(world.commitAt(7, TRANSFER), { code: 'snapshot_too_old' })
    world.oracle.safePoint = 8
    world.store.isHeld = false
    await world.store.apply()
    await refused
    await world.context.background.drain()
    assert.deepEqual(await lockLines(world), [])
    assert.equal(world.latches.size, 0)
  })

  test('below the safe point locks nothing at all', async () => {
    const world = await bobAndJoe()
    world.oracle.safePoint = 8
    assert.equal(await stateOf(world.commitAt(7, TRANSFER)), 'snapshot_too_old')
    assert.equal(world.store.batches.length, 0)
  })

  test('waits for the mark with its rows locked, and looks at the fences again', async () => {
    const world = await bobAndJoe()
    const raised = Promise.withResolvers<void>()
    world.oracle.mark = 7
    world.oracle.raising = raised.promise
    const refused = assert.rejects(world.commitAt(7, TRANSFER), { code: 'schema_changed' })
    await world.store.apply()
    world.oracle.schemaFence = 8
    raised.resolve()
    await refused
  })
})

describe('a batch of a two-phase commit that fails', () => {
  test('of prewrites, certainly not applied: rolled back with nothing to clean up', async () => {
    const world = await bobAndJoe()
    const refused = assert.rejects(world.commitAt(7, TRANSFER), { code: 'transaction_rolled_back' })
    await world.store.refuse('notApplied')
    await refused
    assert.equal(world.latches.size + world.store.queued, 0)
  })

  test('of the primary, certainly not applied: rolled back, however often that takes', async () => {
    const world = await bobAndJoe()
    const refused = assert.rejects(world.commitAt(7, TRANSFER), { code: 'transaction_rolled_back' })
    await world.store.apply()
    await world.store.refuse('notApplied')
    await refused
    const reader = world.read('bob', 8)
    for (let attempt = 0; attempt < 3; attempt += 1) await world.store.refuse('notApplied')
    assert.equal(await stateOf(reader), 'waits')
    await world.store.apply()
    assert.equal(await reader, '10')
    assert.deepEqual(await lockLines(world), [])
    assert.ok((await world.cells()).includes('bob rollback@7'))
  })

  test('of the secondaries: committed all the same, and tried again until it succeeds', async () => {
    const world = await bobAndJoe()
    const committed = world.commitAt(7, TRANSFER)
    await world.store.apply()
    await world.store.apply()
    assert.deepEqual(await committed, { commitTs: 8 })
    for (let attempt = 0; attempt < 3; attempt += 1) await world.store.refuse('notApplied')
    await world.store.apply()
    assert.equal(await world.read('joe', 8), '9')
  })

  test('of the secondaries while the store is being closed: left to the next start', async () => {
    const world = await bobAndJoe()
    const committed = world.commitAt(7, TRANSFER)
    await world.store.apply()
    await world.store.apply()
    await committed
    world.stop(new CellStoreError('closed', 'being closed'))
    await world.store.refuse('notApplied')
    await world.context.background.drain()
    assert.equal((await lockLines(world)).length, 1)
    assert.equal(world.latches.size, 1)
  })

  test('and may have been applied: the outcome is unknown and the latches stay', async () => {
    for (const applied of [0, 1]) {
      const world = await bobAndJoe()
      const unknown = assert.rejects(world.commitAt(7, TRANSFER), {
        code: 'commit_outcome_unknown',
      })
      if (applied === 1) await world.store.apply()
      await world.store.refuse('ambiguous')
      await unknown
      assert.equal(world.latches.size, 2)
    }
  })
})

describe('a two-phase commit of very many rows', () => {
  const NAMES = Array.from({ length: 2 * COMMIT_TURN_ROWS + 1 }, (_, at) => `r${1_000 + at}`)
  const LAST = NAMES.at(-1) as string
  const ROWS = Object.fromEntries(NAMES.map((name) => [name, 'x']))

  /** How many rows are released by each call from now on. */
  function releasesOf({ latches }: EmbeddedWorld): number[] {
    const counts: number[] = []
    const release = latches.release.bind(latches)
    latches.release = (owner: LatchOwner, rows: readonly LatchRequest[]) => {
      counts.push(rows.length)
      release(owner, rows)
    }
    return counts
  }

  test('latches some each turn, and locks nothing before all are latched (J1)', async () => {
    const world = new EmbeddedWorld(7, 'two-phase')
    void world.commitAt(7, ROWS)
    const latched: number[] = []
    for (let turn = 0; turn < 3; turn += 1) {
      assert.equal(world.store.queued, 0)
      latched.push(world.latches.size)
      await eventLoopTurn()
    }
    assert.deepEqual(latched, [COMMIT_TURN_ROWS, 2 * COMMIT_TURN_ROWS, NAMES.length])
    assert.equal(world.store.queued, 1)
    assert.equal(world.latches.ownerOf(LAST)?.commitTs, undefined)
    assert.equal(world.store.batches[0]?.length, NAMES.length)
    assert.equal(await world.read(LAST, 100), null)
  })

  test('takes its timestamp when all are locked, and releases some secondaries each turn', async () => {
    const world = new EmbeddedWorld(7, 'two-phase')
    const committed = world.commitAt(7, ROWS)
    await world.store.apply()
    for (const name of NAMES) assert.equal(world.latches.ownerOf(name)?.commitTs, 8)
    await world.store.apply()
    assert.deepEqual(await committed, { commitTs: 8 })
    const releases = releasesOf(world)
    await world.store.apply()
    await world.context.background.drain()
    assert.deepEqual(releases, [COMMIT_TURN_ROWS, COMMIT_TURN_ROWS])
    assert.equal(world.latches.size, 0)
    assert.equal(await world.read(LAST, 8), 'x')
  })

  test('conflicts with a row that is locked while it latches others, and leaves no latch', async () => {
    const world = new EmbeddedWorld(7, 'two-phase')
    const refused = assert.rejects(world.commitAt(7, ROWS), {
      code: 'write_conflict',
      fields: { row: rowKey(LAST), conflictingTimestamp: 7 },
    })
    void world.commitAt(7, { [LAST]: 'mine' })
    await refused
    assert.equal(world.latches.size, 1)
    assert.equal(world.store.batches.length, 1)
  })

  test('waits for the latches of an earlier commit holding nothing, and begins again (J10)', async () => {
    const world = new EmbeddedWorld(7, 'two-phase')
    const first = world.commitAt(7, { bob: '3', [LAST]: 'first' })
    await world.store.apply()
    await world.store.apply()
    await first
    await world.oracle.next()
    const second = world.commitAt(9, ROWS)
    assert.equal(await stateOf(second), 'waits')
    assert.equal(world.latches.size, 1)
    world.store.isHeld = false
    await world.store.apply()
    assert.deepEqual(await second, { commitTs: 10 })
  })

  test('below the safe point latches nothing, not even for a turn', async () => {
    const world = new EmbeddedWorld(7, 'two-phase')
    world.oracle.safePoint = 8
    const refused = assert.rejects(world.commitAt(7, ROWS), { code: 'snapshot_too_old' })
    assert.equal(world.latches.oldestLockedStart(), undefined)
    await refused
  })

  test('meets a fence that was raised while it latched, and locks nothing', async () => {
    const world = new EmbeddedWorld(7, 'two-phase')
    const refused = assert.rejects(world.commitAt(7, ROWS), { code: 'schema_changed' })
    world.oracle.schemaFence = 8
    await refused
    assert.equal(world.latches.size + world.store.batches.length, 0)
  })

  test('certainly not prewritten: rolled back, and no latch is left', async () => {
    const world = new EmbeddedWorld(7, 'two-phase')
    const refused = assert.rejects(world.commitAt(7, ROWS), { code: 'transaction_rolled_back' })
    await world.store.refuse('notApplied')
    await refused
    assert.equal(world.latches.size + world.store.queued, 0)
  })

  test('of which the primary is refused: all locks are erased, and the latches go some each turn', async () => {
    const world = new EmbeddedWorld(7, 'two-phase')
    const refused = assert.rejects(world.commitAt(7, ROWS), { code: 'transaction_rolled_back' })
    await world.store.apply()
    const releases = releasesOf(world)
    await world.store.refuse('notApplied')
    await refused
    await world.store.apply()
    await world.context.background.drain()
    assert.deepEqual(await world.cells(), ['r1000 rollback@7'])
    assert.deepEqual(releases, [COMMIT_TURN_ROWS, COMMIT_TURN_ROWS, 1])
    assert.equal(world.latches.size, 0)
  })
})
