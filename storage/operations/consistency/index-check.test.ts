// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deleteRow, putRow } from '../../../test/storage/row-writes.ts'
import { MemoryCellStore } from '../../cells/memory/memory-cell-store.ts'
import { Storage, StorageError, type Transaction } from '../../storage.ts'
import { endBuilding } from '../../tables/catalog/index-changes.ts'
import {
  addColumn,
  type Catalog,
  createIndex,
  createTable,
  dropIndex,
  encodeIndexKey,
  encodePrimaryKey,
  getRows,
  type IndexDefinition,
  type NewIndex,
  requireTable,
  type SqlRow,
  type TableDefinition,
} from '../../tables/tables.ts'
import { nextTurn } from '../../turns/turns.ts'

const PEOPLE: readonly SqlRow[] = [
  [1n, 'ann', 30n],
  [2n, 'bob', 30n],
  [3n, null, 31n],
]

/** A store with people, an index on their age that stores their name, and a unique one on their name. */
class World {
  readonly storage: Storage
  table: TableDefinition | undefined

  constructor(storage: Storage) {
    this.storage = storage
  }

  static async create(): Promise<World> {
    const storage = await Storage.open(new MemoryCellStore(), { owner: 'exclusive' })
    const world = new World(storage)
    const column = (name: string, type: string) => ({ name, type, notNull: name === 'id' })
    await world.commit((at, catalog) => {
      const columns = [column('id', 'INTEGER'), column('name', 'TEXT'), column('age', 'INTEGER')]
      const primaryKey = [{ column: 'id', descending: false }]
      const families = [{ name: 'ages', columns: ['age'] }]
      const newTable = { name: 'person', columns, primaryKey, families }
      return createTable(at, catalog, newTable, { ifNotExists: false })
    })
    await world.index('byAge', 'age', { unique: false, storing: ['name'] })
    await world.index('byName', 'name', { unique: true, storing: [] })
    for (const row of PEOPLE) await world.put(row)
    return world
  }

  async commit<T>(work: (at: Transaction, catalog: Catalog) => T | Promise<T>): Promise<T> {
    const transaction = await this.storage.begin()
    try {
      const catalog = await this.storage.catalog(transaction)
      this.table = catalog.table('person')
      const result = await work(transaction, catalog)
      await transaction.commit()
      return result
    } finally {
      transaction.rollback()
    }
  }

  async index(
    name: string,
    on: string | NewIndex['parts'],
    more: { unique: boolean; storing: string[] },
  ) {
    const parts = typeof on === 'string' ? [{ column: on, descending: false }] : on
    const { index } = await this.commit((at, catalog) =>
      createIndex(at, catalog, { name, table: 'person', parts, ...more }, { ifNotExists: false }),
    )
    await this.storage.indexBuilt(index.id)
  }

  async put(row: SqlRow | null, id = row?.[0] ?? null): Promise<void> {
    await this.commit(async (at, catalog) => {
      const table = requireTable(catalog, 'person')
      const before = (await getRows(at, table, [[id]]))[0]?.row ?? null
      if (row !== null) await putRow(at, table, row, before)
      else if (before !== null) await deleteRow(at, table, before)
    })
  }

  definition(name: string): { table: TableDefinition; index: IndexDefinition } {
    const index = this.table?.indexes.find((known) => known.name === name)
    assert.ok(this.table !== undefined && index !== undefined)
    return { table: this.table, index }
  }

  /** The key of the entry of these values in an index, and of the primary key behind them. */
  entry(name: string, value: string | bigint, id?: bigint): Uint8Array {
    const { table, index } = this.definition(name)
    const values = encodeIndexKey(table, index, [value])
    return id === undefined
      ? values
      : Buffer.concat([values, encodePrimaryKey(table, [id]).subarray(5)])
  }

  async problems() {
    const { problems } = await this.storage.checkConsistency()
    return problems.map(({ rule, message }) => `${rule} ${message}`)
  }
}

test('indexes that agree with their rows are sound', async () => {
  const world = await World.create()
  assert.deepEqual(await world.problems(), [])
  await world.storage.close()
})

test('found: a row that has lost its entry', async () => {
  const world = await World.create()
  await world.commit((at) => at.delete(world.entry('byAge', 30n, 2n), '0'))
  const message = 'T4 The row and the index "byAge" of "person" do not agree: it has no entry.'
  assert.deepEqual(await world.problems(), [message])
  await world.storage.close()
})

test('found: an entry that says something else than its row', async () => {
  const world = await World.create()
  await world.commit((at) => {
    at.put(world.entry('byAge', 30n, 2n), '0', Buffer.from('012803626f6f', 'hex'))
  })
  const message =
    'T4 The row and the index "byAge" of "person" do not agree: its entry says something else.'
  assert.deepEqual(await world.problems(), [message])
  await world.storage.close()
})

test('found: a member that has lost its entry, and one that no row has any more', async () => {
  const world = await World.create()
  await world.commit(async (at, catalog) => {
    const column = { name: 'tags', type: 'JSON', notNull: false } as const
    await addColumn(at, catalog, 'person', column)
  })
  const parts = [{ column: 'tags', each: 'members', descending: false } as const]
  await world.index('byTag', parts, { unique: false, storing: [] })
  await world.put([4n, 'dan', 40n, '["a","b"]'])
  assert.deepEqual(await world.problems(), [])
  await world.commit((at) => {
    at.delete(world.entry('byTag', '"a"', 4n), '0')
    at.put(world.entry('byTag', '"c"', 4n), '0', Buffer.from('01', 'hex'))
  })
  assert.deepEqual(await world.problems(), [
    'T4 The row and the index "byTag" of "person" do not agree: it has no entry.',
    'T4 The entry of index "byTag" is left over: Its row has other values.',
  ])
  await world.storage.close()
})

