// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import { openGateway, openStorage } from '../../../storage/storage.ts'
import { addCheck } from '../../../storage/tables/tables.ts'
import { type Answer, startTestServer, type TestServer } from '../../../test/server/test-server.ts'

const TABLE = 'CREATE TABLE t (id TEXT PRIMARY KEY, n INTEGER, m INTEGER)'
const SET_NOT_NULL = 'ALTER TABLE t ALTER COLUMN n SET NOT NULL'
const BESIDE = { name: 't_n_not_null', text: 'n IS NOT NULL', columns: ['n'] }

async function withBob(t: TestContext, options: Parameters<typeof startTestServer>[1] = {}) {
  const server = await startTestServer(t, options)
  await server.rows(TABLE)
  await server.rows("INSERT INTO t (id, n) VALUES ('bob', 5)")
  return server
}

/** Two gateways over one store. */
async function gateways(t: TestContext, timeout = '30s'): Promise<[TestServer, TestServer]> {
  const store = new MemoryCellStore()
  const open = async (options: Parameters<typeof startTestServer>[1] = {}) =>
    await startTestServer(t, { ...options, deps: { storage: await openGateway(store) } })
  const one = await open()
  const other = await open({ flags: { 'statement-timeout': timeout } })
  await one.rows(TABLE)
  return [one, other]
}

const failure = ({ status, body }: Answer) => [status, body?.code, body?.columnName, body?.key]

const columnOf = async (server: TestServer) => (await server.get('/v1/tables/t')).body.columns[1]
const checksOf = async (server: TestServer) => (await server.get('/v1/tables/t')).body.checks

describe('SET NOT NULL', () => {
  test('holds for what is written from then on, and is shown as it can be written', async (t) => {
    const server = await withBob(t)
    assert.equal((await server.query(SET_NOT_NULL)).body.results[0].rowsAffected, 1)
    assert.equal((await columnOf(server)).notNull, true)
    assert.equal((await checksOf(server))?.length ?? 0, 0)
    for (const sql of [
      "SET n = NULL ON t WHERE id = 'bob'",
      "SET n = NULL ON t WHERE id < 'c'",
      "SET m = 1 ON t WHERE id = 'joe'",
      "INSERT INTO t (id) VALUES ('joe')",
    ]) {
      const { body } = await server.query(sql)
      assert.equal(body.code, 'not_null_violation', sql)
    }
    const [shown] = await server.rows('SHOW CREATE TABLE t')
    assert.match(shown.statement, /n INTEGER NOT NULL/)
    await server.rows('DROP TABLE t')
    await server.rows(shown.statement)
    assert.deepEqual(await server.rows('SHOW CREATE TABLE t'), [shown])
    assert.equal((await server.query(SET_NOT_NULL)).body.results[0].rowsAffected, 0)
  })

  test('is refused for a row with NULL, which is told, and then changes nothing', async (t) => {
    const server = await withBob(t)
    await server.rows("INSERT INTO t (id, n) VALUES ('joe', NULL)")
    const refused = await server.query(SET_NOT_NULL)
    assert.deepEqual(failure(refused), [400, 'not_null_violation', 'n', ['joe']])
    assert.match(refused.body.hint, /SET n = … ON t USE PRIMARY KEY WHERE n IS NULL/)
    assert.equal((await columnOf(server)).notNull, false)
    await server.rows("INSERT INTO t (id, n) VALUES ('sue', NULL)")
    await server.rows('SET n = 0 ON t USE PRIMARY KEY WHERE n IS NULL')
    await server.rows(SET_NOT_NULL)
    await server.rows('ALTER TABLE t ALTER COLUMN n DROP NOT NULL')
    await server.rows("SET n = NULL ON t WHERE id = 'bob'")
  })

  test('sees rows from before the column was added', async (t) => {
    const server = await withBob(t)
    await server.rows('ALTER TABLE t ADD COLUMN late TEXT')
    const late = 'ALTER TABLE t ALTER COLUMN late SET NOT NULL'
    assert.deepEqual(failure(await server.query(late)), [
      ...[400, 'not_null_violation', 'late', ['bob']],
    ])
  })

  test('is there for the longest names, as are the names of checks and of unique keys', async (t) => {
    const [table, column] = [`"${'ü'.repeat(64)}"`, 'c'.repeat(128)]
    const server = await startTestServer(t)
    const definition = `(id TEXT PRIMARY KEY, ${column} TEXT UNIQUE CHECK (${column} > 'a'))`
    await server.rows(`CREATE TABLE ${table} ${definition}`)
    await server.rows(`ALTER TABLE ${table} ALTER COLUMN ${column} SET NOT NULL`)
    const refused = await server.query(`INSERT INTO ${table} (id, ${column}) VALUES ('a', 'a')`)
    assert.equal(refused.body.code, 'check_failed')
  })

  test('leaves what was there before to those who read it, and to a check of the store', async (t) => {
    const storage = await openStorage({ engine: 'memory' })
    const server = await withBob(t, { deps: { storage } })
    const { body } = await server.query("SET n = NULL ON t WHERE id = 'bob'")
    await server.rows("SET n = 7 ON t WHERE id = 'bob'")
    await server.rows(SET_NOT_NULL)
    const past = `GET n FROM t AS OF ${body.commitTimestamp} WHERE id = 'bob'`
    assert.deepEqual(await server.rows(past), [{ n: null }])
    assert.deepEqual((await storage.checkConsistency()).problems, [])
  })
})

