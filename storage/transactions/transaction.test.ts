// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { rowKey } from '../../test/storage/cell-notation.ts'
import { COLUMN, ProtocolWorld } from '../../test/storage/protocol-world.ts'
import { STORAGE_LIMITS } from '../limits.ts'
import type { Transaction } from './transaction.ts'

const GIVEN = ['bob write@6 -> 5 put 10', 'joe write@6 -> 5 put 2']

async function world(): Promise<ProtocolWorld> {
  const made = new ProtocolWorld(10)
  await made.given(...GIVEN)
  return made
}

const put = (transaction: Transaction, row: string, value: string) =>
  transaction.put(rowKey(row), COLUMN, Buffer.from(value))

async function get(transaction: Transaction, row: string): Promise<string | null> {
  const value = (await transaction.getRow(rowKey(row), [COLUMN]))?.columns.get(COLUMN)?.value
  return value === undefined ? null : Buffer.from(value).toString()
}

async function scan(transaction: Transaction, options: { reverse?: boolean; limit?: number } = {}) {
  const rows = transaction.scanRows({ start: rowKey('a'), columns: [COLUMN], ...options })
  return (await Array.fromAsync(rows)).map(
    ({ key, columns }) => `${Buffer.from(key)}=${Buffer.from(columns.get(COLUMN)?.value ?? [])}`,
  )
}

describe('a transaction reads its own writes', () => {
  test('puts and deletes in gets and in scans of both directions', async () => {
    const { a } = await world()
    const transaction = a.beginAt(10)
    put(transaction, 'ann', '1')
    put(transaction, 'bob', '11')
    transaction.delete(rowKey('joe'), COLUMN)
    put(transaction, 'sue', '4')
    transaction.guard(rowKey('tom'), COLUMN)
    assert.deepEqual(
      [await get(transaction, 'bob'), await get(transaction, 'joe'), await get(transaction, 'ann')],
      ['11', null, '1'],
    )
    assert.deepEqual(await scan(transaction), ['ann=1', 'bob=11', 'sue=4'])
    assert.deepEqual(await scan(transaction, { reverse: true }), ['sue=4', 'bob=11', 'ann=1'])
    assert.deepEqual(await scan(transaction, { limit: 2 }), ['ann=1', 'bob=11'])
    assert.deepEqual(await scan(transaction, { limit: 0 }), [])
  })

  test('and says of its own values that they have no commit timestamp yet', async () => {
    const { a } = await world()
    const transaction = a.beginAt(10)
    put(transaction, 'bob', '11')
    const rows = await transaction.getRows([rowKey('bob'), rowKey('joe')], [COLUMN])
    assert.deepEqual(
      rows.map((row) => row?.columns.get(COLUMN)?.commitTs),
      [null, 6],
    )
  })

  test('but a statement does not see its own, and leaves none when it fails', async () => {
    const { a } = await world()
    const transaction = a.beginAt(10)
    await transaction.statement(async () => {
      put(transaction, 'bob', '11')
      assert.equal(await get(transaction, 'bob'), '10')
    })
    assert.equal(await get(transaction, 'bob'), '11')
    const failing = transaction.statement(async () => {
      put(transaction, 'bob', '12')
      throw new Error('division by zero')
    })
    await assert.rejects(failing, { message: 'division by zero' })
    assert.equal(await get(transaction, 'bob'), '11')
  })
})

describe('snapshot isolation', () => {
  test('of two writers of one row the first to commit wins', async () => {
    const { a, b } = await world()
    const [first, second] = [a.beginAt(9), b.beginAt(10)]
    put(first, 'bob', '11')
    put(second, 'bob', '11')
    assert.deepEqual(await first.commit(), { commitTs: 11 })
    await assert.rejects(second.commit(), { code: 'write_conflict' })
  })

  test('write skew is allowed, as the paper says', async () => {
    const { a, b } = await world()
    const [first, second] = [a.beginAt(9), b.beginAt(10)]
    await get(first, 'joe')
    await get(second, 'bob')
    put(first, 'bob', '0')
    put(second, 'joe', '0')
    await first.commit()
    await second.commit()
  })

  test('and a guard on what was read prevents it, also where there is no row', async () => {
    const { a, b } = await world()
    const [first, second] = [a.beginAt(9), b.beginAt(10)]
    first.guard(rowKey('nobody'), COLUMN)
    second.guard(rowKey('nobody'), COLUMN)
    put(first, 'bob', '0')
    put(second, 'joe', '0')
    await first.commit()
    await assert.rejects(second.commit(), {
      code: 'write_conflict',
      fields: { row: rowKey('nobody'), conflictingTimestamp: 11 },
    })
  })

  test('a transaction that only guards commits nothing and conflicts with nobody', async () => {
    const { a, ...rest } = await world()
    const transaction = a.beginAt(10)
    transaction.guard(rowKey('bob'), COLUMN)
    assert.deepEqual(await transaction.commit(), { commitTs: null })
    assert.equal(rest.oracle.lastSeen(), 10)
  })
})

