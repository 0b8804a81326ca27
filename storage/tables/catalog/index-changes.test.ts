// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { CatalogScene, column } from '../../../test/storage/catalog-scene.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import { encodeIndexKey, indexSpace } from '../bytes/index-key.ts'
import { tableSpace } from '../bytes/key-encoding.ts'
import { decodeTable, encodeTable } from '../bytes/table-codec.ts'
import type { NewIndex } from '../new-index.ts'
import { defineTable, type NewTable } from '../new-table.ts'
import { findAbandonedRows } from '../rows/abandoned-rows.ts'
import { nameOfRow } from '../rows/row-name.ts'
import { createTable, dropTable } from './catalog-changes.ts'
import { createIndex, dropIndex, endBuilding } from './index-changes.ts'
import { readIndexProgress, writePosition } from './index-progress.ts'

const part = (name: string, descending = false) => ({ column: name, descending })
const NEW_TABLE: NewTable = {
  name: 't',
  columns: [column('id'), column('a'), column('b', 'TEXT'), column('j', 'JSON')],
  primaryKey: [part('id')],
}
const NEW_INDEX: NewIndex = {
  name: 'byA',
  table: 't',
  unique: false,
  parts: [part('a', true)],
  storing: ['j', 'b'],
}
const always = { ifNotExists: false, ifExists: false }

class Scene extends CatalogScene {
  static async create(): Promise<Scene> {
    const scene = new Scene()
    await scene.createTable(NEW_TABLE)
    return scene
  }

  async refuse(newIndex: Partial<NewIndex>, error: object, ifNotExists = false): Promise<void> {
    const transaction = this.store.begin()
    const catalog = await this.catalog(transaction)
    const given = { ...NEW_INDEX, ...newIndex }
    await assert.rejects(createIndex(transaction, catalog, given, { ifNotExists }), error)
    assert.equal(transaction.writes.size, 0)
  }
}

suite('an index in the catalog', () => {
  test('is there from its creation on, being built, with an id that no table gets', async () => {
    const scene = await Scene.create()
    const { index } = await scene.change((at, catalog) =>
      createIndex(at, catalog, NEW_INDEX, always),
    )
    assert.deepEqual(index, {
      id: 2,
      name: 'byA',
      unique: false,
      parts: [{ columnId: 2, descending: true }],
      storing: [3, 4],
      state: 'building',
    })
    const found = (await scene.catalog()).index('byA')
    assert.deepEqual(found?.index, index)
    assert.equal(found?.table.name, 't')
    const { table } = await scene.change((at, catalog) =>
      createTable(at, catalog, { ...NEW_TABLE, name: 'other' }, always),
    )
    assert.equal(table.id, 3)
  })

  test('raises the schema fence of its table when it comes and goes, not when it is ready', async () => {
    const scene = await Scene.create()
    const fences = async (work: Parameters<Scene['change']>[0]) =>
      await scene.change(async (at, catalog) => {
        await work(at, catalog)
        return [...at.schemasChanged]
      })
    assert.deepEqual(
      await fences((at, catalog) => createIndex(at, catalog, NEW_INDEX, always)),
      [1],
    )
    const ready = await fences(async (at, catalog) => {
      const found = catalog.index('byA')
      if (found !== undefined) await endBuilding(at, found, { state: 'ready' })
    })
    assert.deepEqual(ready, [])
    assert.equal((await scene.catalog()).index('byA')?.index.state, 'ready')
    assert.deepEqual(await fences((at, catalog) => dropIndex(at, catalog, 'byA', always)), [1])
    assert.equal((await scene.catalog()).index('byA'), undefined)
  })

  test('that cannot be is refused', async () => {
    const scene = await Scene.create()
    const invalid = (message: RegExp) => ({ code: 'invalid_definition', message })
    await scene.refuse({ table: 'x' }, { code: 'unknown_table' })
    await scene.refuse({ parts: [] }, invalid(/has no columns/))
    await scene.refuse({ parts: [part('c')] }, invalid(/"c", which is no column/))
    await scene.refuse({ parts: [part('j')] }, invalid(/JSON, which has no order/))
    await scene.refuse({ parts: [part('a'), part('a')] }, invalid(/names "a" twice/))
    await scene.refuse({ storing: ['c'] }, invalid(/"c", which is no column/))
    for (const held of ['a', 'id']) {
      await scene.refuse({ storing: [held] }, invalid(/hold "\w+" already/))
    }
    await scene.refuse({ storing: ['b', 'b'] }, invalid(/hold "b" already/))
    await scene.refuse({ name: '' }, invalid(/cannot be empty/))
  })

  test('has a name that no other index of the store has, but for case', async () => {
    const scene = await Scene.create()
    const { index } = await scene.change((at, catalog) =>
      createIndex(at, catalog, NEW_INDEX, always),
    )
    await scene.refuse({}, { code: 'already_exists' })
    await scene.refuse({ name: 'BYA' }, { code: 'already_exists' }, true)
    const again = await scene.change((at, catalog) =>
      createIndex(at, catalog, NEW_INDEX, { ifNotExists: true }),
    )
    assert.equal(again.created, false)
    assert.deepEqual(again.index, index)
  })

  test('is one of so many of its table', async () => {
    const scene = await Scene.create()
    for (let place = 0; place < STORAGE_LIMITS.tableIndexesMax; place += 1) {
      const newIndex = { ...NEW_INDEX, name: `i${place}` }
      await scene.change((at, catalog) => createIndex(at, catalog, newIndex, always))
    }
    await scene.refuse({}, { code: 'limit_exceeded' })
  })

  test('that is not there is not dropped; IF EXISTS allows it', async () => {
    const scene = await Scene.create()
    await scene.change((at, catalog) => createIndex(at, catalog, NEW_INDEX, always))
    const transaction = scene.store.begin()
    const catalog = await scene.catalog()
    await assert.rejects(dropIndex(transaction, catalog, 'byB', always), {
      code: 'unknown_index',
      fields: { index: 'byB', nearest: ['byA'] },
    })
    assert.equal(await dropIndex(transaction, catalog, 'byB', { ifExists: true }), null)
  })

  test('leaves its entries to garbage collection when it fails or goes, also with its table', async () => {
    const scene = await Scene.create()
    const create = (name: string) =>
      scene.change((at, catalog) => createIndex(at, catalog, { ...NEW_INDEX, name }, always))
    await create('kept') // 2
    await create('dropped') // 3
    await create('failed') // 4
    await scene.change((at, catalog) => dropIndex(at, catalog, 'dropped', always))
    await scene.change(async (at, catalog) => {
      const found = catalog.index('failed')
      if (found !== undefined)
        await endBuilding(at, found, { state: 'failed', failure: 'So it is.' })
    })
    const abandoned = async () => {
      const isAbandoned = await findAbandonedRows(scene.store.begin(), await scene.catalog())
      return [2, 3, 4, 5].map((id) => isAbandoned(indexSpace(id)))
    }
    assert.deepEqual(await abandoned(), [false, true, true, false])
    await scene.change((at, catalog) => dropTable(at, catalog, 't', always))
    assert.deepEqual(await abandoned(), [true, true, true, false])
    const isAbandoned = await findAbandonedRows(scene.store.begin(), await scene.catalog())
    assert.ok(isAbandoned(tableSpace(1)))
  })

  test('tells how far its building is, until it ends', async () => {
    const scene = await Scene.create()
    const found = await scene.change((at, catalog) => createIndex(at, catalog, NEW_INDEX, always))
    const progress = () => readIndexProgress(scene.store.begin(), found.table, found.index)
    assert.deepEqual(await progress(), { rowsDone: 0, lastKey: null })
    const last = Buffer.concat([tableSpace(1), Buffer.from('108000000000000007', 'hex')])
    await scene.change((at) => writePosition(at, found.index, { rows: 250, last }))
    assert.deepEqual(await progress(), { rowsDone: 250, lastKey: [7n] })
    await scene.change((at) => endBuilding(at, found, { state: 'ready' }))
    assert.deepEqual(await progress(), { rowsDone: 0, lastKey: null })
  })

  test('names its entries, for errors about conflicts', async () => {
    const scene = await Scene.create()
    const { table, index } = await scene.change((at, catalog) =>
      createIndex(at, catalog, { ...NEW_INDEX, unique: true }, always),
    )
    const name = nameOfRow(await scene.catalog(), encodeIndexKey(table, index, [5n]))
    assert.deepEqual(name, { kind: 'indexEntry', table, index, values: [5n] })
    assert.deepEqual(nameOfRow(await scene.catalog(), indexSpace(9)), { kind: 'unknown' })
  })
})

