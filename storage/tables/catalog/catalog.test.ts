// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { arbitraryRow, arbitraryTable } from '../../../test/storage/arbitrary-values.ts'
import { column } from '../../../test/storage/catalog-scene.ts'
import { FakeStore } from '../../../test/storage/fake-transactions.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import type { SqlValue } from '../../values/sql-type.ts'
import { CATALOG_VERSION_KEY, catalogNameKey, catalogTableKey } from '../bytes/catalog-codec.ts'
import { decodeTable, encodeTable } from '../bytes/table-codec.ts'
import { defineTable, type NewTable } from '../new-table.ts'
import type { TableDefinition } from '../table-definition.ts'
import { type Catalog, CatalogReader, createCatalog, requireTable } from './catalog.ts'
import { createTable, dropTable } from './catalog-changes.ts'
import { addColumn } from './column-changes.ts'

const always = { ifNotExists: false, ifExists: false }

function newTable(name: string, columns = [column('id')], key = ['id']): NewTable {
  return { name, columns, primaryKey: key.map((part) => ({ column: part, descending: false })) }
}

async function create(store: FakeStore, name: string, reader = new CatalogReader()) {
  const transaction = store.begin()
  const catalog = await reader.read(transaction)
  const { table } = await createTable(transaction, catalog, newTable(name), always)
  return { table, commitTs: transaction.commit() }
}

async function drop(store: FakeStore, name: string, reader = new CatalogReader()) {
  const transaction = store.begin()
  await dropTable(transaction, await reader.read(transaction), name, always)
  return transaction.commit()
}

async function namesAt(store: FakeStore, reader: CatalogReader, startTs?: number) {
  const catalog = await reader.read(store.begin(startTs))
  return catalog.tables().map((table) => table.name)
}

