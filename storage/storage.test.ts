// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { putRow } from '../test/storage/row-writes.ts'
import { testFolder } from '../test/test-folder.ts'
import { MemoryCellStore } from './cells/memory/memory-cell-store.ts'
import { InvariantViolation } from './invariant.ts'
import { openGateway, openStorage, type Storage } from './storage.ts'
import {
  createTable,
  dropTable,
  getRows,
  guardRow,
  scanRows,
  type TableDefinition,
} from './tables/tables.ts'

const ACCOUNT = {
  name: 'account',
  columns: [
    { name: 'id', type: 'TEXT', notNull: true },
    { name: 'balance', type: 'INTEGER', notNull: false },
  ],
  primaryKey: [{ column: 'id', descending: false }],
} as const

async function makeTable(storage: Storage, name = 'account'): Promise<TableDefinition> {
  const transaction = await storage.begin()
  const catalog = await storage.catalog(transaction)
  const newTable = { ...ACCOUNT, name }
  const { table } = await createTable(transaction, catalog, newTable, { ifNotExists: false })
  await transaction.commit()
  return table
}

async function put(storage: Storage, table: TableDefinition, balances: Record<string, number>) {
  const transaction = await storage.begin({ keepsOutcome: true })
  for (const [id, balance] of Object.entries(balances)) {
    await putRow(transaction, table, [id, BigInt(balance)], null)
  }
  await transaction.commit()
  return transaction
}

async function balances(storage: Storage, table: TableDefinition): Promise<Record<string, number>> {
  const transaction = await storage.begin()
  const found: Record<string, number> = {}
  for await (const { row } of scanRows(transaction, table, {})) {
    found[String(row[0])] = Number(row[1])
  }
  transaction.rollback()
  return found
}

for (const commit of ['one-phase', 'two-phase'] as const) {
  describe(`an embedded store, ${commit} commit`, () => {
    test('has everything again after it was closed and opened, outcomes and catalog included', async (t) => {
      const dataDirectory = await testFolder(t, 'storage')
      const first = await openStorage({ commit, engine: 'sqlite', dataDirectory })
      const table = await makeTable(first)
      const { id, startTs } = await put(first, table, { bob: 10, joe: 2 })
      const secret = await first.secret('cursor')
      await first.close()
      const second = await openStorage({ commit, engine: 'sqlite', dataDirectory })
      assert.deepEqual(await balances(second, table), { bob: 10, joe: 2 })
      assert.equal((await second.outcomeOf(id, 0)).kind, 'committed')
      assert.deepEqual(Buffer.from(await second.secret('cursor')), Buffer.from(secret))
      const transaction = await second.begin()
      assert.ok(transaction.startTs > startTs)
      assert.deepEqual((await second.catalog(transaction)).table('account'), table)
      await second.close()
    })

    test('of which a copy was taken in the middle of commits opens with whole transactions only', async (t) => {
      const folder = await testFolder(t, 'storage')
      const dataDirectory = join(folder, 'live')
      const storage = await openStorage({ commit, engine: 'sqlite', dataDirectory })
      const table = await makeTable(storage)
      await put(storage, table, { bob: 0, joe: 0 })
      const acknowledged: string[] = []
      const writing = (async () => {
        for (let turn = 1; turn <= 40; turn += 1) {
          acknowledged.push((await put(storage, table, { bob: turn, joe: -turn })).id)
        }
      })()
      for (let image = 0; image < 4; image += 1) {
        const before = [...acknowledged]
        const copy = join(folder, `image-${image}`)
        // So few commits set off no checkpoint: the main file stands still, and the log that is copied
        // while it grows is what a crash would leave, a torn frame at its end included.
        await cp(dataDirectory, copy, { recursive: true })
        await rm(join(copy, 'lock.db'), { force: true })
        const recovered = await openStorage({ commit, engine: 'sqlite', dataDirectory: copy })
        const found = await balances(recovered, table)
        assert.equal((found.bob ?? 0) + (found.joe ?? 0), 0)
        for (const id of before) {
          assert.equal((await recovered.outcomeOf(id, 0)).kind, 'committed', id)
        }
        await recovered.close()
      }
      await writing
      await storage.close()
    })

    test('reads as of an earlier moment, catalog included, and refuses the future', async () => {
      const storage = await openStorage({ commit, engine: 'memory' })
      const before = (await storage.begin()).startTs
      const table = await makeTable(storage)
      const { startTs: early } = await put(storage, table, { bob: 1 })
      const between = (await storage.begin()).startTs
      await put(storage, table, { bob: 2 })
      const past = await storage.begin({ asOf: between })
      const [bob] = await getRows(past, table, [['bob']])
      assert.deepEqual(bob?.row, ['bob', 1n])
      await assert.rejects(putRow(past, table, ['bob', 3n], null), {
        code: 'read_only_transaction',
      })
      const empty = await storage.begin({ asOf: before })
      assert.deepEqual((await storage.catalog(empty)).tables(), [])
      await assert.rejects(async () => storage.begin({ asOf: early + 3600e6 }), {
        code: 'timestamp_in_future',
      })
      await storage.close()
    })
  })
}

describe('closing', () => {
  test('waits for a commit under way, and clears its locks', async (t) => {
    const cellStore = new MemoryCellStore()
    const gateway = await openGateway(cellStore)
    const transaction = await gateway.begin()
    for (const row of [1, 2]) transaction.put(Buffer.from([1, row]), '0', Buffer.from('10'))
    const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const mutate = cellStore.checkAndMutateRow.bind(cellStore)
    t.mock.method(cellStore, 'checkAndMutateRow', async (...call: Parameters<typeof mutate>) => {
      reached.resolve()
      await released.promise
      return await mutate(...call)
    })
    const committing = transaction.commit()
    await reached.promise
    const closing = gateway.close()
    setImmediate(() => released.resolve())
    await closing
    assert.equal(transaction.state, 'committed')
    await committing
    const locked = cellStore.scanRows({ start: new Uint8Array(), filter: [{ family: 'lock' }] })
    assert.deepEqual(await Array.fromAsync(locked), [])
  })
})