describe('the end of a transaction', () => {
  test('commit asked for again answers the same, also when it failed', async () => {
    const { a, b } = await world()
    const [first, second] = [a.beginAt(9), b.beginAt(10)]
    put(first, 'bob', '1')
    put(second, 'bob', '2')
    assert.deepEqual(await first.commit(), await first.commit())
    await assert.rejects(second.commit(), { code: 'write_conflict' })
    await assert.rejects(second.commit(), { code: 'write_conflict' })
    assert.deepEqual([first.state, second.state], ['committed', 'rolledBack'])
  })

  test('nothing can be read or written after it', async () => {
    const { a } = await world()
    const transaction = a.beginAt(10)
    transaction.rollback()
    assert.throws(() => put(transaction, 'bob', '1'), { code: 'transaction_closed' })
    await assert.rejects(get(transaction, 'bob'), { code: 'transaction_closed' })
    await assert.rejects(scan(transaction), { code: 'transaction_closed' })
    await assert.rejects(transaction.commit(), { code: 'transaction_closed' })
  })

  test('an outcome row is the primary when the outcome must be kept', async () => {
    const world = new ProtocolWorld(10)
    const transaction = world.a.beginAt(9, { keepsOutcome: true })
    put(transaction, 'bob', '1')
    world.a.faultAt(2, 'crashBefore')
    void transaction.commit()
    for (let turn = 0; turn < 10; turn += 1) await new Promise((resolve) => setImmediate(resolve))
    const [image] = await world.cellStore.readRows(
      [Buffer.concat([Uint8Array.of(0), Buffer.from(`txn/${transaction.id}`)])],
      [{ family: 'lock' }],
    )
    assert.equal(image?.cells.length, 1)
  })
})

describe('limits', () => {
  test('a transaction of one row too many is refused with the figures, and stays usable', async () => {
    const { a } = await world()
    const transaction = a.beginAt(10)
    const { transactionRowsMax } = STORAGE_LIMITS
    for (let row = 0; row < transactionRowsMax; row += 1) put(transaction, `r${row}`, '')
    assert.throws(() => put(transaction, 'one more', ''), {
      code: 'limit_exceeded',
      fields: { limit: 'transactionRowsMax', limitValue: transactionRowsMax, actual: 50_001 },
    })
    const tooMuch = transaction.statement(async () => put(transaction, 'one more', ''))
    await assert.rejects(async () => tooMuch, { code: 'limit_exceeded' })
    assert.equal(transaction.state, 'active')
  })

  test('a full transaction whose outcome is kept can still be committed', async () => {
    const { a } = await world()
    const transaction = a.beginAt(10, { keepsOutcome: true })
    for (let row = 0; row < STORAGE_LIMITS.transactionRowsMax; row += 1) {
      put(transaction, `r${row}`, '')
    }
    assert.notEqual((await transaction.commit()).commitTs, null)
  })

  test('a row that two statements write counts once', async () => {
    const { a } = await world()
    const transaction = a.beginAt(10)
    const value = Buffer.alloc(STORAGE_LIMITS.transactionBytesMax * 0.75)
    const putIt = () =>
      transaction.statement(async () => transaction.put(rowKey('bob'), COLUMN, value))
    await putIt()
    await putIt()
    const twoMore = transaction.statement(async () => {
      transaction.put(rowKey('bob'), COLUMN, value)
      transaction.put(rowKey('joe'), COLUMN, value)
    })
    await assert.rejects(async () => twoMore, { code: 'limit_exceeded' })
    const oneMore = transaction.statement(async () => {
      transaction.put(rowKey('joe'), COLUMN, value)
    })
    await assert.rejects(async () => oneMore, { code: 'limit_exceeded' })
  })
})
