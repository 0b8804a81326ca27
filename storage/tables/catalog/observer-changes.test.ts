// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import { CatalogScene, column } from '../../../test/storage/catalog-scene.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import { decodeTable, encodeTable } from '../bytes/table-codec.ts'
import { defineObserver, type NewObserver } from '../new-observer.ts'
import { defineTable, type NewTable } from '../new-table.ts'
import type { ObserverDefinition } from '../table-definition.ts'
import { createTable } from './catalog-changes.ts'
import { dropColumn } from './column-changes.ts'
import {
  createObserver,
  dropObserver,
  endBackfill,
  pauseObserver,
  replayObserver,
  resumeObserver,
} from './observer-changes.ts'

const NEW_TABLE: NewTable = {
  name: 't',
  columns: [column('id'), column('a'), column('b', 'TEXT'), column('j', 'JSON')],
  primaryKey: [{ column: 'id', descending: false }],
}
const NEW_OBSERVER: NewObserver = {
  name: 'onA',
  table: 't',
  isWeak: false,
  columns: ['j', 'a'],
}
const always = { ifNotExists: false, ifExists: false }

class Scene extends CatalogScene {
  static async create(): Promise<Scene> {
    const scene = new Scene()
    await scene.createTable(NEW_TABLE)
    return scene
  }

  async observe(more: Partial<NewObserver> = {}): Promise<ObserverDefinition> {
    const given = { ...NEW_OBSERVER, ...more }
    const found = await this.change((at, catalog) => createObserver(at, catalog, given, always))
    return found.observer
  }

  async refuse(more: Partial<NewObserver>, error: object, ifNotExists = false): Promise<void> {
    const transaction = this.store.begin()
    const catalog = await this.catalog(transaction)
    const given = { ...NEW_OBSERVER, ...more }
    await assert.rejects(createObserver(transaction, catalog, given, { ifNotExists }), error)
    assert.equal(transaction.writes.size, 0)
  }

  async observer(name = 'onA'): Promise<ObserverDefinition | undefined> {
    return (await this.catalog()).observer(name)?.observer
  }
}