test('a commit that a broken rule stops ends its transaction all the same', async (t) => {
  const cellStore = new MemoryCellStore()
  const gateway = await openGateway(cellStore)
  const transaction = await gateway.begin()
  transaction.put(Buffer.from([1, 1]), '0', Buffer.from('10'))
  const broken = t.mock.method(cellStore, 'checkAndMutateRow', async () => {
    throw new InvariantViolation('I3', {})
  })
  await assert.rejects(transaction.commit(), InvariantViolation)
  broken.mock.restore()
  const { openTransactions, bufferedBytes } = await gateway.status()
  assert.deepEqual({ openTransactions, bufferedBytes }, { openTransactions: 0, bufferedBytes: 0 })
  assert.equal(transaction.state, 'unknown')
  await gateway.close()
})

test('a writer of another table is not disturbed by a change of the schema in a store with one owner', async () => {
  const storage = await openStorage({ commit: 'one-phase', engine: 'memory' })
  const table = await makeTable(storage)
  const writer = await storage.begin()
  await putRow(writer, table, ['bob', 1n], null)
  await makeTable(storage, 'other')
  assert.notEqual((await writer.commit()).commitTs, null)
  await storage.close()
})

for (const commit of ['one-phase', 'two-phase'] as const) {
  describe(`changes of the schema, ${commit} commit`, () => {
    test('a writer of a table that was dropped and made anew meanwhile is refused', async () => {
      const storage = await openStorage({ commit, engine: 'memory' })
      const old = await makeTable(storage)
      const writer = await storage.begin()
      await putRow(writer, old, ['bob', 1n], null)
      const change = await storage.begin()
      await dropTable(change, await storage.catalog(change), 'account', { ifExists: false })
      await change.commit()
      await assert.rejects(writer.commit(), { code: 'schema_changed' })
      assert.notEqual((await makeTable(storage)).id, old.id)
      await storage.close()
    })

    test('of two at once the second to commit conflicts', async () => {
      const storage = await openStorage({ commit, engine: 'memory' })
      const changes = await Promise.all([storage.begin(), storage.begin()])
      for (const [index, change] of changes.entries()) {
        const catalog = await storage.catalog(change)
        await createTable(
          change,
          catalog,
          { ...ACCOUNT, name: `t${index}` },
          { ifNotExists: false },
        )
      }
      await changes[0]?.commit()
      await assert.rejects(changes[1]?.commit() ?? Promise.resolve(), { code: 'write_conflict' })
      await storage.close()
    })
  })
}

describe('several gateways over one store', () => {
  async function twoGateways() {
    const cellStore = new MemoryCellStore()
    const [a, b] = [await openGateway(cellStore), await openGateway(cellStore)]
    return { a, b, table: await makeTable(a) }
  }

  test('see each other’s commits at once, and conflict as two writers of one do', async () => {
    const { a, b, table } = await twoGateways()
    await put(a, table, { bob: 10 })
    assert.deepEqual(await balances(b, table), { bob: 10 })
    const [first, second] = [await a.begin(), await b.begin()]
    await putRow(first, table, ['bob', 1n], null)
    await putRow(second, table, ['bob', 2n], null)
    await first.commit()
    await assert.rejects(second.commit(), { code: 'write_conflict' })
    await Promise.all([a.close(), b.close()])
  })

  test('keep a pair of doctors on call when each guards what it read', async () => {
    const { a, b, table } = await twoGateways()
    await put(a, table, { ann: 1, bob: 1 })
    const leave = async (storage: Storage, who: string, other: string) => {
      const transaction = await storage.begin()
      guardRow(transaction, table, [other])
      await putRow(transaction, table, [who, 0n], null)
      return await transaction.commit()
    }
    const both = await Promise.allSettled([leave(a, 'ann', 'bob'), leave(b, 'bob', 'ann')])
    assert.ok(both.filter(({ status }) => status === 'fulfilled').length <= 1)
    const found = await balances(a, table)
    assert.ok((found.ann ?? 0) + (found.bob ?? 0) >= 1)
    await Promise.all([a.close(), b.close()])
  })

  test('transfer from both sides without losing or making money', async () => {
    const { a, b, table } = await twoGateways()
    const names = ['ann', 'bob', 'eve', 'joe']
    await put(a, table, Object.fromEntries(names.map((name) => [name, 100])))
    let conflicts = 0
    const teller = async (storage: Storage, offset: number) => {
      for (let round = 0; round < 50; round += 1) {
        const from = names[(round + offset) % 4] as string
        const to = names[(round * 3 + offset + 1) % 4] as string
        if (from === to) continue
        const transaction = await storage.begin()
        try {
          const rows = await getRows(transaction, table, [[from], [to]])
          await putRow(transaction, table, [from, (rows[0]?.row[1] as bigint) - 1n], null)
          await putRow(transaction, table, [to, (rows[1]?.row[1] as bigint) + 1n], null)
          await transaction.commit()
        } catch (error) {
          assert.equal((error as { retryable?: boolean }).retryable, true)
          conflicts += 1
        }
      }
    }
    await Promise.all([teller(a, 0), teller(b, 1), teller(a, 2), teller(b, 3)])
    const sum = Object.values(await balances(b, table)).reduce((total, one) => total + one, 0)
    assert.equal(sum, 400)
    assert.ok(conflicts > 0, 'tellers that never meet would prove nothing')
    await Promise.all([a.close(), b.close()])
  })
})
