// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Kysely, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { startRealServer } from '../../test/client-sdk/real-server.ts'
import { NotInDialectError, PercoliteDialect } from './percolite-dialect.ts'

type Bank = { account: { id: string; no: number; balance: number } }

const { db: client } = await startRealServer()
const bank = new Kysely<Bank>({ dialect: new PercoliteDialect({ db: client }) })

describe('the dialect of Kysely at a server', () => {
  test('tables and indexes are defined, told of, changed and dropped', async () => {
    await bank.schema
      .createTable('item')
      .ifNotExists()
      .addColumn('shop', 'varchar(20)')
      .addColumn('no', 'serial')
      .addColumn('name', 'text', (col) => col.notNull().defaultTo('new').unique())
      .addColumn('price', 'numeric(10, 2)', (col) => col.check(sql`price > 0`))
      .addColumn('made', 'timestamptz', (col) => col.defaultTo(sql`now()`))
      .addPrimaryKeyConstraint('itemKey', ['shop', 'no'])
      .execute()
    await bank.schema.createIndex('byMade').on('item').columns(['made desc', 'name']).execute()
    await bank.schema.alterTable('item').addColumn('note', 'jsonb').execute()
    await bank.schema.alterTable('item').renameColumn('note', 'extra').execute()
    const [table] = await bank.introspection.getTables()
    assert.deepEqual(
      table?.columns.map((column) => [
        column.name,
        column.dataType,
        column.isNullable,
        column.isAutoIncrementing,
        column.hasDefaultValue,
      ]),
      [
        ['shop', 'TEXT', false, false, false],
        ['no', 'INTEGER', false, true, true],
        ['name', 'TEXT', false, false, true],
        ['price', 'DECIMAL(10, 2)', true, false, false],
        ['made', 'TIMESTAMP', true, false, true],
        ['extra', 'JSON', true, false, false],
      ],
    )
    await bank.schema.dropIndex('byMade').on('item').execute()
    await bank.schema.dropTable('item').execute()
    assert.deepEqual(await bank.introspection.getTables(), [])
  })

  test('a transaction is committed, rolled back, and has no savepoints', async () => {
    await client.query('CREATE TABLE account (id TEXT PRIMARY KEY, no INTEGER, balance INTEGER)')
    const ann = { id: 'ann', no: 1, balance: 10 }
    await bank.transaction().execute((tx) => tx.insertInto('account').values(ann).execute())
    const dropped = bank.transaction().execute(async (tx) => {
      await tx.deleteFrom('account').where('id', '=', 'ann').execute()
      throw new Error('no')
    })
    await assert.rejects(dropped, /^Error: no$/)
    const tx = await bank.startTransaction().setIsolationLevel('snapshot').execute()
    await assert.rejects(tx.savepoint('a').execute(), /SAVEPOINT is not in the dialect/)
    await tx.updateTable('account').set({ balance: 3 }).where('id', '=', 'ann').execute()
    await tx.rollback().execute()
    const other = bank.transaction().setIsolationLevel('serializable')
    await assert.rejects(
      other.execute(async () => undefined),
      /there is one, "snapshot"/,
    )
    const reading = bank.transaction().setAccessMode('read only')
    await assert.rejects(
      reading.execute((tx) => tx.deleteFrom('account').where('id', '=', 'ann').execute()),
      { code: 'read_only_transaction' },
    )
    assert.deepEqual(await bank.selectFrom('account').selectAll().execute(), [ann])
    await client.query('DROP TABLE account')
  })

  test('rows are streamed, in a transaction as well, and counted where they are written', async () => {
    await client.query('CREATE TABLE account (id TEXT PRIMARY KEY, no INTEGER, balance INTEGER)')
    const ids = Array.from({ length: 25 }, (_, no) => `a${String(no).padStart(2, '0')}`)
    const rows = ids.map((id, no) => ({ id, no, balance: 0 }))
    await bank.insertInto('account').values(rows).execute()
    const few = new Kysely<Bank>({ dialect: new PercoliteDialect({ db: client, maxRows: 20 }) })
    const all = few.selectFrom('account').select('id')
    await assert.rejects(all.execute(), { code: 'result_too_large' })
    const streamed: string[] = []
    for await (const { id } of all.stream(10)) streamed.push(id)
    await few.transaction().execute(async (tx) => {
      for await (const { id } of tx.selectFrom('account').select('id').stream(7)) streamed.push(id)
    })
    assert.deepEqual(streamed, [...ids, ...ids])

    const hint = sql`use primary key`
    const late = bank.updateTable('account').set({ balance: 1 }).where('no', '>=', 20)
    await assert.rejects(late.execute(), { code: 'unbounded_scan' })
    assert.equal((await late.modifyEnd(hint).executeTakeFirst()).numUpdatedRows, 5n)
    const rest = bank.deleteFrom('account')
    await assert.rejects(rest.execute(), { code: 'unbounded_scan' })
    assert.equal((await rest.modifyEnd(hint).limit(9).executeTakeFirst()).numDeletedRows, 9n)
    const where = bank.selectFrom('account').select('id').where('balance', '=', 1)
    assert.equal((await where.modifyEnd(hint).execute()).length, 5)
    assert.deepEqual(
      await bank.selectFrom('account').select('id').where('id', 'in', []).execute(),
      [],
    )
    await client.query('DROP TABLE account')
  })

  test('migrations of Kysely run, and run once', async () => {
    const first: Migration = {
      up: (db) =>
        db.schema
          .createTable('note')
          .addColumn('id', 'integer', (col) => col.primaryKey().autoIncrement())
          .execute(),
    }
    const provider = { getMigrations: async () => ({ first }) }
    const results = []
    for (let run = 0; run < 2; run += 1) {
      const { error, results: done } = await new Migrator({ db: bank, provider }).migrateToLatest()
      assert.equal(error, undefined)
      results.push(done?.map(({ status }) => status))
    }
    assert.deepEqual(results, [['Success'], []])
    assert.deepEqual(
      (await bank.introspection.getTables()).map(({ name }) => name),
      ['note'],
    )
  })

  test('what the language lacks is refused before anything is sent', async () => {
    const unsent = { query: () => assert.fail('It was sent.'), begin: () => assert.fail() }
    const db = new Kysely<Bank>({ dialect: new PercoliteDialect({ db: unsent }) })
    const offset = db.selectFrom('account').selectAll().offset(3).execute()
    await assert.rejects(offset, (error) => {
      assert.ok(error instanceof NotInDialectError)
      assert.deepEqual([error.clause, error.remedy.split('(')[0]], ['OFFSET', 'where'])
      return true
    })
  })
})