suite('an observer in the catalog', () => {
  test('is there from its creation on, with an id that no table gets, and its backfill still to come', async () => {
    const scene = await Scene.create()
    const observer = await scene.observe()
    assert.deepEqual(observer, {
      id: 2,
      name: 'onA',
      isWeak: false,
      columns: [2, 4],
      state: 'active',
      isBackfilled: false,
    })
    assert.deepEqual(await scene.observer(), observer)
    const { table } = await scene.change((at, catalog) =>
      createTable(at, catalog, { ...NEW_TABLE, name: 'other' }, always),
    )
    assert.equal(table.id, 3)
    assert.equal((await scene.observe({ name: 'weak', isWeak: true })).isBackfilled, true)
  })

  test('raises the schema fence of its table when it comes and goes, and at no other change', async () => {
    const scene = await Scene.create()
    const fences = async (work: Parameters<Scene['change']>[0]) =>
      await scene.change(async (at, catalog) => {
        await work(at, catalog)
        return [...at.schemasChanged]
      })
    assert.deepEqual(
      await fences((at, catalog) => createObserver(at, catalog, NEW_OBSERVER, always)),
      [1],
    )
    assert.deepEqual(await fences((at, catalog) => pauseObserver(at, catalog, 'onA')), [])
    assert.equal((await scene.observer())?.state, 'paused')
    assert.deepEqual(await fences((at, catalog) => resumeObserver(at, catalog, 'onA')), [])
    assert.equal((await scene.observer())?.state, 'active')
    assert.ok(((await scene.observer())?.resumedAt ?? 0) > 0)
    assert.deepEqual(await fences((at, catalog) => replayObserver(at, catalog, 'onA', 5)), [])
    assert.deepEqual(await fences((at, catalog) => dropObserver(at, catalog, 'onA', always)), [1])
    assert.equal(await scene.observer(), undefined)
  })

  test('is backfilled once for its creation, and again for each replay', async () => {
    const scene = await Scene.create()
    await scene.observe()
    const end = () =>
      scene.change(async (at, catalog) => {
        const found = catalog.observer('onA')
        if (found !== undefined) await endBackfill(at, found)
      })
    await end()
    assert.equal((await scene.observer())?.isBackfilled, true)
    const epoch = await scene.change(async (at, catalog) => {
      await replayObserver(at, catalog, 'onA', 7)
      return at.startTs
    })
    const replayed = await scene.observer()
    assert.equal(replayed?.isBackfilled, false)
    assert.deepEqual(
      { epoch: replayed?.epoch, replayFrom: replayed?.replayFrom },
      { epoch, replayFrom: 7 },
    )
    await end()
    assert.equal((await scene.observer())?.isBackfilled, true)
    assert.equal((await scene.observer())?.epoch, epoch)
  })

  test('is replayed from any moment that has been, and a weak one never', async () => {
    const scene = await Scene.create()
    await scene.observe()
    await scene.observe({ name: 'weak', isWeak: true })
    await scene.change((at, catalog) => replayObserver(at, catalog, 'onA', 0))
    assert.equal((await scene.observer())?.replayFrom, 1)
    await scene.change(async (at, catalog) => {
      const tomorrow = () => replayObserver(at, catalog, 'onA', at.startTs + 1)
      await assert.rejects(tomorrow, { code: 'timestamp_in_future' })
      await assert.rejects(() => replayObserver(at, catalog, 'weak', 1), {
        code: 'invalid_definition',
      })
      await assert.rejects(() => replayObserver(at, catalog, 'on', 1), { code: 'unknown_observer' })
      await replayObserver(at, catalog, 'onA', at.startTs)
    })
  })

  test('that cannot be is refused', async () => {
    const scene = await Scene.create()
    const invalid = (message: RegExp) => ({ code: 'invalid_definition', message })
    await scene.refuse({ table: 'x' }, { code: 'unknown_table' })
    await scene.refuse({ columns: [] }, invalid(/has no columns/))
    await scene.refuse({ columns: ['c'] }, invalid(/"c", which is no column/))
    await scene.refuse({ columns: ['a', 'b', 'a'] }, invalid(/names "a" twice/))
    await scene.refuse({ name: '' }, invalid(/cannot be empty/))
  })

  test('has a name that no other observer of the store has, but for case', async () => {
    const scene = await Scene.create()
    const observer = await scene.observe()
    await scene.change((at, catalog) =>
      createTable(at, catalog, { ...NEW_TABLE, name: 'other' }, always),
    )
    await scene.refuse(
      { table: 'other' },
      { code: 'already_exists', fields: { existing: 'onA', observer: 'onA', table: 'other' } },
    )
    await scene.refuse({ name: 'ONA' }, { code: 'already_exists' }, true)
    const again = await scene.change((at, catalog) =>
      createObserver(at, catalog, NEW_OBSERVER, { ifNotExists: true }),
    )
    assert.equal(again.created, false)
    assert.deepEqual(again.observer, observer)
  })

  test('is one of so many of its table', async () => {
    const scene = await Scene.create()
    for (let place = 0; place < STORAGE_LIMITS.tableObserversMax; place += 1) {
      await scene.observe({ name: `o${place}` })
    }
    await scene.refuse({}, { code: 'limit_exceeded' })
  })

  test('that is not there is not dropped; IF EXISTS allows it', async () => {
    const scene = await Scene.create()
    await scene.observe()
    await scene.change(async (at, catalog) => {
      await assert.rejects(dropObserver(at, catalog, 'onB', always), {
        code: 'unknown_observer',
        fields: { observer: 'onB', nearest: ['onA'] },
      })
      assert.equal(await dropObserver(at, catalog, 'onB', { ifExists: true }), null)
      assert.equal(at.writes.size, 0)
    })
  })

  test('keeps its columns from being dropped', async () => {
    const scene = await Scene.create()
    await scene.observe()
    await scene.change(async (at, catalog) => {
      await assert.rejects(dropColumn(at, catalog, 't', 'a'), {
        code: 'invalid_definition',
        fields: { table: 't', column: 'a', observer: 'onA' },
      })
      await dropColumn(at, catalog, 't', 'b')
    })
  })
})

suite('the catalog row of an observed table', () => {
  const plain = defineTable(NEW_TABLE, 1)
  const observer = defineObserver(plain, NEW_OBSERVER, 2)

  test('is read back as it was written, in a format that older servers refuse', () => {
    const replayed = { ...observer, id: 3, name: 'o', epoch: 9, replayFrom: 4 }
    const paused = {
      ...observer,
      id: 4,
      name: 'p',
      isWeak: true,
      state: 'paused' as const,
      resumedAt: 6,
    }
    const table = { ...plain, observers: [observer, replayed, paused] }
    assert.deepEqual(decodeTable(encodeTable(table)), table)
    const formatOf = (bytes: Uint8Array) => JSON.parse(Buffer.from(bytes).toString()).format
    assert.equal(formatOf(encodeTable(table)), 3)
    assert.equal(formatOf(encodeTable(plain)), 1)
  })

  test('shows any damage', () => {
    const encoded = encodeTable({ ...plain, observers: [observer] })
    const good = JSON.parse(Buffer.from(encoded).toString())
    const [goodObserver] = good.observers
    const bad = [
      { ...good, format: 4 },
      { ...good, observers: undefined },
      ...[
        { id: 0 },
        { name: '' },
        { weak: 1 },
        { columns: [] },
        { columns: [9] },
        { columns: [4, 2] },
        { state: 'done' },
        { backfilled: null },
        { epoch: 5 },
        { replayFrom: 5 },
        { epoch: 5, replayFrom: 0 },
        { resumedAt: '5' },
      ].map((more) => ({ ...good, observers: [{ ...goodObserver, ...more }] })),
    ]
    for (const json of bad) {
      const text = JSON.stringify(json)
      assert.throws(() => decodeTable(Buffer.from(text)), { rule: 'T3' }, text)
    }
  })
})
