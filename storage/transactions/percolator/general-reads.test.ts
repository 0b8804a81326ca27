// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { OWNER_A, rowKey } from '../../../test/storage/cell-notation.ts'
import { COLUMN, type Gateway, ProtocolWorld } from '../../../test/storage/protocol-world.ts'

const ROWS = ['ann write@6 -> 5 put 1', 'bob write@6 -> 5 put 2', 'bob write@9 -> 8 put 3']
const NAMES = ['ann', 'bob', 'joe'] as const

/** A transaction that has prefetched these rows, and what it asks the store after that. */
async function prefetched(gateway: Gateway, names: readonly string[], readTs = 20) {
  const transaction = gateway.beginAt(readTs)
  await transaction.prefetch(names.map((name) => ({ key: rowKey(name), columns: [COLUMN] })))
  const asked: string[] = []
  const { store } = gateway
  const readRows = store.readRows.bind(store)
  store.readRows = async (keys, filter) => {
    asked.push(keys.map((key) => Buffer.from(key).toString()).join())
    return await readRows(keys, filter)
  }
  const read = async (...keys: readonly string[]) => {
    const rows = await transaction.getRows(keys.map(rowKey), [COLUMN])
    return rows.map((row) => row && Buffer.from(row.columns.get(COLUMN)?.value ?? []).toString())
  }
  return { transaction, read, asked }
}

async function worldWith(...cells: readonly string[]): Promise<ProtocolWorld> {
  const world = new ProtocolWorld(100)
  await world.given(...ROWS, ...cells)
  return world
}

describe('rows that were read ahead', () => {
  test('are answered without the store, the absent ones as well', async () => {
    const world = await worldWith()
    const { read, asked } = await prefetched(world.a, NAMES)
    assert.deepEqual(await read('bob'), ['3'])
    assert.deepEqual(await read('joe', 'ann'), [null, '1'])
    assert.deepEqual(asked, [])
  })

  test('are held as often as they were wanted, so that nothing stays', async () => {
    const world = await worldWith()
    const { read, asked } = await prefetched(world.a, ['ann', 'bob', 'ann'])
    assert.deepEqual(await read('ann', 'bob'), ['1', '3'])
    assert.deepEqual(await read('ann', 'bob'), ['1', '3'])
    assert.deepEqual(await read('ann'), ['1'])
    assert.deepEqual(asked, ['bob', 'ann'])
  })

  test('show what the transaction itself has written', async () => {
    const world = await worldWith()
    const { transaction, read } = await prefetched(world.a, NAMES)
    transaction.put(rowKey('bob'), COLUMN, Buffer.from('own'))
    transaction.delete(rowKey('ann'), COLUMN)
    assert.deepEqual(await read(...NAMES), [null, 'own', null])
  })

  test('are of the snapshot, and what others commit after it is not seen', async () => {
    const world = await worldWith()
    const { read } = await prefetched(world.a, NAMES, 8)
    await world.given('ann write@30 -> 25 put 9')
    assert.deepEqual(await read(...NAMES), ['1', '2', null])
  })

  test('are not shown once the safe point has passed the snapshot (F2)', async () => {
    const world = await worldWith()
    const { read } = await prefetched(world.a, NAMES)
    world.oracle.safePoint = 21
    await assert.rejects(read('bob'), { code: 'snapshot_too_old' })
  })

  test('do not stand for other columns', async () => {
    const world = await worldWith('bob.1 write@9 -> 8 put 7')
    const { transaction, asked } = await prefetched(world.a, ['bob'])
    const [row] = await transaction.getRows([rowKey('bob')], [COLUMN, '1'])
    assert.deepEqual([row?.columns.size, asked], [2, ['bob']])
  })
})

describe('a row is left to the statement that asks for it', () => {
  test('when a lock may hide a version: reading ahead waits for nobody', async () => {
    const world = await worldWith('bob lock@15 primary=bob put 4')
    const { read, asked } = await prefetched(world.a, NAMES)
    assert.deepEqual(await read('ann', 'joe'), ['1', null])
    assert.deepEqual(asked, [])
    world.a.liveness.dead.add(OWNER_A)
    assert.deepEqual(await read('bob'), ['3'])
    assert.equal(asked[0], 'bob')
  })

  test('when the values read ahead become too long to be held', async () => {
    const long = 'x'.repeat(600 * 1024)
    const world = await worldWith(
      `ann data@10 = ${long}`,
      `ann write@11 -> 10 data ${long.length}`,
      `bob data@10 = ${long}`,
      `bob write@11 -> 10 data ${long.length}`,
    )
    const { read, asked } = await prefetched(world.a, NAMES)
    assert.deepEqual(await read('ann', 'joe'), [long, null])
    assert.deepEqual(asked, [])
    assert.deepEqual(await read('bob'), [long])
    assert.deepEqual(asked, ['bob', 'bob'])
  })
})
