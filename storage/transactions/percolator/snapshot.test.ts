// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { OWNER_A, rowKey } from '../../../test/storage/cell-notation.ts'
import { COLUMN, type Gateway, ProtocolWorld } from '../../../test/storage/protocol-world.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import type { SnapshotRow } from '../records/version.ts'

const HISTORY = ['bob write@6 -> 5 put 10', 'bob write@9 -> 8 put 3', 'bob write@12 -> 11 delete']

async function scan(gateway: Gateway, readTs: number, options: { reverse?: boolean } = {}) {
  const rows = gateway
    .beginAt(readTs)
    .scanRows({ start: rowKey('a'), columns: [COLUMN], ...options })
  return (await Array.fromAsync(rows)).map(textOfRow)
}

function textOfRow(row: SnapshotRow): string {
  const value = row.columns.get(COLUMN)?.value
  return `${Buffer.from(row.key)}=${value === undefined ? '?' : Buffer.from(value)}`
}

describe('a snapshot sees the newest version at or before it', () => {
  const expected = { 5: null, 6: '10', 8: '10', 9: '3', 11: '3', 12: null, 99: null } as const
  for (const [readTs, value] of Object.entries(expected)) {
    test(`at ${readTs}: ${value ?? 'absent'}`, async () => {
      const world = new ProtocolWorld(100)
      await world.given(...HISTORY)
      assert.equal(await world.a.read('bob', Number(readTs)), value)
    })
  }
})

