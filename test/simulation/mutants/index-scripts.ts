// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { CatalogReader, requireIndex } from '../../../storage/tables/catalog/catalog.ts'
import { buildBatch } from '../../../storage/tables/index-build/index-backfill.ts'
import { scanIndexEntries } from '../../../storage/tables/rows/index-scan.ts'
import type { SqlRow } from '../../../storage/tables/table-definition.ts'
import { createIndex, createTable } from '../../../storage/tables/tables.ts'
import { FakeStore, type FakeTransaction } from '../../storage/fake-transactions.ts'
import { deleteRow, putRow } from '../../storage/row-writes.ts'

/** Rows `(id, a)` in a table with a unique index of `a` that is being built. */
class IndexScene {
  readonly #store = new FakeStore()
  readonly #reader = new CatalogReader()

  async given(...rows: readonly SqlRow[]): Promise<void> {
    const column = (name: string) => ({ name, type: 'INTEGER', notNull: true })
    const parts = (name: string) => [{ column: name, descending: false }]
    const table = { name: 't', columns: [column('id'), column('a')], primaryKey: parts('id') }
    const index = { name: 'byA', table: 't', unique: true, parts: parts('a'), storing: [] }
    const options = { ifNotExists: false }
    await this.#commit(async (transaction) =>
      createTable(transaction, await this.#reader.read(transaction), table, options),
    )
    for (const row of rows) (await this.changing(null, row)).commit()
    await this.#commit(async (transaction) =>
      createIndex(transaction, await this.#reader.read(transaction), index, options),
    )
  }

  /** A transaction that makes the one of the other, and is not committed yet. */
  async changing(before: SqlRow | null, after: SqlRow | null): Promise<FakeTransaction> {
    const transaction = this.#store.begin()
    const table = (await this.#reader.read(transaction)).table('t')
    assert.ok(table !== undefined)
    if (after !== null) await putRow(transaction, table, after, before)
    else if (before !== null) await deleteRow(transaction, table, before)
    return transaction
  }

  async build(rowsMax: number): Promise<void> {
    await this.#commit(async (transaction) => {
      const building = requireIndex(await this.#reader.read(transaction), 'byA')
      await buildBatch(transaction, building, { rowsMax, bytesMax: 1_000 })
    })
  }

  async entries(): Promise<string[]> {
    const transaction = this.#store.begin()
    const { table, index } = requireIndex(await this.#reader.read(transaction), 'byA')
    const batches = await Array.fromAsync(scanIndexEntries(transaction, table, index, {}))
    return batches.flat().map(({ row: [id, a] }) => `${a} of ${id}`)
  }

  async #commit(work: (transaction: FakeTransaction) => Promise<unknown>): Promise<void> {
    const transaction = this.#store.begin()
    await work(transaction)
    transaction.commit()
  }
}

/**
 * Rows 1 and 2 share 30, and row 1 has the entry. Row 2 leaves 30 and sees that; row 1 goes, with the
 * entry; the build gives it to row 2. Then row 2 must not commit, or it had two entries.
 */
export async function valueLeftWhileItsIndexIsBuilt(): Promise<void> {
  const scene = new IndexScene()
  await scene.given([1n, 30n], [2n, 30n])
  await scene.build(1)
  const leaving = await scene.changing([2n, 30n], [2n, 40n])
  ;(await scene.changing([1n, 30n], null)).commit()
  await scene.build(1)
  assert.throws(() => leaving.commit(), { code: 'write_conflict' })
  assert.deepEqual(await scene.entries(), ['30 of 2'])
}

/** Rows 1 and 2 share 30, and row 1 has the entry. Row 2 goes: the entry is none of its own. */
export async function valueSharedWhileItsIndexIsBuilt(): Promise<void> {
  const scene = new IndexScene()
  await scene.given([1n, 30n], [2n, 30n])
  await scene.build(1)
  ;(await scene.changing([2n, 30n], null)).commit()
  assert.deepEqual(await scene.entries(), ['30 of 1'])
}
