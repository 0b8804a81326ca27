// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { OWNER_A, rowKey } from '../../../test/storage/cell-notation.ts'
import { COLUMN, ProtocolWorld } from '../../../test/storage/protocol-world.ts'
import { LockSweeper } from '../../transactions/percolator/lock-sweeper.ts'
import { GarbageCollector } from './garbage-collector.ts'
import type { Expendable } from './row-garbage.ts'

/** Nothing but what was of the observer 66. */
const nothing: Expendable = { row: () => false, observer: (id) => id === 66 }

function collect(world: ProtocolWorld, safePoint: number, expendable = nothing) {
  const sweeper = new LockSweeper(world.b.context, world.b.resolver)
  const collector = new GarbageCollector(
    world.b.context,
    async (safePoint) => (await sweeper.sweep(safePoint)).resolved,
    0,
  )
  return collector.collect(safePoint, async () => expendable)
}

describe('a collection at 10 leaves', () => {
  const scenarios = [
    {
      name: 'the newest version at or below 10 and everything above it',
      given: ['bob write@12 -> 11 put c', 'bob write@9 -> 8 put b', 'bob write@6 -> 5 put a'],
      expected: ['bob write@12 -> 11 put c', 'bob write@9 -> 8 put b'],
    },
    {
      name: 'the version committed at 10 itself, which a snapshot at 10 sees',
      given: ['bob write@10 -> 8 put b', 'bob write@6 -> 5 put a'],
      expected: ['bob write@10 -> 8 put b'],
    },
    {
      name: 'the data of the version that stays, and none of older ones',
      given: [
        'bob data@8 = long b',
        'bob data@5 = long a',
        'bob write@9 -> 8 data 6',
        'bob write@6 -> 5 data 6',
      ],
      expected: ['bob data@8 = long b', 'bob write@9 -> 8 data 6'],
    },
    {
      name: 'nothing of a row that was deleted at or below it',
      given: ['bob data@5 = long', 'bob write@9 -> 8 delete', 'bob write@6 -> 5 data 4'],
      expected: [],
    },
    {
      name: 'a delete above it, and what a snapshot at 10 sees',
      given: ['bob write@12 -> 11 delete', 'bob write@6 -> 5 put a'],
      expected: ['bob write@12 -> 11 delete', 'bob write@6 -> 5 put a'],
    },
    {
      name: 'rollback records and guards at or above it only',
      given: ['bob rollback@7', 'bob rollback@10', 'joe guard@9 -> 8', 'joe guard@11 -> 8'],
      expected: ['bob rollback@10', 'joe guard@11 -> 8'],
    },
    {
      name: 'the lock and the data of a transaction that began at or after it',
      given: ['bob write@9 -> 8 put b', 'bob data@11 = new', 'bob lock@11 primary=bob data 3'],
      expected: ['bob data@11 = new', 'bob lock@11 primary=bob data 3', 'bob write@9 -> 8 put b'],
    },
    {
      name: 'other columns of the row as they are',
      given: ['bob write@9 -> 8 delete', 'bob.1 write@9 -> 8 put b'],
      expected: ['bob.1 write@9 -> 8 put b'],
    },
    {
      name: 'a delete of which an observer is still to learn, and what the notify cell names',
      given: ['bob write@9 -> 8 delete', 'bob write@6 -> 5 put a', 'bob.7 notify@5'],
      expected: ['bob write@9 -> 8 delete', 'bob write@6 -> 5 put a', 'bob.7 notify@5'],
    },
    {
      name: 'of a row that is notified what would stay at the start of what is named',
      given: [
        'bob write@9 -> 8 put c',
        'bob write@7 -> 6 put b',
        'bob write@4 -> 3 put a',
        'bob.7 notify@12 of 8',
        'bob.9 notify@8',
      ],
      expected: [
        'bob write@9 -> 8 put c',
        'bob write@7 -> 6 put b',
        'bob.7 notify@12 of 8',
        'bob.9 notify@8',
      ],
    },
    {
      name: 'nothing of an observer that had been dropped, which holds back nothing',
      given: [
        'bob write@9 -> 8 put c',
        'bob write@6 -> 5 put b',
        'bob.ack/66 write@7 -> 6 put 00000006',
        'bob.66 notify@5',
      ],
      expected: ['bob write@9 -> 8 put c'],
    },
    {
      name: 'no acknowledgment of a row that is gone',
      given: ['bob write@9 -> 8 delete', 'bob.ack/7 write@10 -> 9 put 00000009'],
      expected: [],
    },
    {
      name: 'the acknowledgment of a row that is there, and of one whose delete is not observed',
      given: [
        'bob write@9 -> 8 put a',
        'bob.ack/7 write@10 -> 9 put 00000009',
        'joe write@9 -> 8 delete',
        'joe write@5 -> 4 put a',
        'joe.7 notify@8',
        'joe.ack/7 write@7 -> 6 put 00000006',
      ],
      expected: [
        'bob write@9 -> 8 put a',
        'bob.ack/7 write@10 -> 9 put 00000009',
        'joe write@9 -> 8 delete',
        'joe write@5 -> 4 put a',
        'joe.ack/7 write@7 -> 6 put 00000006',
        'joe.7 notify@8',
      ],
    },
  ]
  for (const { name, given, expected } of scenarios) {
    test(name, async () => {
      const world = new ProtocolWorld(20)
      await world.given(...given)
      await collect(world, 10)
      assert.deepEqual(await world.cells(), expected)
      await collect(world, 10)
      assert.deepEqual(await world.cells(), expected, 'a second collection changes nothing')
    })
  }
})

