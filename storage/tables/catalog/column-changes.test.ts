// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { CatalogScene, column } from '../../../test/storage/catalog-scene.ts'
import { putRow } from '../../../test/storage/row-writes.ts'
import { decodeTable, encodeTable } from '../bytes/table-codec.ts'
import type { NewColumn } from '../new-table.ts'
import { getRows } from '../rows/table-rows.ts'
import type { SqlRow } from '../table-definition.ts'
import { requireTable } from './catalog.ts'
import { addColumn, dropColumn } from './column-changes.ts'
import { createIndex, dropIndex } from './index-changes.ts'

/** A table `t (id, a)` with the row (1, 10). */
class Scene extends CatalogScene {
  static async create(): Promise<Scene> {
    const scene = new Scene()
    const primaryKey = [{ column: 'id', descending: false }]
    const newTable = { name: 't', columns: [column('id'), column('a')], primaryKey }
    await scene.createTable(newTable)
    await scene.put([1n, 10n], null)
    return scene
  }

  async put(row: SqlRow, before: SqlRow | null): Promise<void> {
    await this.change((at, catalog) => putRow(at, requireTable(catalog, 't'), row, before))
  }

  async row(startTs?: number): Promise<SqlRow | undefined> {
    const transaction = this.store.begin(startTs)
    const table = requireTable(await this.catalog(transaction), 't')
    return (await getRows(transaction, table, [[1n]]))[0]?.row
  }

  add(newColumn: NewColumn) {
    return this.change((at, catalog) => addColumn(at, catalog, 't', newColumn))
  }

  drop(name: string) {
    return this.change((at, catalog) => dropColumn(at, catalog, 't', name))
  }
}

suite('a column that is added', () => {
  test('has its default in the rows of before, and its own values in later ones', async () => {
    const scene = await Scene.create()
    const before = scene.store.nextTs()
    await scene.add(column('b', 'TEXT', { default: { kind: 'literal', value: 'old' } }))
    await scene.add(column('c'))
    assert.deepEqual(await scene.row(), [1n, 10n, 'old', null])
    assert.deepEqual(await scene.row(before), [1n, 10n])
    await scene.put([1n, 10n, null, 7n], [1n, 10n, 'old', null])
    assert.deepEqual(await scene.row(), [1n, 10n, null, 7n])
  })

  test('with now() has the time of the change in all rows of before', async () => {
    const scene = await Scene.create()
    let startTs = 0
    await scene.change((at, catalog) => {
      startTs = at.startTs
      return addColumn(at, catalog, 't', column('at', 'TIMESTAMP', { default: { kind: 'now' } }))
    })
    assert.deepEqual(await scene.row(), [1n, 10n, BigInt(startTs)])
  })

  test('needs a default when it is NOT NULL, has another name than the others, and no uuid()', async () => {
    const scene = await Scene.create()
    const refused: Array<[NewColumn, RegExp]> = [
      [column('b', 'INTEGER', { notNull: true }), /needs a default/],
      [column('A'), /differ by case only/],
      [column('a'), /is there twice/],
      [column('b', 'TEXT', { default: { kind: 'uuid' } }), /the same for all its rows/],
      [column('b', 'NUMBER'), /There is no type NUMBER/],
    ]
    for (const [newColumn, message] of refused) {
      await assert.rejects(scene.add(newColumn), { code: 'invalid_definition', message })
    }
    const given = { kind: 'literal', value: 3n } as const
    await scene.add(column('b', 'INTEGER', { notNull: true, default: given }))
    assert.deepEqual(await scene.row(), [1n, 10n, 3n])
  })

  test('fails the writers of before', async () => {
    const scene = await Scene.create()
    const changing = await scene.change(async (at, catalog) => {
      await addColumn(at, catalog, 't', column('b'))
      return at
    })
    assert.deepEqual([...changing.schemasChanged], [1])
  })
})

suite('a column that is dropped', () => {
  test('is gone from the rows, and its id is not given to another', async () => {
    const scene = await Scene.create()
    const before = scene.store.nextTs()
    const { nextColumnId } = await scene.drop('a')
    assert.equal(nextColumnId, 3)
    assert.deepEqual(await scene.row(), [1n])
    assert.deepEqual(await scene.row(before), [1n, 10n])
    const table = await scene.add(column('a', 'TEXT'))
    assert.deepEqual(
      table.columns.map(({ id }) => id),
      [1, 3],
    )
    assert.deepEqual(await scene.row(), [1n, null])
    assert.deepEqual(decodeTable(encodeTable(table)), table)
  })

  test('must not be of the primary key or of an index, which is named', async () => {
    const scene = await Scene.create()
    await scene.add(column('b'))
    const parts = [{ column: 'a', descending: false }]
    const newIndex = { name: 'byA', table: 't', unique: false, parts, storing: ['b'] }
    await scene.change((at, catalog) => createIndex(at, catalog, newIndex, { ifNotExists: false }))
    await assert.rejects(scene.drop('id'), { code: 'invalid_definition', message: /primary key/ })
    for (const name of ['a', 'b']) {
      const fields = { table: 't', column: name, index: 'byA' }
      await assert.rejects(scene.drop(name), { code: 'invalid_definition', fields })
    }
    await assert.rejects(scene.drop('c'), { code: 'invalid_definition' })
    await scene.change((at, catalog) => dropIndex(at, catalog, 'byA', { ifExists: false }))
    await scene.drop('a')
  })
})
