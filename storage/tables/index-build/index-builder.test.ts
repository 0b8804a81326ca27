// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite, test } from 'node:test'
import { ManualClock } from '../../../test/manual-clock.ts'
import { SeededRandomness } from '../../../test/seeded-randomness.ts'
import { deleteRow, putRow } from '../../../test/storage/row-writes.ts'
import { MemoryCellStore } from '../../cells/memory/memory-cell-store.ts'
import { openGateway, openStorage, Storage, StorageError, type Transaction } from '../../storage.ts'
import { nextTurn } from '../../turns/turns.ts'
import type { SqlValue } from '../../values/values.ts'
import {
  type Catalog,
  changeRows,
  createIndex,
  createTable,
  dropIndex,
  encodePrimaryKey,
  getRows,
  type IndexDefinition,
  type NewIndex,
  ROW_COLUMN,
  readIndexProgress,
  requireIndex,
  requireTable,
  type SqlRow,
  scanIndexEntries,
  scanRows,
  type TableDefinition,
} from '../tables.ts'

const USER = {
  name: 'user',
  columns: [
    { name: 'id', type: 'INTEGER', notNull: true },
    { name: 'email', type: 'TEXT', notNull: false },
    { name: 'age', type: 'INTEGER', notNull: false },
  ],
  primaryKey: [{ column: 'id', descending: false }],
} as const

const BY_EMAIL: NewIndex = {
  name: 'byEmail',
  table: 'user',
  unique: true,
  parts: [{ column: 'email', descending: false }],
  storing: [],
}
const BY_AGE: NewIndex = {
  name: 'byAge',
  table: 'user',
  unique: false,
  parts: [{ column: 'age', descending: true }],
  storing: ['email'],
}

/** A store with the table `user`, and short words for what the tests do to it. */
class World {
  readonly storage: Storage

  constructor(storage: Storage) {
    this.storage = storage
  }

  static async open(storage?: Storage): Promise<World> {
    const world = new World(storage ?? (await openStorage({ engine: 'memory' })))
    await world.commit(async (transaction, catalog) =>
      createTable(transaction, catalog, USER, { ifNotExists: true }),
    )
    return world
  }

  async commit<T>(work: (transaction: Transaction, catalog: Catalog) => Promise<T>): Promise<T> {
    const transaction = await this.storage.begin()
    try {
      const catalog = await this.storage.catalog(transaction)
      const result = await transaction.statement(() => work(transaction, catalog))
      await transaction.commit()
      return result
    } finally {
      transaction.rollback()
    }
  }

  async read<T>(work: (transaction: Transaction, catalog: Catalog) => Promise<T>): Promise<T> {
    const transaction = await this.storage.begin({ readOnly: true })
    try {
      return await work(transaction, await this.storage.catalog(transaction))
    } finally {
      transaction.rollback()
    }
  }

  async insert(...rows: SqlRow[]): Promise<void> {
    await this.commit(async (transaction, catalog) => {
      const changes = rows.map((after) => ({ before: null, after }))
      await changeRows(transaction, requireTable(catalog, 'user'), changes)
    })
  }

  /** Puts or deletes the row with this id, by what the transaction reads there. */
  async change(id: bigint, after: SqlRow | null): Promise<void> {
    await this.commit(async (transaction, catalog) => {
      const table = requireTable(catalog, 'user')
      const before = (await getRows(transaction, table, [[id]]))[0]?.row ?? null
      if (after !== null) await putRow(transaction, table, after, before)
      else if (before !== null) await deleteRow(transaction, table, before)
    })
  }

  async createIndex(newIndex: NewIndex): Promise<IndexDefinition> {
    const { index } = await this.commit((transaction, catalog) =>
      createIndex(transaction, catalog, newIndex, { ifNotExists: false }),
    )
    return index
  }

  async index(name: string): Promise<{ table: TableDefinition; index: IndexDefinition }> {
    return await this.read(async (_, catalog) => requireIndex(catalog, name))
  }

  async entries(name: string): Promise<SqlValue[][]> {
    return await this.read(async (transaction, catalog) => {
      const { table, index } = requireIndex(catalog, name)
      const found: SqlValue[][] = []
      for await (const batch of scanIndexEntries(transaction, table, index, {})) {
        for (const { row } of batch) found.push([...row])
      }
      return found
    })
  }

  async rows(): Promise<SqlRow[]> {
    return await this.read(async (transaction, catalog) => {
      const table = requireTable(catalog, 'user')
      const rows = await Array.fromAsync(scanRows(transaction, table, {}))
      return rows.map(({ row }) => row)
    })
  }

  async requireSound(): Promise<void> {
    assert.deepEqual((await this.storage.checkConsistency()).problems, [])
  }
}

function people(count: number): SqlRow[] {
  return Array.from({ length: count }, (_, id) => [BigInt(id), `${id}@x`, BigInt(id % 7)])
}