describe('a collection settles locks below the safe point first', () => {
  test('rolls a secondary forward before its primary’s record goes', async () => {
    const world = new ProtocolWorld(20)
    await world.given(
      'bob write@9 -> 8 put new',
      'bob write@6 -> 5 put 3',
      'joe lock@5 primary=bob put 9',
    )
    const { locksResolved } = await collect(world, 10)
    assert.equal(locksResolved, 1)
    assert.deepEqual(await world.cells(), ['bob write@9 -> 8 put new', 'joe write@6 -> 5 put 9'])
  })

  test('rolls back a living owner too: it is too old to commit', async () => {
    const world = new ProtocolWorld(20)
    await world.given('bob lock@5 primary=bob put 3', 'bob write@4 -> 3 put 10')
    await collect(world, 10)
    assert.deepEqual(await world.cells(), ['bob write@4 -> 3 put 10'])
  })

  test('and the owner that still lives finds out, and is not told that it committed', async () => {
    const world = new ProtocolWorld(20)
    await world.given('bob write@4 -> 3 put 10')
    const transaction = world.a.beginAt(5)
    transaction.put(rowKey('bob'), COLUMN, Buffer.from('3'))
    // History is collected between its prewrite and its commit timestamp.
    const next = world.oracle.next.bind(world.oracle)
    world.oracle.next = async () => {
      world.oracle.next = next
      await collect(world, 10)
      return await next()
    }
    await assert.rejects(transaction.commit(), { code: 'snapshot_too_old' })
    assert.equal(await world.b.read('bob', 20), '10')
  })

  test('a lock that cannot be read stops the collection before anything is deleted', async () => {
    const world = new ProtocolWorld(20)
    await world.given('bob write@9 -> 8 put b', 'bob write@6 -> 5 put a')
    await world.cellStore.mutateRows([
      {
        row: rowKey('joe'),
        mutations: [
          {
            kind: 'setCell',
            family: 'lock',
            qualifier: COLUMN,
            timestamp: 5,
            value: Buffer.from('?'),
          },
        ],
      },
    ])
    await assert.rejects(collect(world, 10), { name: 'InvariantViolation' })
    const [bob] = await world.cellStore.readRows([rowKey('bob')], [{ family: 'write' }])
    assert.equal(bob?.cells.length, 2)
  })
})

