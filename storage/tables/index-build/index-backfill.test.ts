// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { nextTurns } from '../../../test/event-loop-turns.ts'
import { FakeStore, type FakeTransaction } from '../../../test/storage/fake-transactions.ts'
import { deleteRow, putRow } from '../../../test/storage/row-writes.ts'
import { CatalogReader, requireIndex, requireTable } from '../catalog/catalog.ts'
import { createTable } from '../catalog/catalog-changes.ts'
import { createIndex } from '../catalog/index-changes.ts'
import type { NewKeyPart } from '../new-key.ts'
import { scanIndexEntries } from '../rows/index-scan.ts'
import { changeRows } from '../rows/row-changes.ts'
import { getRows } from '../rows/table-rows.ts'
import type { SqlRow } from '../table-definition.ts'
import { buildBatch } from './index-backfill.ts'

const ON_A: readonly NewKeyPart[] = [{ column: 'a', descending: false }]

/** A table `t (id, a, b)` with rows, and an index on `a` that is not built yet. */
class Scene {
  readonly store = new FakeStore()
  readonly #reader = new CatalogReader()

  static async of(
    rows: readonly SqlRow[],
    { unique = false, storing = [] as string[], parts = ON_A, typeOfB = 'INTEGER' } = {},
  ) {
    const scene = new Scene()
    const typeOf = (name: string) => (name === 'b' ? typeOfB : 'INTEGER')
    const column = (name: string) => ({ name, type: typeOf(name), notNull: name === 'id' })
    await scene.commit(async (transaction) => {
      const newTable = {
        name: 't',
        columns: [column('id'), column('a'), column('b')],
        primaryKey: [{ column: 'id', descending: false }],
      }
      await createTable(transaction, await scene.catalog(transaction), newTable, {
        ifNotExists: false,
      })
    })
    await scene.commit(async (transaction) => {
      const table = requireTable(await scene.catalog(transaction), 't')
      await changeRows(
        transaction,
        table,
        rows.map((after) => ({ before: null, after })),
      )
    })
    await scene.commit(async (transaction) => {
      const newIndex = { name: 'byA', table: 't', unique, parts, storing }
      const catalog = await scene.catalog(transaction)
      await createIndex(transaction, catalog, newIndex, { ifNotExists: false })
    })
    return scene
  }

  catalog(transaction: FakeTransaction) {
    return this.#reader.read(transaction)
  }

  async commit(work: (transaction: FakeTransaction) => Promise<unknown>): Promise<void> {
    const transaction = this.store.begin()
    await work(transaction)
    transaction.commit()
  }

  /** Begins a transaction that makes this of the row with this id; it is not committed. */
  async changing(id: bigint, after: SqlRow | null): Promise<FakeTransaction> {
    const transaction = this.store.begin()
    const table = requireTable(await this.catalog(transaction), 't')
    const before = (await getRows(transaction, table, [[id]]))[0]?.row ?? null
    if (after !== null) await putRow(transaction, table, after, before)
    else if (before !== null) await deleteRow(transaction, table, before)
    return transaction
  }

  /** Begins a batch of the build; it is not committed. */
  async building(rowsMax = 100, bytesMax = 1_000) {
    const transaction = this.store.begin()
    const found = requireIndex(await this.catalog(transaction), 'byA')
    const step = await buildBatch(transaction, found, { rowsMax, bytesMax })
    return { transaction, step, commit: () => transaction.commit() }
  }

  /** The values of `a` and `id` of all entries. */
  async entries(): Promise<string[]> {
    const transaction = this.store.begin()
    const { table, index } = requireIndex(await this.catalog(transaction), 'byA')
    const found: string[] = []
    for await (const batch of scanIndexEntries(transaction, table, index, { batchEntries: 2 })) {
      for (const { row } of batch) found.push(`${row[1]}:${row[0]}`)
    }
    return found
  }
}

const conflict = { code: 'write_conflict' }