describe('SET NOT NULL beside writers of another gateway', () => {
  test('ends a transaction that wrote NULL and has not committed', async (t) => {
    const [one, other] = await gateways(t)
    const transaction = await other.begin()
    await other.rows("INSERT INTO t (id, n) VALUES ('bob', NULL)", { transaction })
    await one.rows(SET_NOT_NULL)
    const { body } = await other.post(`/v1/transactions/${transaction}/commit`)
    assert.equal(body.code, 'schema_changed')
    assert.deepEqual(await one.rows('SCAN id FROM t USE PRIMARY KEY'), [])
  })

  test('sees each NULL that they commit, or they are refused', async (t) => {
    const [one, other] = await gateways(t)
    const nulls = () => one.rows('SCAN id FROM t USE PRIMARY KEY WHERE n IS NULL')
    let seen = 0
    for (let round = 0; round < 5; round++) {
      let isSet = false
      const writing = (async () => {
        for (let id = 0; !isSet; id++) {
          await other.query(`INSERT INTO t (id, n) VALUES ('${round} ${id}', NULL)`)
          await other.query('SET n = 1 ON t USE PRIMARY KEY WHERE n IS NULL')
        }
      })()
      for (let tries = 0; tries < 500 && !isSet; tries++) {
        const { status, body } = await one.query(SET_NOT_NULL)
        isSet = status === 200
        if (body.code === 'not_null_violation') seen += 1
      }
      assert.ok(isSet)
      assert.deepEqual(await nulls(), [])
      await writing
      assert.deepEqual(await nulls(), [])
      const { body } = await other.query("INSERT INTO t (id) VALUES ('x')")
      assert.equal(body.code, 'not_null_violation')
      await one.rows('ALTER TABLE t ALTER COLUMN n DROP NOT NULL')
    }
    t.diagnostic(`${seen} tries saw a NULL`)
  })

  test('is taken back when its time is over', async (t) => {
    const [one, other] = await gateways(t, '1ms')
    const rows = Array.from({ length: 5_000 }, (_, id) => `('${id}', ${id})`)
    await one.rows(`INSERT INTO t (id, n) VALUES ${rows.join()}`)
    assert.equal((await other.query(SET_NOT_NULL)).body.code, 'statement_timeout')
    assert.equal((await checksOf(one))?.length ?? 0, 0)
    await one.rows("SET n = NULL ON t WHERE id = '7'")
  })

  test('goes on where a process that ended has left it', async (t) => {
    const storage = await openStorage({ engine: 'memory' })
    const server = await withBob(t, { deps: { storage } })
    const transaction = await storage.begin()
    await addCheck(transaction, await storage.catalog(transaction), 't', BESIDE)
    await transaction.commit()
    assert.deepEqual(await checksOf(server), [
      { name: 't_n_not_null', condition: 'n IS NOT NULL', state: 'adding' },
    ])
    const { body } = await server.query("SET n = NULL ON t WHERE id = 'bob'")
    assert.deepEqual([body.code, body.constraint], ['check_failed', 't_n_not_null'])
    await server.rows(SET_NOT_NULL)
    assert.equal((await columnOf(server)).notNull, true)
    assert.equal((await checksOf(server))?.length ?? 0, 0)
  })

  test('goes on by the name that its table was given meanwhile', async (t) => {
    const storage = await openStorage({ engine: 'memory' })
    const server = await withBob(t, { deps: { storage } })
    const transaction = await storage.begin()
    await addCheck(transaction, await storage.catalog(transaction), 't', BESIDE)
    await transaction.commit()
    await server.rows('ALTER TABLE t RENAME TO u')
    const renamed = SET_NOT_NULL.replace('TABLE t', 'TABLE u')
    await server.rows(renamed)
    const { body } = await server.get('/v1/tables/u')
    assert.deepEqual([body.columns[1].notNull, body.checks ?? []], [true, []])
    assert.equal((await server.query(renamed)).body.results[0].rowsAffected, 0)
  })
})