describe('a collection', () => {
  test('takes expendable rows as a whole, once they are at or below the safe point', async () => {
    const world = new ProtocolWorld(20)
    await world.given(
      'old write@9 -> 8 put b',
      'old.1 data@8 = long',
      'old.1 write@9 -> 8 data 4',
      'new write@12 -> 11 put b',
    )
    await collect(world, 10, { ...nothing, row: () => true })
    assert.deepEqual(await world.cells(), ['new write@12 -> 11 put b'])
  })

  test('refuses snapshots below the safe point, and begins with that', async () => {
    const world = new ProtocolWorld(20)
    await world.given('bob write@9 -> 8 put b', 'bob write@6 -> 5 put a')
    let versionsWhenRaised = 0
    const raise = world.oracle.raiseSafePoint.bind(world.oracle)
    world.oracle.raiseSafePoint = async (to) => {
      const [bob] = await world.cellStore.readRows([rowKey('bob')], [{ family: 'write' }])
      versionsWhenRaised = bob?.cells.length ?? 0
      await raise(to)
    }
    await collect(world, 10)
    assert.equal(versionsWhenRaised, 2)
    await assert.rejects(world.a.read('bob', 7), { code: 'snapshot_too_old' })
    assert.equal(await world.a.read('bob', 10), 'b')
  })

  test('waits for requests that may still be under way before it touches a lock', async () => {
    const world = new ProtocolWorld(20)
    await world.given('bob lock@5 primary=bob put 3')
    const sweeper = new LockSweeper(world.b.context, world.b.resolver)
    const collector = new GarbageCollector(
      world.b.context,
      async (safePoint) => (await sweeper.sweep(safePoint)).resolved,
      120_000,
    )
    let sleptMs = 0
    const { clock } = world.b.context
    const sleep = clock.sleep.bind(clock)
    clock.sleep = async (ms) => {
      sleptMs += ms
      const [bob] = await world.cellStore.readRows([rowKey('bob')], [{ family: 'lock' }])
      assert.equal(bob?.cells.length, 1)
      await sleep(ms)
    }
    await collector.collect(10, async () => nothing)
    assert.equal(sleptMs, 120_000)
  })

  test('goes over more rows than fit a page, and counts them', async () => {
    const world = new ProtocolWorld(20)
    const names = Array.from({ length: 1_300 }, (_, index) => `r${1000 + index}`)
    await world.given(
      ...names.flatMap((name) => [`${name} write@9 -> 8 put b`, `${name} write@6 -> 5 put a`]),
    )
    const { rowsExamined, rowsCollected } = await collect(world, 10)
    assert.deepEqual({ rowsExamined, rowsCollected }, { rowsExamined: 1_300, rowsCollected: 1_300 })
    assert.equal((await world.cells()).length, 1_300)
  })

  test('changes nothing that a snapshot at or above the safe point reads', async () => {
    const history = fc.array(
      fc.record({
        row: fc.constantFrom('ann', 'bob', 'joe'),
        gapBefore: fc.integer({ min: 1, max: 3 }),
        length: fc.integer({ min: 1, max: 3 }),
        kind: fc.constantFrom('put', 'data', 'delete'),
      }),
      { maxLength: 24 },
    )
    await fc.assert(
      fc.asyncProperty(history, fc.integer({ min: 1, max: 80 }), async (writes, safePoint) => {
        const world = new ProtocolWorld(1_000)
        world.a.liveness.dead.add(OWNER_A)
        let now = 1
        for (const { row, gapBefore, length, kind } of writes) {
          const startTs = now + gapBefore
          now = startTs + length
          const content = { put: `put v${startTs}`, data: 'data 4', delete: 'delete' }[kind]
          if (kind === 'data') await world.given(`${row} data@${startTs} = D${startTs}`)
          await world.given(`${row} write@${now} -> ${startTs} ${content}`)
        }
        const readAll = async () => {
          const reads: Array<string | null> = []
          for (let readTs = safePoint; readTs <= now + 1; readTs += 1) {
            for (const row of ['ann', 'bob', 'joe']) reads.push(await world.a.read(row, readTs))
          }
          return reads
        }
        const before = await readAll()
        await collect(world, safePoint)
        assert.deepEqual(await readAll(), before)
        const versions = (await world.cells()).filter((line) => line.includes(' write@'))
        const atOrBelow = versions.filter(
          (line) => Number(/write@(\d+)/.exec(line)?.[1]) <= safePoint,
        )
        assert.ok(
          atOrBelow.length <= 3,
          'one version of each row is left at or below the safe point',
        )
      }),
      { numRuns: 150 },
    )
  })
})
