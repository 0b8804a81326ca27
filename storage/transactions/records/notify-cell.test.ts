// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { rowKey } from '../../../test/storage/cell-notation.ts'
import { COLUMN, ProtocolWorld } from '../../../test/storage/protocol-world.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import { decodeNotify, setNotify } from './notify-cell.ts'

const BOB = rowKey('bob')
const JOE = rowKey('joe')

function put(transaction: ReturnType<ProtocolWorld['a']['beginAt']>, row: Uint8Array): void {
  transaction.put(row, COLUMN, Buffer.from('9'))
}

test('what is written into a notify cell is read from it', () => {
  const timestamp = fc.integer({ min: 1, max: 2 ** 52 })
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2 ** 32 - 1 }), timestamp, timestamp, (id, at, by) => {
      const { observerId, timestamp: found, changedBy } = decodeNotify(setNotify(id, at, by))
      assert.deepEqual([observerId, found, changedBy], [id, at, by])
    }),
  )
})

test('a cell of no observer, or with another value than a timestamp, is a violation', () => {
  const cell = setNotify(7, 20)
  for (const damage of [
    { qualifier: 'seven' },
    { qualifier: '07' },
    { value: new Uint8Array(7) },
    { value: new Uint8Array(9) },
  ]) {
    assert.throws(() => decodeNotify({ ...cell, ...damage }), { rule: 'O2' })
  }
})

describe('two-phase commit', () => {
  test('notifies with the lock, at the start of the transaction', async () => {
    const world = new ProtocolWorld(20)
    const transaction = world.a.beginAt(15)
    put(transaction, BOB)
    put(transaction, JOE)
    transaction.notify(JOE, 7, 'strong')
    world.a.faultAt(2, 'crashAfter')
    transaction.commit()
    while ((await world.cells()).length < 3) await new Promise(setImmediate)
    assert.deepEqual(await world.cells(), [
      'bob lock@15 primary=bob put 9',
      'joe lock@15 primary=bob put 9',
      'joe.7 notify@15',
    ])
  })

  test('erases the notify cell with the lock of a transaction that is rolled back', async () => {
    const world = new ProtocolWorld(20)
    await world.given('joe write@18 -> 17 put 1')
    const transaction = world.a.beginAt(15)
    put(transaction, BOB)
    put(transaction, JOE)
    transaction.notify(BOB, 7, 'strong')
    await assert.rejects(transaction.commit(), { code: 'write_conflict' })
    assert.deepEqual(await world.cells(), ['bob rollback@15', 'joe write@18 -> 17 put 1'])
  })

  test('erases the notify cells of a dead one with its locks, and no others', async () => {
    const world = new ProtocolWorld(20)
    await world.given('joe.7 notify@12', 'joe.8 notify@15')
    const transaction = world.a.beginAt(15)
    put(transaction, BOB)
    put(transaction, JOE)
    transaction.notify(BOB, 7, 'strong')
    transaction.notify(JOE, 7, 'strong')
    world.a.faultAt(2, 'crashAfter')
    transaction.commit()
    while ((await world.cells()).length < 6) await new Promise(setImmediate)
    world.b.liveness.dead.add(world.a.liveness.incarnation)
    const reader = world.b.beginAt(19)
    for (const key of [BOB, JOE]) await reader.getRow(key, [COLUMN])
    reader.rollback()
    await world.b.context.background.drain()
    assert.deepEqual(await world.cells(), ['bob rollback@15', 'joe.7 notify@12'])
  })

  test('sets a weak notify cell at the commit timestamp, and locks no row for it', async () => {
    const world = new ProtocolWorld(20)
    const transaction = world.a.beginAt(15)
    put(transaction, BOB)
    transaction.notify(JOE, 7, 'weak')
    transaction.notify(JOE, 7, 'weak')
    await transaction.commit()
    assert.deepEqual(await world.cells(), ['bob write@21 -> 15 put 9', 'joe.7 notify@21'])
  })

  test('does not commit when a weak notify cell cannot be set', async () => {
    const world = new ProtocolWorld(20)
    const transaction = world.a.beginAt(15)
    put(transaction, BOB)
    transaction.notify(JOE, 7, 'weak')
    world.a.store.mutateRows = async (entries) =>
      await world.cellStore.mutateRows(entries.map((entry) => ({ ...entry, row: Buffer.of() })))
    await assert.rejects(transaction.commit(), { code: 'transaction_rolled_back' })
    assert.deepEqual(await world.cells(), ['bob rollback@15'])
  })
})

describe('a transaction', () => {
  test('that is read only notifies nobody', async () => {
    const world = new ProtocolWorld(20)
    const transaction = world.a.beginAt(15)
    transaction.rollback()
    assert.throws(() => transaction.notify(JOE, 7, 'weak'), { code: 'transaction_closed' })
  })

  test('notifies weakly so often at most as it writes rows', () => {
    const world = new ProtocolWorld(20)
    const transaction = world.a.beginAt(15)
    for (let id = 1; id <= STORAGE_LIMITS.transactionRowsMax; id += 1) {
      transaction.notify(JOE, id, 'weak')
    }
    transaction.notify(JOE, 1, 'weak')
    const one = STORAGE_LIMITS.transactionRowsMax + 1
    assert.throws(() => transaction.notify(JOE, one, 'weak'), {
      code: 'limit_exceeded',
      fields: { limit: 'transactionRowsMax', limitValue: one - 1, actual: one },
    })
  })
})