suite('the catalog at a snapshot', () => {
  test('an empty store has version 0 and no tables, and is not scanned for them', async () => {
    const transaction = new FakeStore().begin()
    const catalog = await new CatalogReader().read(transaction)
    assert.equal(catalog.version, 0)
    assert.deepEqual(catalog.tables(), [])
    assert.equal(transaction.calls.scanRows, 0)
  })

  test('a snapshot of the past sees the tables of its time, by names in order', async () => {
    const store = new FakeStore()
    const reader = new CatalogReader()
    const before = store.nextTs()
    const { commitTs: first } = await create(store, 'trade')
    const { commitTs: second } = await create(store, 'account')
    const third = await drop(store, 'trade')
    assert.deepEqual(await namesAt(store, reader), ['account'])
    assert.deepEqual(await namesAt(store, reader, before), [])
    assert.deepEqual(await namesAt(store, reader, first), ['trade'])
    assert.deepEqual(await namesAt(store, reader, second), ['account', 'trade'])
    assert.deepEqual(await namesAt(store, reader, third - 1), ['account', 'trade'])
  })

  test('a version is its commit timestamp, and is read once', async () => {
    const store = new FakeStore()
    const reader = new CatalogReader()
    const { commitTs } = await create(store, 'account')
    const catalog = await reader.read(store.begin())
    assert.equal(catalog.version, commitTs)
    const second = store.begin()
    assert.equal(await reader.read(second), catalog)
    assert.deepEqual(second.calls, { getRows: 1, scanRows: 0 })
    await create(store, 'trade')
    assert.notEqual(await reader.read(store.begin()), catalog)
  })

  test('after each change one table is read, however many there are; all of them only at first', async () => {
    const store = new FakeStore()
    const reader = new CatalogReader()
    const change = async (work: (name: string) => Promise<unknown>, name: string) => {
      await work(name)
      const transaction = store.begin()
      const names = (await reader.read(transaction)).tables().map((table) => table.name)
      assert.deepEqual(transaction.calls, { getRows: 2, scanRows: 0 })
      return names
    }
    const names = Array.from({ length: 40 }, (_, at) => `t${String(at).padStart(2, '0')}`)
    for (const [at, name] of names.entries()) {
      const made = await change(async () => create(store, name, reader), name)
      assert.deepEqual(made, names.slice(0, at + 1))
    }
    const left = await change(async () => drop(store, 't20', reader), 't20')
    assert.deepEqual(left, names.toSpliced(20, 1))
    const late = store.begin()
    assert.equal((await new CatalogReader().read(late)).tables().length, 39)
    assert.equal(late.calls.scanRows, 1)
  })

  test('a transaction that changes two tables names neither, and both are read', async () => {
    const store = new FakeStore()
    const reader = new CatalogReader()
    await create(store, 'account', reader)
    const transaction = store.begin()
    await createTable(transaction, await reader.read(transaction), newTable('b'), always)
    await createTable(transaction, await reader.read(transaction), newTable('a'), always)
    transaction.commit()
    assert.deepEqual(await namesAt(store, reader), ['a', 'account', 'b'])
  })

  test('a store has so many tables, and all tables so many parts; one more is refused', async () => {
    const definitions = (count: number, columns: number) =>
      Array.from({ length: count }, (_, at) =>
        defineTable(
          newTable(
            `t${at}`,
            Array.from({ length: columns }, (_, nr) => column(`c${nr}`)),
            ['c0'],
          ),
          at + 1,
        ),
      )
    const refuse = async (catalog: Catalog, columns: number, limit: string) => {
      const table = newTable(
        'more',
        Array.from({ length: columns }, (_, nr) => column(`c${nr}`)),
        ['c0'],
      )
      const creating = createTable(new FakeStore().begin(), catalog, table, always)
      await assert.rejects(creating, ({ code, fields }) => {
        assert.deepEqual([code, fields.limit], ['limit_exceeded', limit])
        return fields.hint.startsWith('drop tables that nobody uses')
      })
    }
    const { tablesMax, catalogPartsMax } = STORAGE_LIMITS
    await refuse(createCatalog(7, definitions(tablesMax, 1)), 1, 'tablesMax')
    const wide = createCatalog(7, definitions(catalogPartsMax / 250, 250))
    await refuse(wide, 1, 'catalogPartsMax')
    const adding = addColumn(new FakeStore().begin(), wide, 't1', column('more'))
    await assert.rejects(adding, { code: 'limit_exceeded' })
  })

  test('a few versions are kept, the one used longest ago goes first', async () => {
    const store = new FakeStore()
    const reader = new CatalogReader()
    const stamps: number[] = []
    for (let count = 0; count < 9; count += 1) {
      stamps.push((await create(store, `t${count}`)).commitTs)
    }
    const isKept = async (startTs: number) => {
      const transaction = store.begin(startTs)
      await reader.read(transaction)
      return transaction.calls.getRows + transaction.calls.scanRows === 1
    }
    const [oldest, ...others] = stamps as [number, ...number[]]
    assert.equal(await isKept(oldest), false)
    for (const stamp of others.slice(0, 7)) assert.equal(await isKept(stamp), false)
    assert.equal(await isKept(oldest), true)
    assert.equal(await isKept(others[7] as number), false)
    assert.equal(await isKept(oldest), true)
    assert.equal(await isKept(others[0] as number), false)
  })

  test('what a transaction has not committed is seen by itself and kept for nobody', async () => {
    const store = new FakeStore()
    const reader = new CatalogReader()
    await create(store, 'account', reader)
    const transaction = store.begin()
    const before = await reader.read(transaction)
    await createTable(transaction, before, newTable('trade'), always)
    const own = await reader.read(transaction)
    assert.equal(own.version, null)
    assert.deepEqual(
      own.tables().map(({ name }) => name),
      ['account', 'trade'],
    )
    assert.deepEqual(await namesAt(store, reader), ['account'])
    const another = store.begin()
    await dropTable(another, await reader.read(another), 'account', always)
    assert.deepEqual((await reader.read(another)).tables(), [])
  })

  test('an unknown table is refused with the names near it', () => {
    const table = defineTable(newTable('account'), 1)
    const catalog = createCatalog(5, [table])
    assert.equal(requireTable(catalog, 'account'), table)
    assert.throws(() => requireTable(catalog, 'Acount'), {
      code: 'unknown_table',
      fields: { table: 'Acount', nearest: ['account'] },
    })
  })
})

