// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { suite, test } from 'node:test'
import fc from 'fast-check'
import { arbitraryRow, arbitraryTable } from './arbitrary-values.ts'
import { CatalogReader, createCatalog, requireTable } from './catalog.ts'
import { createTable, dropTable } from './catalog-changes.ts'
import { CATALOG_VERSION_KEY, catalogNameKey, catalogTableKey } from './catalog-codec.ts'
import { column } from './catalog-scene.ts'
import { FakeStore } from './fake-transactions.ts'
import { defineTable, type NewTable } from './new-table.ts'
import type { SqlValue } from './sql-type.ts'
import { decodeTable, encodeTable } from './table-codec.ts'
import type { TableDefinition } from './table-definition.ts'

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

  test('the tables are read once for each version, and the version is its commit timestamp', async () => {
    const store = new FakeStore()
    const reader = new CatalogReader()
    const { commitTs } = await create(store, 'account')
    const first = store.begin()
    const catalog = await reader.read(first)
    assert.equal(catalog.version, commitTs)
    assert.equal(first.calls.scanRows, 1)
    const second = store.begin()
    assert.equal(await reader.read(second), catalog)
    assert.deepEqual(second.calls, { getRows: 1, scanRows: 0 })
    await create(store, 'trade')
    const third = store.begin()
    assert.notEqual(await reader.read(third), catalog)
    assert.equal(third.calls.scanRows, 1)
  })

  test('a few versions are kept, the one used longest ago goes first', async () => {
    const store = new FakeStore()
    const reader = new CatalogReader()
    const stamps: number[] = []
    for (let count = 0; count < 9; count += 1) {
      stamps.push((await create(store, `t${count}`)).commitTs)
    }
    const scansAt = async (startTs: number) => {
      const transaction = store.begin(startTs)
      await reader.read(transaction)
      return transaction.calls.scanRows
    }
    const [oldest, ...others] = stamps as [number, ...number[]]
    assert.equal(await scansAt(oldest), 1)
    for (const stamp of others.slice(0, 7)) assert.equal(await scansAt(stamp), 1)
    assert.equal(await scansAt(oldest), 0)
    assert.equal(await scansAt(others[7] as number), 1)
    assert.equal(await scansAt(oldest), 0)
    assert.equal(await scansAt(others[0] as number), 1)
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