suite('an index that is built behind rows', () => {
  test('has an entry for each row, in its order, and is ready then', async () => {
    const world = await World.open()
    await world.insert(...people(600))
    const { id, state } = await world.createIndex(BY_AGE)
    assert.equal(state, 'building')
    assert.equal(await world.storage.indexBuilt(id), 'ready')
    const entries = await world.entries('byAge')
    assert.equal(entries.length, 600)
    const ages = entries.map(([, , age]) => Number(age))
    assert.deepEqual(
      ages,
      ages.toSorted((a, b) => b - a),
    )
    assert.deepEqual(
      entries.map(([id]) => id).toSorted((a, b) => Number(a) - Number(b)),
      people(600).map(([id]) => id),
    )
    assert.deepEqual(
      entries.find(([id]) => id === 77n),
      [77n, '77@x', 0n],
    )
    await world.requireSound()
    assert.deepEqual((await world.storage.status()).indexBuilds, [])
    await world.storage.close()
  })

  test('on an empty table is ready at once', async () => {
    const world = await World.open()
    const { id } = await world.createIndex(BY_EMAIL)
    assert.equal(await world.storage.indexBuilt(id), 'ready')
    await world.storage.close()
  })

  test('fails with a reason when the rows break its uniqueness, and is kept by nobody then', async () => {
    const world = await World.open()
    await world.insert([1n, 'a@x', 1n], [2n, 'b@x', 1n], [3n, 'a@x', 1n], [4n, null, 1n])
    const { id } = await world.createIndex(BY_EMAIL)
    assert.equal(await world.storage.indexBuilt(id), 'failed')
    const { index } = await world.index('byEmail')
    assert.match(
      index.failure ?? '',
      /More than one row has the values of "email" that the row \(3\)/,
    )
    await world.insert([5n, 'b@x', 1n])
    assert.deepEqual(
      (await world.entries('byEmail')).filter(([id]) => id === 5n),
      [],
    )
    await world.requireSound()
    await world.commit((transaction, catalog) =>
      dropIndex(transaction, catalog, 'byEmail', { ifExists: false }),
    )
    assert.equal(await world.storage.indexBuilt(id), 'dropped')
    await world.storage.close()
  })

  test('fails when a row of before has a value that is too long for an entry', async () => {
    const world = await World.open()
    await world.insert([1n, 'x'.repeat(5_000), 1n])
    const { id } = await world.createIndex(BY_EMAIL)
    assert.equal(await world.storage.indexBuilt(id), 'failed')
    const { index } = await world.index('byEmail')
    assert.match(index.failure ?? '', /at most 4096 bytes.*"byEmail".*the row \(1\)/)
    await world.storage.close()
  })

  test('is right however sixteen writers change the rows meanwhile', async () => {
    const world = await World.open()
    await world.insert(...people(1_500))
    const { id: ageId } = await world.createIndex(BY_AGE)
    const { id: emailId } = await world.createIndex(BY_EMAIL)
    let building = true
    let changes = 0
    const write = async (writer: number) => {
      const random = new SeededRandomness(writer + 1)
      const below = (count: number) => Math.floor(random.fraction() * count)
      while (building) {
        const id = BigInt(below(1_600))
        // All rows of before keep their emails apart; those of the writers meet now and then.
        const email = below(3) === 0 ? `shared-${below(20)}` : `${id}@x`
        const after = below(5) === 0 ? null : [id, below(9) === 0 ? null : email, BigInt(below(7))]
        try {
          await world.change(id, after)
          changes += 1
        } catch (error) {
          const isExpected = error instanceof StorageError && EXPECTED.has(error.code)
          if (!isExpected) throw error
        }
        await nextTurn() // In memory nothing else would ever have its turn.
      }
    }
    const writers = Array.from({ length: 16 }, (_, writer) => write(writer))
    try {
      assert.equal(await world.storage.indexBuilt(ageId), 'ready')
      assert.equal(await world.storage.indexBuilt(emailId), 'ready')
    } finally {
      building = false
      await Promise.all(writers)
    }
    assert.ok(changes > 100, `${changes} changes happened meanwhile`)
    const rows = await world.rows()
    const emails = rows.map(([, email]) => email).filter((email) => email !== null)
    assert.equal(new Set(emails).size, emails.length)
    for (const name of ['byAge', 'byEmail']) {
      const ids = (await world.entries(name)).map(([id]) => Number(id)).toSorted((a, b) => a - b)
      assert.deepEqual(
        ids,
        rows.map(([id]) => Number(id)),
      )
    }
    await world.requireSound()
    await world.storage.close()
  })
})

const EXPECTED = new Set(['write_conflict', 'unique_violation', 'transaction_rolled_back'])