describe('a snapshot at 10 meets a lock', () => {
  test('of a transaction that began after it: passes by', async () => {
    const world = new ProtocolWorld(100)
    await world.given(...HISTORY, 'bob lock@11 primary=bob put 1')
    assert.equal(await world.a.read('bob', 10), '3')
  })

  test('of a guard: passes by', async () => {
    const world = new ProtocolWorld(100)
    await world.given(...HISTORY, 'bob lock@9 primary=joe guard', 'joe lock@9 primary=joe put 1')
    assert.equal(await world.a.read('bob', 10), '3')
  })

  test('of a living owner: waits until it is decided, and sees the commit', async () => {
    const world = new ProtocolWorld(100)
    await world.given('bob lock@7 primary=bob put 3')
    let sleeps = 0
    const { clock } = world.a.context
    const sleep = clock.sleep.bind(clock)
    clock.sleep = async (ms) => {
      sleeps += 1
      if (sleeps === 3) {
        await world.cellStore.mutateRows([
          {
            row: rowKey('bob'),
            mutations: [
              { kind: 'deleteFromColumn', family: 'lock', qualifier: COLUMN, timestamps: {} },
            ],
          },
        ])
        await world.given('bob write@8 -> 7 put 3')
      }
      await sleep(ms)
    }
    assert.equal(await world.a.read('bob', 10), '3')
    assert.equal(sleeps, 3)
  })

  test('of a living owner for ever: gives up with the rows and the holder named', async () => {
    const world = new ProtocolWorld(100)
    await world.given('bob lock@7 primary=bob put 3')
    await assert.rejects(world.a.read('bob', 10), {
      code: 'locked',
      fields: { row: rowKey('bob'), lockedBy: [7] },
    })
  })

  test('of a commit at or before it: sees the value in the lock and rolls it forward', async () => {
    const world = new ProtocolWorld(100)
    await world.given('bob write@9 -> 7 put 3', 'joe lock@7 primary=bob put 9')
    assert.equal(await world.a.read('joe', 10), '9')
    assert.deepEqual(await world.cells(), ['bob write@9 -> 7 put 3', 'joe write@9 -> 7 put 9'])
  })

  test('of one transaction in each of many rows: asks its primary once', async (t) => {
    const world = new ProtocolWorld(100)
    const rows = Array.from({ length: 50 }, (_, at) => `row${at}`)
    const locks = rows.map((row) => `${row} lock@7 primary=bob put ${row}`)
    await world.given('bob write@9 -> 7 put 3', ...locks)
    const reads = t.mock.method(world.a.store, 'readRows')
    const found = await world.a.beginAt(10).getRows(rows.map(rowKey), [COLUMN])
    assert.deepEqual(
      found.map((row) => row && textOfRow(row)),
      rows.map((row) => `${row}=${row}`),
    )
    const ofPrimary = reads.mock.calls.filter(({ arguments: [keys] }) =>
      keys.some((key) => Buffer.from(key).toString() === 'bob'),
    )
    assert.equal(ofPrimary.length, 1)
  })

  test('of a commit at or before it, with a long value and with a delete', async () => {
    const world = new ProtocolWorld(100)
    await world.given(
      'bob write@9 -> 7 put 3',
      'joe data@7 = long',
      'joe lock@7 primary=bob data 4',
      'sue write@5 -> 4 put 1',
      'sue lock@7 primary=bob delete',
    )
    assert.equal(await world.a.read('joe', 10), 'long')
    assert.equal(await world.a.read('sue', 10), null)
  })

  test('of a commit after it: keeps to the older version and rolls the lock forward', async () => {
    const world = new ProtocolWorld(100)
    await world.given(
      'bob write@11 -> 7 put 3',
      'joe write@5 -> 4 put 2',
      'joe lock@7 primary=bob put 9',
    )
    assert.equal(await world.a.read('joe', 10), '2')
    assert.ok((await world.cells()).includes('joe write@11 -> 7 put 9'))
  })

  test('of a dead owner: rolls the transaction back, primary first, and reads what was before', async () => {
    const world = new ProtocolWorld(100)
    await world.given(
      'bob lock@7 primary=bob put 3',
      'joe write@5 -> 4 put 2',
      'joe lock@7 primary=bob data 4',
      'joe data@7 = long',
    )
    world.a.liveness.dead.add(OWNER_A)
    assert.equal(await world.a.read('joe', 10), '2')
    assert.deepEqual(await world.cells(), ['bob rollback@7', 'joe write@5 -> 4 put 2'])
  })

  test('of a dead owner, and the answer to its rolling back is lost: reads all the same', async () => {
    for (const fault of ['requestLost', 'answerLost', 'refused'] as const) {
      const world = new ProtocolWorld(100)
      await world.given(...HISTORY, 'bob lock@10 primary=bob put 1')
      world.b.liveness.dead.add(OWNER_A)
      world.b.faultAt(1, fault)
      assert.equal(await world.b.read('bob', 10), '3')
    }
  })

  test('and its commit record at once, by a store that broke a rule: the commit counts', async () => {
    const world = new ProtocolWorld(100)
    await world.given('bob write@8 -> 7 put 3', 'bob lock@7 primary=bob put 3')
    world.a.liveness.dead.add(OWNER_A)
    assert.equal(await world.a.read('bob', 10), '3')
    assert.deepEqual(await world.cells(), ['bob write@8 -> 7 put 3'])
  })
})

describe('the safe point', () => {
  test('passes the snapshot: nothing that was read is shown', async () => {
    const world = new ProtocolWorld(100)
    await world.given(...HISTORY)
    world.oracle.safePoint = 50
    await assert.rejects(world.a.read('bob', 10), { code: 'snapshot_too_old' })
    await assert.rejects(scan(world.a, 10), { code: 'snapshot_too_old' })
  })

  test('left nothing for a scan to find: too old, never empty', async () => {
    const world = new ProtocolWorld(100)
    // What a snapshot at 10 saw was collected, and what is left is younger.
    await world.given('bob write@60 -> 55 put 5')
    world.oracle.safePoint = 50
    await assert.rejects(scan(world.a, 10), { code: 'snapshot_too_old' })
  })

  test('took away the data of a record: too old, never absent', async () => {
    const world = new ProtocolWorld(100)
    await world.given('bob write@6 -> 5 data 300')
    const { cellStore } = world
    const readRows = cellStore.readRows.bind(cellStore)
    cellStore.readRows = async (keys, filter) => {
      if (filter[0]?.family === 'data') world.oracle.safePoint = 50
      return await readRows(keys, filter)
    }
    await assert.rejects(world.a.read('bob', 10), { code: 'snapshot_too_old' })
  })

  test('did not pass and the data is missing: the store is damaged (I5)', async () => {
    const world = new ProtocolWorld(100)
    await world.given('bob write@6 -> 5 data 300')
    await assert.rejects(world.a.read('bob', 10), { rule: 'I5' })
  })
})