suite('a table of families', () => {
  const families = [
    { name: 'one', columns: ['b'] },
    { name: 'two', columns: ['a'] },
  ]

  test('knows which column is in which, and is read back as it was written', () => {
    const table = defineTable({ ...NEW_TABLE, families }, 1)
    assert.deepEqual(
      table.columns.map(({ family }) => family),
      [undefined, 2, 1, undefined],
    )
    assert.deepEqual(table.families, [
      { id: 1, name: 'one' },
      { id: 2, name: 'two' },
    ])
    assert.deepEqual(decodeTable(encodeTable(table)), table)
  })

  test('that cannot be is refused', () => {
    const refused: Array<[NewTable['families'], RegExp]> = [
      [[{ name: 'one', columns: ['x'] }], /"x", which is no column/],
      [[{ name: 'one', columns: ['id'] }], /primary key, which is stored in no family/],
      [[{ name: 'one', columns: [] }], /has no columns/],
      [[...families, { name: 'ONE', columns: ['j'] }], /two families "ONE"/],
      [[...families, { name: 'three', columns: ['a'] }], /"a" is in a family twice/],
    ]
    for (const [given, message] of refused) {
      const newTable = { ...NEW_TABLE, ...(given && { families: given }) }
      assert.throws(() => defineTable(newTable, 1), { code: 'invalid_definition', message })
    }
  })

  test('and of indexes has a row in the catalog of which any damage is noticed', () => {
    const plain = defineTable({ ...NEW_TABLE, families }, 1)
    const parts = [{ columnId: 2, descending: false }]
    const index = { id: 2, name: 'i', unique: true, parts, storing: [3], state: 'ready' } as const
    const encoded = encodeTable({ ...plain, indexes: [index] })
    const good = JSON.parse(Buffer.from(encoded).toString())
    const [goodIndex] = good.indexes
    const bad = [
      { ...good, format: 3 },
      { ...good, nextColumn: 4 },
      { ...good, families: [] },
      { ...good, families: undefined },
      { ...good, indexes: undefined },
      ...[
        { id: 0 },
        { name: '' },
        { unique: 1 },
        { columns: [] },
        { columns: [{ column: 9, descending: false }] },
        { storing: [9] },
        { storing: [4, 3] },
        { state: 'done' },
      ].map((more) => ({ ...good, indexes: [{ ...goodIndex, ...more }] })),
    ]
    for (const json of bad) {
      const text = JSON.stringify(json)
      assert.throws(() => decodeTable(Buffer.from(text)), { rule: 'T3' }, text)
    }
  })
})