test('a row of thousands of words is taken apart once', async (t) => {
  const world = await World.create()
  await world.commit(async (at, catalog) => {
    const column = { name: 'body', type: 'TEXT', notNull: false } as const
    await addColumn(at, catalog, 'person', column)
  })
  const parts = [{ column: 'body', each: 'words', descending: false } as const]
  await world.index('words', parts, { unique: false, storing: [] })
  const body = Array.from({ length: 3_000 }, (_, at) => `w${at}`).join(' ')
  await world.put([4n, 'dan', 40n, body])
  const segmented = t.mock.method(Intl.Segmenter.prototype, 'segment')
  assert.deepEqual(await world.problems(), [])
  assert.equal(segmented.mock.callCount(), 1)
  await world.commit((at) => {
    at.put(world.entry('words', 'w3000', 4n), '0', Buffer.from('01', 'hex'))
  })
  assert.deepEqual(await world.problems(), [
    'T4 The entry of index "words" is left over: Its row has other values.',
  ])
  // From the row's side, for all its entries, and for the one that is wrong once more.
  assert.equal(segmented.mock.callCount(), 1 + 3)
  await world.storage.close()
})

test('found: entries that are left over from rows that have changed or gone', async () => {
  const world = await World.create()
  const value = Buffer.from('012803626f62', 'hex')
  await world.commit((at) => {
    at.put(world.entry('byAge', 29n, 2n), '0', value)
    at.put(world.entry('byAge', 29n, 9n), '0', value)
  })
  assert.deepEqual(await world.problems(), [
    'T4 The entry of index "byAge" is left over: Its row has other values.',
    'T4 The entry of index "byAge" is left over: Its row does not exist.',
  ])
  await world.storage.close()
})

test('found: a unique entry that leads to another row', async () => {
  const world = await World.create()
  const toAnn = Buffer.from('01108000000000000001', 'hex')
  await world.commit((at) => at.put(world.entry('byName', 'bob'), '0', toAnn))
  assert.deepEqual(await world.problems(), [
    'T4 The row and the index "byName" of "person" do not agree: its entry says something else.',
    'T4 The entry of index "byName" is left over: Its row has other values.',
  ])
  await world.storage.close()
})

test('found: an entry that cannot be read, and one of an index that never was', async () => {
  const world = await World.create()
  await world.commit((at) => {
    at.put(world.entry('byAge', 30n, 2n), '0', Buffer.from('0133', 'hex'))
    at.put(Buffer.from('020000006305', 'hex'), '0', Buffer.from('01', 'hex'))
  })
  const problems = await world.problems()
  assert.match(problems[0] ?? '', /^T2 The value cannot be read/)
  assert.equal(problems[1], 'T1 There has never been index 99.')
  await world.storage.close()
})

test('an index that is being built may lack entries, and has no wrong ones', async () => {
  const world = await World.create()
  await world.commit((at) => at.delete(world.entry('byAge', 30n, 2n), '0'))
  await world.commit((at) =>
    at.put(world.entry('byAge', 29n, 2n), '0', Buffer.from('012803626f62', 'hex')),
  )
  await world.commit(async (at) => {
    const { table, index } = world.definition('byAge')
    const building = { ...index, state: 'building' as const }
    await endBuilding(at, { table, index: building }, { state: 'building' as 'ready' })
  })
  const left = 'T4 The entry of index "byAge" is left over: Its row has other values.'
  assert.deepEqual(await world.problems(), [left])
  await world.storage.close()
})

test('a store whose rows, indexes and columns change all the time has no problems at any moment', async () => {
  const world = await World.create()
  let writing = true
  const keepOn = async (work: (round: number) => Promise<unknown>) => {
    for (let round = 0; writing; round += 1) {
      await work(round).catch((error: unknown) => {
        if (!(error instanceof StorageError)) throw error
      })
      await nextTurn()
    }
  }
  const writers = [4n, 5n, 6n, 7n].map((id) =>
    keepOn(async (round) => {
      const { table } = world
      const row = [id, `${id}-${round % 3}`, BigInt(round % 5)]
      const added = new Array((table?.columns.length ?? 3) - 3).fill(null)
      await world.put(round % 6 === 5 ? null : [...row, ...added], id)
    }),
  )
  const definer = keepOn(async (round) => {
    if (round % 7 === 3) await world.index('other', 'name', { unique: false, storing: ['age'] })
    if (round % 7 === 6) {
      await world.commit((at, catalog) => dropIndex(at, catalog, 'other', { ifExists: true }))
    }
    if (round % 20 === 10) {
      const column = { name: `c${round}`, type: 'TEXT', notNull: false }
      await world.commit((at, catalog) => addColumn(at, catalog, 'person', column))
    }
  })
  try {
    for (let round = 0; round < 20; round += 1) assert.deepEqual(await world.problems(), [])
  } finally {
    writing = false
    await Promise.all([...writers, definer])
  }
  assert.deepEqual(await world.problems(), [])
  await world.storage.close()
})