suite('the building of an index', () => {
  test('goes on where it was when the store is opened again', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'percolite-index-'))
    try {
      const open = () => openStorage({ engine: 'sqlite', dataDirectory: folder })
      const first = await World.open(await open())
      for (let from = 0; from < 1_500; from += 500) {
        await first.insert(...people(from + 500).slice(from))
      }
      const { id } = await first.createIndex(BY_AGE)
      const progress = () =>
        first.read(async (transaction, catalog) => {
          const { table, index } = requireIndex(catalog, 'byAge')
          return await readIndexProgress(transaction, table, index)
        })
      // The builder waits for who reads.
      while ((await progress()).rowsDone < 500) await nextTurn()
      await first.storage.close()
      const second = new World(await open())
      const { index, table } = await second.index('byAge')
      assert.equal(index.state, 'building', 'it was interrupted')
      const left = await second.read((transaction) => readIndexProgress(transaction, table, index))
      assert.ok(left.rowsDone >= 500)
      assert.deepEqual(left.lastKey, [BigInt(left.rowsDone - 1)])
      assert.equal(await second.storage.indexBuilt(id), 'ready')
      assert.equal((await second.entries('byAge')).length, 1_500)
      await second.requireSound()
      await second.storage.close()
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  test('fails at a row that cannot be read, and says behind which one it is', async () => {
    const world = await World.open()
    await world.insert([1n, 'a', 1n], [2n, 'b', 2n], [3n, 'c', 3n])
    await world.commit(async (transaction, catalog) => {
      const table = requireTable(catalog, 'user')
      transaction.put(encodePrimaryKey(table, [2n]), ROW_COLUMN, Uint8Array.of(1, 0xff))
    })
    const { id } = await world.createIndex(BY_AGE)
    assert.equal(await world.storage.indexBuilt(id), 'failed')
    const { failure = '' } = (await world.index('byAge')).index
    assert.match(failure, /^The row after \(1\) is damaged, and "percolite check" says how: .*T2/)
    await world.storage.close()
  })

  test('by two gateways at once does no harm', async () => {
    const cellStore = new MemoryCellStore()
    // Its builder goes on by itself, so it is on another clock than the one that looks now and then.
    const first = await World.open(await openGateway(cellStore, { acceptClock: true }))
    await first.insert(...people(1_200))
    const { id } = await first.createIndex(BY_EMAIL)
    const second = new World(await openGateway(cellStore))
    const ends = [first.storage.indexBuilt(id), second.storage.indexBuilt(id)]
    assert.deepEqual(await Promise.all(ends), ['ready', 'ready'])
    assert.equal((await second.entries('byEmail')).length, 1_200)
    await second.requireSound()
    await first.storage.close()
    await second.storage.close()
  })

  test('is taken over by another gateway that looks for it now and then', async () => {
    const cellStore = new MemoryCellStore()
    const clock = new ManualClock()
    const second = new World(await openGateway(cellStore, { clock }))
    // Its builder goes on by itself, so it is on another clock than the one that looks now and then.
    const first = await World.open(await openGateway(cellStore, { acceptClock: true }))
    await first.insert(...people(1_200))
    await first.createIndex(BY_AGE)
    await first.storage.close()
    assert.equal((await second.index('byAge')).index.state, 'building', 'it was interrupted')
    while ((await second.index('byAge')).index.state === 'building') await clock.advance(1_000)
    assert.equal((await second.entries('byAge')).length, 1_200)
    await second.storage.close()
  })

  test('ends when the index is dropped, and its entries are collected as garbage', async () => {
    const cellStore = new MemoryCellStore()
    const storage = await Storage.open(cellStore, {
      owner: 'exclusive',
      retention: { retentionMs: 0, heldMsMax: 0 },
    })
    const world = await World.open(storage)
    await world.insert(...people(2_000))
    const { id } = await world.createIndex(BY_AGE)
    await world.commit((transaction, catalog) =>
      dropIndex(transaction, catalog, 'byAge', { ifExists: false }),
    )
    assert.equal(await storage.indexBuilt(id), 'dropped')
    await storage.collectGarbage()
    const start = Uint8Array.of(2)
    const filter = [{ family: 'write' }] as const
    const left = await Array.fromAsync(cellStore.scanRows({ start, filter }))
    assert.deepEqual(left, [])
    await storage.close()
  })

  test('is waited for until a signal says enough, or the store is closed', async () => {
    const world = await World.open()
    await world.insert(...people(2_000))
    const { id } = await world.createIndex(BY_AGE)
    const reason = new Error('enough')
    await assert.rejects(world.storage.indexBuilt(id, AbortSignal.abort(reason)), reason)
    const waiting = world.storage.indexBuilt(id)
    waiting.catch(() => undefined)
    await nextTurn()
    await world.storage.close()
    await assert.rejects(waiting, { code: 'closed' })
  })
})