suite('a batch of the build of an index', () => {
  test('takes so many rows behind the last one, until none is left and the index is ready', async () => {
    const scene = await Scene.of([
      [1n, 30n, 0n],
      [2n, null, 0n],
      [3n, 10n, 0n],
    ])
    const first = await scene.building(2)
    assert.equal(first.step.kind === 'moved' && first.step.position.rows, 2)
    first.commit()
    assert.deepEqual(await scene.entries(), ['null:2', '30:1'])
    const second = await scene.building(2)
    assert.equal(second.step.kind === 'moved' && second.step.position.rows, 3)
    second.commit()
    const third = await scene.building(2)
    assert.deepEqual(third.step, { kind: 'ended', state: 'ready' })
    third.commit()
    assert.deepEqual(await scene.entries(), ['null:2', '10:3', '30:1'])
  })

  test('ends at a row that fills it, and takes one row at least', async () => {
    const scene = await Scene.of([
      [1n, 30n, 0n],
      [2n, 20n, 0n],
    ])
    const { step } = await scene.building(100, 1)
    assert.equal(step.kind === 'moved' && step.position.rows, 1)
  })

  test('takes no more rows than have about so many members', async () => {
    const parts = [{ column: 'b', each: 'members', descending: false } as const]
    const rows: SqlRow[] = [1n, 2n, 3n, 4n].map((id) => [id, id, `[1,2,${id}]`])
    const scene = await Scene.of(rows, { parts, typeOfB: 'JSON' })
    for (const done of [2, 4]) {
      const { step, commit } = await scene.building(4)
      assert.equal(step.kind === 'moved' && step.position.rows, done)
      commit()
    }
    assert.equal((await scene.entries()).length, 10)
  })

  test('looks for each path into a long JSON in a turn of its own', async (t) => {
    const json = JSON.stringify({ filler: 'a'.repeat(400_000), x: 1 })
    const parts = ['x', 'y', 'z'].map((name) => ({
      ...{ column: 'b', path: [{ name }], descending: false },
    }))
    const scene = await Scene.of([[1n, 1n, json]], { parts, typeOfB: 'JSON' })
    const turns = nextTurns(t)
    const { commit } = await scene.building()
    assert.ok(turns.count >= parts.length, `${turns.count} turns`)
    commit()
    assert.deepEqual(await scene.entries(), ['null:1'])
  })

  test('writes no entry that a writer has put already', async () => {
    const scene = await Scene.of([
      [1n, 30n, 0n],
      [2n, 20n, 0n],
    ])
    ;(await scene.changing(1n, [1n, 31n, 0n])).commit()
    const { transaction, commit } = await scene.building()
    const entries = [...transaction.writes.keys()].filter((address) => address.startsWith('\u0002'))
    assert.equal(entries.length, 1)
    // An index that is dropped meanwhile gets none: the fence of its table stops the commit.
    assert.deepEqual([...transaction.schemasDependedOn], [1])
    commit()
    assert.deepEqual(await scene.entries(), ['20:2', '31:1'])
  })

  for (const unique of [false, true]) {
    const kind = unique ? 'a unique index' : 'an index'
    test(`of ${kind} conflicts with a writer that takes an entry away, whoever commits first`, async () => {
      for (const after of [null, [1n, 31n, 0n] as const]) {
        const scene = await Scene.of([[1n, 30n, 0n]], { unique })
        const building = await scene.building()
        const writer = await scene.changing(1n, after)
        writer.commit()
        assert.throws(building.commit, conflict)
        const late = await Scene.of([[1n, 30n, 0n]], { unique })
        const lateWriter = await late.changing(1n, after)
        ;(await late.building()).commit()
        assert.throws(() => lateWriter.commit(), conflict)
      }
    })
  }

  test('conflicts with a writer of what the entry stores', async () => {
    const scene = await Scene.of([[1n, 30n, 5n]], { storing: ['b'] })
    const building = await scene.building()
    ;(await scene.changing(1n, [1n, 30n, 6n])).commit()
    assert.throws(building.commit, conflict)
  })

  test('lets a writer pass whose row keeps its entry', async () => {
    const scene = await Scene.of([[1n, 30n, 5n]])
    const building = await scene.building()
    const writer = await scene.changing(1n, [1n, 30n, 6n])
    building.commit()
    writer.commit()
    assert.deepEqual(await scene.entries(), ['30:1'])
  })

  test('conflicts with another builder of the same rows', async () => {
    const scene = await Scene.of([[1n, 30n, 5n]])
    const [one, other] = [await scene.building(), await scene.building()]
    one.commit()
    assert.throws(other.commit, conflict)
  })
})

suite('the build of a unique index', () => {
  test('fails when two rows of before share a value, in one batch or in two', async () => {
    for (const rowsMax of [1, 2]) {
      const scene = await Scene.of(
        [
          [1n, 30n, 0n],
          [2n, 30n, 0n],
        ],
        { unique: true },
      )
      let { step, commit } = await scene.building(rowsMax)
      commit()
      if (rowsMax === 1) ({ step } = await scene.building(rowsMax))
      assert.deepEqual(step, { kind: 'ended', state: 'failed' })
    }
  })

  test('a row that shares its value leaves the entry of the other one when it goes', async () => {
    const scene = await Scene.of(
      [
        [1n, 30n, 0n],
        [2n, 30n, 0n],
      ],
      { unique: true },
    )
    ;(await scene.building(1)).commit()
    ;(await scene.changing(2n, null)).commit()
    assert.deepEqual(await scene.entries(), ['30:1'])
  })

  test('a row that leaves the entry to the other one conflicts with its disappearance', async () => {
    const scene = await Scene.of(
      [
        [1n, 30n, 0n],
        [2n, 30n, 0n],
      ],
      { unique: true },
    )
    ;(await scene.building(1)).commit() // Row 1 has the entry of 30.
    const leaving = await scene.changing(2n, [2n, 40n, 0n]) // It sees that entry, of another row.
    ;(await scene.changing(1n, null)).commit() // The entry goes with its row.
    const building = await scene.building() // It reads row 2 with 30, and no entry of 30.
    assert.throws(() => leaving.commit(), conflict) // Or row 2 had the entries of 30 and of 40.
    building.commit()
    assert.deepEqual(await scene.entries(), ['30:2'])
  })

  test('a row that shares its value may change what the entry does not say', async () => {
    const scene = await Scene.of(
      [
        [1n, 30n, 0n],
        [2n, 30n, 0n],
      ],
      { unique: true, storing: ['b'] },
    )
    ;(await scene.building(1)).commit()
    ;(await scene.changing(2n, [2n, 30n, 9n])).commit()
    assert.deepEqual(await scene.entries(), ['30:1'])
  })
})