describe('a scan at a snapshot', () => {
  test('finds a new row that has only a lock so far, when its transaction committed', async () => {
    const world = new ProtocolWorld(100)
    await world.given(
      'ann write@6 -> 5 put 1',
      'bob write@8 -> 7 put 2',
      'joe lock@7 primary=bob put 3',
      'sue write@6 -> 5 put 4',
    )
    assert.deepEqual(await scan(world.a, 10), ['ann=1', 'bob=2', 'joe=3', 'sue=4'])
    assert.deepEqual(await scan(world.a, 10, { reverse: true }), [
      'sue=4',
      'joe=3',
      'bob=2',
      'ann=1',
    ])
    assert.deepEqual(await scan(world.a, 7), ['ann=1', 'sue=4'])
  })

  test('reads by an unfinished writer’s data cell to the one that counts', async () => {
    const world = new ProtocolWorld(100)
    await world.given('bob data@5 = right', 'bob write@6 -> 5 data 5', 'bob data@8 = left over')
    assert.deepEqual(await scan(world.a, 10), ['bob=right'])
  })

  test('of thousands of rows gives each once, in both directions, whatever the limit', async () => {
    const world = new ProtocolWorld(100)
    const names = Array.from({ length: 2_500 }, (_, index) => `r${String(index).padStart(5, '0')}`)
    await world.given(...names.map((name, index) => `${name} write@6 -> 5 put ${index}`))
    const expected = names.map((name, index) => `${name}=${index}`)
    const asked: number[] = []
    const scanRows = world.cellStore.scanRows.bind(world.cellStore)
    world.cellStore.scanRows = (range) => {
      asked.push(range.limit ?? Number.POSITIVE_INFINITY)
      return scanRows(range)
    }
    assert.deepEqual(await scan(world.a, 10), expected)
    assert.deepEqual(await scan(world.a, 10, { reverse: true }), expected.toReversed())
    const rows = world.a
      .beginAt(10)
      .scanRows({ start: rowKey('a'), columns: [COLUMN], limit: 1_003 })
    assert.deepEqual((await Array.fromAsync(rows)).map(textOfRow), expected.slice(0, 1_003))
    assert.equal(Math.max(...asked), STORAGE_LIMITS.scanPageRows)
  })

  test('with a small limit over many deleted rows still finds the living one', async () => {
    const world = new ProtocolWorld(100)
    const dead = Array.from({ length: 300 }, (_, index) => `r${1000 + index} write@6 -> 5 delete`)
    await world.given(...dead, 'z write@6 -> 5 put 1')
    const rows = world.a.beginAt(10).scanRows({ start: rowKey('a'), columns: [COLUMN], limit: 1 })
    assert.deepEqual((await Array.fromAsync(rows)).map(textOfRow), ['z=1'])
  })

  test('ends when its signal is aborted', async () => {
    const world = new ProtocolWorld(100)
    await world.given('ann write@6 -> 5 put 1')
    const signal = AbortSignal.abort(new Error('gone'))
    const rows = world.a.beginAt(10).scanRows({ start: rowKey('a'), columns: [COLUMN], signal })
    await assert.rejects(Array.fromAsync(rows), { message: 'gone' })
  })
})