suite('CREATE TABLE and DROP TABLE', () => {
  test('two at the same time conflict, whatever their tables', async () => {
    const store = new FakeStore()
    await create(store, 'account')
    const reader = new CatalogReader()
    const [first, second] = [store.begin(), store.begin()]
    await createTable(first, await reader.read(first), newTable('trade'), always)
    await dropTable(second, await reader.read(second), 'account', always)
    first.commit()
    assert.throws(() => second.commit(), { code: 'write_conflict' })
  })

  test('a row for the name holds the id of the table for as long as it has the name', async () => {
    const store = new FakeStore()
    const idOf = async (name: string) => {
      const row = await store.begin().getRow(catalogNameKey(name), ['0'])
      const cell = row?.columns.get('0')
      return cell && JSON.parse(Buffer.from(cell.value).toString())
    }
    await create(store, 'account')
    await create(store, 'größe')
    assert.equal(Buffer.from(catalogNameKey('größe')).toString(), '\0catalog/name/gr%C3%B6%C3%9Fe')
    assert.deepEqual(await idOf('account'), { format: 1, table: 1 })
    assert.deepEqual(await idOf('größe'), { format: 1, table: 2 })
    await drop(store, 'account')
    assert.equal(await idOf('account'), undefined)
  })

  test('an id is never given out twice, not even after its table was dropped', async () => {
    const store = new FakeStore()
    assert.equal((await create(store, 'a')).table.id, 1)
    assert.equal((await create(store, 'b')).table.id, 2)
    await drop(store, 'b')
    assert.equal((await create(store, 'b')).table.id, 3)
  })

  test('each raises the schema fence of its table', async () => {
    const store = new FakeStore()
    const creating = store.begin()
    const reader = new CatalogReader()
    await createTable(creating, await reader.read(creating), newTable('account'), always)
    assert.deepEqual([...creating.schemasChanged], [1])
    creating.commit()
    const dropping = store.begin()
    await dropTable(dropping, await reader.read(dropping), 'account', always)
    assert.deepEqual([...dropping.schemasChanged], [1])
  })

  test('a second table of one name is refused; IF NOT EXISTS answers the first and writes nothing', async () => {
    const store = new FakeStore()
    const { table } = await create(store, 'account')
    const transaction = store.begin()
    const catalog = await new CatalogReader().read(transaction)
    await assert.rejects(createTable(transaction, catalog, newTable('account'), always), {
      code: 'already_exists',
      fields: { table: 'account', existing: 'account' },
    })
    const other = newTable('account', [column('x')], ['x'])
    const answer = await createTable(transaction, catalog, other, { ifNotExists: true })
    assert.deepEqual(answer, { table, created: false })
    assert.equal(transaction.writes.size, 0)
  })

  test('a name that differs by case only is refused with the existing one, IF NOT EXISTS or not', async () => {
    const store = new FakeStore()
    await create(store, 'Account')
    for (const ifNotExists of [false, true]) {
      const transaction = store.begin()
      const catalog = await new CatalogReader().read(transaction)
      await assert.rejects(
        createTable(transaction, catalog, newTable('account'), { ifNotExists }),
        { code: 'already_exists', fields: { table: 'account', existing: 'Account' } },
      )
    }
  })

  test('dropping what is not there is refused; IF EXISTS allows it and writes nothing', async () => {
    const store = new FakeStore()
    await create(store, 'account')
    const transaction = store.begin()
    const catalog = await new CatalogReader().read(transaction)
    await assert.rejects(dropTable(transaction, catalog, 'acount', always), {
      code: 'unknown_table',
    })
    assert.equal(await dropTable(transaction, catalog, 'acount', { ifExists: true }), null)
    assert.equal(transaction.writes.size, 0)
  })

  test('a dropped name can be used again, also in another case', async () => {
    const store = new FakeStore()
    await create(store, 'account')
    await drop(store, 'account')
    await create(store, 'ACCOUNT')
    assert.deepEqual(await namesAt(store, new CatalogReader()), ['ACCOUNT'])
  })

  test('a name of any characters is kept as it is', async () => {
    const store = new FakeStore()
    for (const name of ['a/b', 'größe', '😀 %', "it's"]) await create(store, name)
    assert.deepEqual(
      await namesAt(store, new CatalogReader()),
      ["it's", 'a/b', 'größe', '😀 %'].sort(),
    )
  })
})

suite('the row of a table definition', () => {
  test('what is written is read back, defaults of every type included', () => {
    const tableWithDefaults = arbitraryTable.chain((table) =>
      arbitraryRow(table).map((values) => withDefaults(table, values)),
    )
    fc.assert(
      fc.property(tableWithDefaults, (table) => {
        assert.deepEqual(decodeTable(encodeTable(table)), table)
      }),
    )
  })

  test('damaged rows are violations of T3', async () => {
    const good = JSON.parse(Buffer.from(encodeTable(defineTable(newTable('t'), 1))).toString())
    const bad: unknown[] = [
      null,
      [],
      { ...good, format: 2 },
      { ...good, id: 0 },
      { ...good, id: 2 ** 32 },
      { ...good, name: 7 },
      { ...good, columns: {} },
      { ...good, columns: [...good.columns, ...good.columns] },
      { ...good, columns: [{ ...good.columns[0], type: 'FLOAT' }] },
      { ...good, columns: [{ ...good.columns[0], default: { kind: 'literal', value: 'x' } }] },
      { ...good, columns: [{ ...good.columns[0], default: { kind: 'random' } }] },
      { ...good, primaryKey: [] },
      { ...good, primaryKey: [{ column: 2, descending: false }] },
    ]
    const texts = [...bad.map((json) => JSON.stringify(json)), '', '{', '\ufffe']
    for (const text of texts) {
      const damaged = { name: 'InvariantViolation', rule: 'T3' }
      assert.throws(() => decodeTable(Buffer.from(text)), damaged, text)
    }
    const store = new FakeStore()
    const damaging = store.begin()
    damaging.put(CATALOG_VERSION_KEY, '0', Buffer.from('{}'))
    damaging.put(catalogTableKey(1), '0', Buffer.from('{}'))
    damaging.commit()
    await assert.rejects(new CatalogReader().read(store.begin()), { rule: 'T3' })
  })
})

function withDefaults(table: TableDefinition, values: readonly SqlValue[]): TableDefinition {
  const columns = table.columns.map((definition, index) => ({
    ...definition,
    default: { kind: 'literal', value: values[index] as SqlValue } as const,
  }))
  return { ...table, columns }
}
