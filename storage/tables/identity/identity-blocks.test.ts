// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { LeapingClock } from '../../../test/storage/leaping-clock.ts'
import { MemoryCellStore } from '../../cells/memory/memory-cell-store.ts'
import { StorageError } from '../../errors.ts'
import { systemRandomness } from '../../randomness.ts'
import { openGateway, type Storage } from '../../storage.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { createTable, dropTable } from '../catalog/catalog-changes.ts'
import type { CatalogWrites } from '../catalog/catalog-writes.ts'
import { restartIdentity } from '../catalog/identity-changes.ts'
import type { TableDefinition } from '../table-definition.ts'
import { requireTable } from '../tables.ts'
import { IdentityBlocks } from './identity-blocks.ts'

const TABLE = {
  name: 't',
  columns: [
    {
      name: 'id',
      type: 'INTEGER',
      notNull: true,
      default: { kind: 'identity', isAlways: true, series: 1 },
    },
  ],
  primaryKey: [{ column: 'id', descending: false }],
} as const

async function define(
  storage: Storage,
  change: (transaction: CatalogWrites, catalog: Catalog) => Promise<unknown>,
): Promise<void> {
  const transaction = await storage.begin()
  await change(transaction, await storage.catalog(transaction))
  await transaction.commit()
}

async function tableOf(storage: Storage): Promise<TableDefinition> {
  const transaction = await storage.begin({ readOnly: true })
  const catalog = await storage.catalog(transaction)
  transaction.rollback()
  return requireTable(catalog, 't')
}

/** So many gateways of one store, which has the table. */
async function gateways(count: number, startWith = 1n): Promise<Storage[]> {
  const store = new MemoryCellStore()
  const opened: Storage[] = []
  while (opened.length < count) opened.push(await openGateway(store))
  const columns = [{ ...TABLE.columns[0], startWith }]
  await define(opened[0] as Storage, (transaction, catalog) =>
    createTable(transaction, catalog, { ...TABLE, columns }, { ifNotExists: false }),
  )
  return opened
}

async function closed(storages: readonly Storage[]): Promise<void> {
  for (const storage of storages) await storage.close()
}

suite('the numbers of an identity (T5)', () => {
  test('are of blocks that no two processes share, however much they hurry', async () => {
    const processes = await gateways(3)
    const table = await tableOf(processes[0] as Storage)
    const seen = new Set<bigint>()
    let taken = 0
    for (let round = 0; round < 30; round++) {
      // More than a block has, so that each of them takes one, at the same time.
      const count = round % 2 === 0 ? 1_100 : 3
      const numbers = await Promise.all(
        processes.map(async ({ identities }) => await identities.take(table, count)),
      )
      for (const number of numbers.flat()) seen.add(number)
      taken += count * processes.length
    }
    assert.equal(seen.size, taken)
    await closed(processes)
  })

  test('ascend within a process, by one without a wait, and are asked for together', async () => {
    const [storage] = (await gateways(1)) as [Storage]
    const table = await tableOf(storage)
    const together = await Promise.all(
      Array.from({ length: 40 }, async () => await storage.identities.take(table, 1)),
    )
    const numbers = together.flat().map(Number)
    assert.deepEqual(
      numbers.toSorted((a, b) => a - b),
      Array.from({ length: 40 }, (_, index) => index + 1),
    )
    assert.deepEqual(storage.identities.take(table, 3), [41n, 42n, 43n])
    await closed([storage])
  })

  test('are not those that a process had when it ended, used or not', async () => {
    const [first, second] = (await gateways(2)) as [Storage, Storage]
    const table = await tableOf(first)
    assert.deepEqual(await first.identities.take(table, 1), [1n])
    // The first one is gone, without a word.
    assert.deepEqual(await second.identities.take(table, 2), [33n, 34n])
    await closed([first, second])
  })

  test('are restarted by RESTART, and nothing of an older series is handed out', async () => {
    const [first, second] = (await gateways(2)) as [Storage, Storage]
    const before = await tableOf(first)
    await first.identities.take(before, 1)
    await second.identities.take(before, 1)
    await define(first, (transaction, catalog) =>
      restartIdentity(transaction, catalog, 't', { name: 'id', next: -5n }),
    )
    const table = await tableOf(second)
    assert.deepEqual(await second.identities.take(table, 2), [-5n, -4n])
    assert.throws(() => second.identities.take(before, 1), { code: 'schema_changed' })
    // What is left of its block it may still take: its transaction cannot commit.
    await assert.rejects(async () => await first.identities.take(before, 100), {
      code: 'schema_changed',
    })
    await closed([first, second])
  })

  test('end with the largest INTEGER, the last one included', async () => {
    const last = 2n ** 63n - 1n
    const [storage] = (await gateways(1, last - 1n)) as [Storage]
    const table = await tableOf(storage)
    assert.deepEqual(await storage.identities.take(table, 2), [last - 1n, last])
    await assert.rejects(async () => await storage.identities.take(table, 1), {
      code: 'out_of_range',
    })
    await closed([storage])
  })

  test('are asked for again where others took some first, and not for ever', async () => {
    const [storage, rival] = (await gateways(2)) as [Storage, Storage]
    const table = await tableOf(storage)
    let lost = 2
    let begun = 0
    const begin = async () => {
      const transaction = await storage.begin()
      begun += 1
      // More than what is left of its block, so that it takes the next one first.
      if (begun <= lost) await rival.identities.take(table, 2_000)
      return transaction
    }
    const clock = new LeapingClock()
    const slow = new IdentityBlocks({ begin, clock, randomness: systemRandomness })
    assert.equal((await slow.take(table, 1)).length, 1)
    assert.equal(begun, 3)

    begun = 0
    lost = Number.POSITIVE_INFINITY
    const error = await Promise.resolve(slow.take(table, 100)).then(
      () => assert.fail('it was given numbers'),
      (thrown) => thrown,
    )
    assert.deepEqual([error.code, error.retryable], ['write_conflict', true])
    assert.deepEqual(error.fields, { table: 't', column: 'id' })
    const told = `No numbers for the column "id" of "t" after ${begun} attempts: other servers`
    assert.ok(error.message.startsWith(told), error.message)
    assert.ok(clock.monotonicMs() <= 10_000, 'it waited for its time and no longer')
    // Those who come later are not told of it.
    lost = 0
    assert.equal((await slow.take(table, 100)).length, 100)
    await closed([storage, rival])
  })

  test('say so when it was the store that did not answer', async () => {
    const [storage] = (await gateways(1)) as [Storage]
    const table = await tableOf(storage)
    const begin = async () => {
      const transaction = await storage.begin()
      const unknown = new StorageError('commit_outcome_unknown', 'No answer.')
      return Object.assign(transaction, { commit: () => Promise.reject(unknown) })
    }
    const parts = { begin, clock: new LeapingClock(), randomness: systemRandomness }
    await assert.rejects(async () => await new IdentityBlocks(parts).take(table, 1), {
      code: 'write_conflict',
      message: /the store did not answer whether they were taken\.$/,
    })
    await closed([storage])
  })

  test('are not taken for a table that was dropped', async () => {
    const [storage] = (await gateways(1)) as [Storage]
    const table = await tableOf(storage)
    await define(storage, (transaction, catalog) =>
      dropTable(transaction, catalog, 't', { ifExists: false }),
    )
    await assert.rejects(async () => await storage.identities.take(table, 1), {
      code: 'schema_changed',
    })
    assert.deepEqual((await storage.checkConsistency()).problems, [])
    await closed([storage])
  })
})
