// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startRealServer } from '../../test/client-sdk/real-server.ts'
import { startScriptedServer } from '../../test/client-sdk/scripted-server.ts'
import { connect, type KeyValue } from '../client.ts'

const { url, db } = await startRealServer('--engine', 'memory')
const { readTimestamp: beforeTables } = await db.query('SHOW TABLES')
await db.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL DEFAULT 0)')
await db.query(
  'CREATE TABLE file (at TIMESTAMP, hash BYTES, n INTEGER, body BYTES, PRIMARY KEY (at, hash))',
)

type Account = { id: string; balance: number }

test('a row is made, read, changed and deleted by its key', async () => {
  const accounts = db.table<Account>('account')
  assert.equal(await accounts.get('ann'), undefined)
  const made = await accounts.insert({ id: 'ann' })
  assert.deepEqual(made.row, { id: 'ann', balance: 0 })
  assert.deepEqual(await accounts.get('ann'), made)
  const changed = await accounts.patch('ann', { balance: 5 })
  assert.notEqual(changed.version, made.version)
  assert.deepEqual((await accounts.put('ann', {})).row, { id: 'ann', balance: 0 })
  const before = await accounts.get('ann', {
    columns: ['balance'],
    asOf: Number.parseInt(changed.version.slice(1), 10),
  })
  assert.deepEqual(before?.row, { balance: 5 })
  const rowOf = (version = '') => version.split('-').slice(0, 2)
  assert.deepEqual(rowOf(before?.version), rowOf(changed.version), 'a part of that version')
  assert.equal(await accounts.delete('ann'), true)
  assert.equal(await accounts.delete('ann'), false)
  await assert.rejects(accounts.patch('ann', { balance: 1 }), {
    code: 'row_not_found',
    httpStatus: 404,
  })
})

test('a write happens only to the version it names', async () => {
  const accounts = db.table<Account>('account')
  const { version } = await accounts.put('ben', { balance: 1 }, { ifAbsent: true })
  await assert.rejects(accounts.put('ben', {}, { ifAbsent: true }), { code: 'precondition_failed' })
  await accounts.patch('ben', { balance: 2 }, { ifVersion: version })
  await assert.rejects(accounts.patch('ben', { balance: 3 }, { ifVersion: version }), {
    code: 'precondition_failed',
    retryable: false,
  })
  await assert.rejects(accounts.delete('ben', { ifVersion: version }), { httpStatus: 412 })
})

test('a write that is sent twice with one key is done once', async () => {
  const accounts = db.table<Account>('account')
  const once = { idempotencyKey: 'cat-1' }
  const first = await accounts.insert({ id: 'cat' }, once)
  assert.deepEqual(await accounts.insert({ id: 'cat' }, once), first)
})

test('keys and values of every type go through a path and come back as they went in', async () => {
  const files = connect({ url, integers: 'bigint' }).table<Record<string, unknown>>('file')
  const hash = Uint8Array.from([0, 255, 62, 63])
  const at = new Date('2026-01-31T12:00:00.123Z')
  const row = { at: '2026-01-31T12:00:00.123000Z', hash, n: 2n ** 62n, body: new Uint8Array(0) }
  assert.deepEqual((await files.put([at, hash], { n: row.n, body: row.body })).row, row)
  assert.deepEqual((await files.get([row.at, hash]))?.row, row)
  assert.deepEqual(await Array.fromAsync(files.rows()), [row])
  const accounts = db.table<Account>('account')
  for (const id of ['', '.', '..', 'a,b', '~', '~1', 'x/y', '%2F', 'ü🙂', ' ', '?#', '\u0000']) {
    await accounts.put(id, { balance: 1 })
    assert.equal((await accounts.get(id))?.row.id, id)
    assert.equal(await accounts.delete(id), true)
  }
  await assert.rejects(async () => accounts.get(Number.NaN as KeyValue), TypeError)
})

test('rows follows the pages of one snapshot, bounded and ordered as asked', async () => {
  await db.query('CREATE TABLE number (id INTEGER PRIMARY KEY, half INTEGER)')
  const numbers = db.table<{ id: number; half: number }>('number')
  const ids = Array.from({ length: 25 }, (_, id) => id)
  await db.execute(
    ids.map((id) => ({
      sql: 'INSERT INTO number (id, half) VALUES ($1, $2)',
      params: [id, id >> 1],
    })),
  )
  const found: number[] = []
  const options = { where: 'id >= :low', params: { low: 5 }, order: ['id desc'], pageSize: 3 }
  for await (const { id } of numbers.rows(options)) {
    found.push(id)
    await numbers.delete(id - 1)
  }
  assert.deepEqual(found, ids.slice(5).toReversed())
  await assert.rejects(Array.fromAsync(numbers.rows({ where: 'half = 1' })), {
    code: 'unbounded_scan',
  })
  const signal = AbortSignal.abort(new Error('enough'))
  await assert.rejects(Array.fromAsync(numbers.rows({ signal })), /enough/)
})

test('a column that is added later has its type all the same', async () => {
  await db.query('CREATE TABLE growing (id INTEGER PRIMARY KEY)')
  const growing = db.table<Record<string, unknown>>('growing')
  await growing.insert({ id: 1 })
  await db.query('ALTER TABLE growing ADD COLUMN body BYTES')
  const body = Uint8Array.from([1, 2])
  assert.deepEqual((await growing.patch(1, { body })).row, { id: 1, body })
})

test('values have the types of the columns that the answer has, whatever the table had before', async () => {
  await db.query('CREATE TABLE changing (id INTEGER PRIMARY KEY, a BYTES)')
  const changing = db.table<Record<string, unknown>>('changing')
  const bytes = Uint8Array.of(1, 2)
  const { version } = await changing.put(1, { a: bytes })
  await db.query('ALTER TABLE changing DROP COLUMN a')
  await db.query('ALTER TABLE changing ADD COLUMN a TEXT')
  assert.deepEqual((await changing.put(1, { a: 'AQI=' })).row, { id: 1, a: 'AQI=' })
  assert.deepEqual((await changing.patch(1, { a: 'AQI=' })).row, { id: 1, a: 'AQI=' })
  assert.deepEqual((await changing.get(1))?.row, { id: 1, a: 'AQI=' })
  const before = Number.parseInt(version.slice(1), 10)
  assert.deepEqual((await changing.get(1, { asOf: before }))?.row, { id: 1, a: bytes })
  assert.deepEqual(await Array.fromAsync(changing.rows({ asOf: before })), [{ id: 1, a: bytes }])
  assert.deepEqual(await Array.fromAsync(changing.rows()), [{ id: 1, a: 'AQI=' }])
})

test('a table that is made anew has the types of the new one, and before that of the old', async () => {
  const exact = connect({ url, integers: 'bigint' })
  await exact.query('CREATE TABLE renewed (id INTEGER PRIMARY KEY, a INTEGER)')
  const renewed = exact.table<Record<string, unknown>>('renewed')
  const { version } = await renewed.put(1, { a: 16 })
  await exact.query('DROP TABLE renewed')
  await exact.query('CREATE TABLE renewed (id TEXT PRIMARY KEY, a TEXT, "1" INTEGER, "0" BYTES)')
  const row = { id: 'x', a: '0x10', 1: 5n, 0: Uint8Array.of(255) }
  assert.deepEqual((await renewed.insert(row)).row, row)
  assert.deepEqual((await renewed.get('x', { columns: ['0', 'a'] }))?.row, { 0: row[0], a: row.a })
  const old = await renewed.get(1, { asOf: Number.parseInt(version.slice(1), 10) })
  assert.deepEqual(old?.row, { id: 1n, a: 16n })
})

test('half a surrogate pair is refused before anything is sent, wherever it would stand', async (t) => {
  const untouched = await startScriptedServer(t, [])
  const far = connect({ url: untouched.url })
  const half = 'a\ud800b'
  const calls = [
    () => far.table('t').get(half),
    () => far.table('t').put(['x', half], {}),
    () => far.table('t').delete(half),
    async () => far.table(half),
    () => Array.fromAsync(far.table('t').rows({ where: `a = '${half}'` })),
    () => far.table('t').get('x', { columns: [half] }),
    () => far.transactionOutcome(half),
  ]
  for (const call of calls) {
    await assert.rejects(async () => call(), { code: 'type_mismatch' })
  }
  await assert.rejects(async () => far.table('t').get(new Date(Number.NaN)), TypeError)
  untouched.assertPlayed()
})

test('a value that is none of its column is invalid_answer, whatever the type', async (t) => {
  const columns = [
    { name: 'b', type: 'BYTES' },
    { name: 'i', type: 'INTEGER' },
  ]
  const rows = [{ b: 'not base64!' }, { b: 5 }, { i: 'ten' }, { i: true }, { i: {} }]
  for (const integers of ['number', 'bigint'] as const) {
    const answers = rows.map((row) => ({
      expect: 'GET /v1/tables/t/rows/1?described=true',
      answer: [200, { columns, row }] as const,
    }))
    const server = await startScriptedServer(t, answers)
    const strange = connect({ url: server.url, integers }).table('t')
    for (const row of rows) {
      await assert.rejects(strange.get(1), { code: 'invalid_answer' }, JSON.stringify(row))
    }
    server.assertPlayed()
  }
})

test('RETURNING, unmet and asOf are there for statements', async () => {
  const { rows, readTimestamp } = await db.query(
    "INSERT INTO account (id, balance) VALUES ('dan', 1) RETURNING *",
  )
  assert.deepEqual(rows, [{ id: 'dan', balance: 1 }])
  const unmet = await db.query("SET balance = 2 ON account WHERE id = 'dan' IF balance > 1")
  assert.deepEqual([unmet.unmet, unmet.rowsAffected], ['condition', 0])
  const get = "GET * FROM account WHERE id = 'dan'"
  assert.deepEqual((await db.query(get, [], { asOf: readTimestamp })).rows, [])
  assert.deepEqual(
    await Array.fromAsync(
      db.scan('SCAN COUNT(*) AS n FROM account', [], { asOf: beforeTables }),
    ).catch((error) => error.code),
    'unknown_table',
  )
})

test('a caller who gives up gets the reason they gave', async (t) => {
  const silent = await startScriptedServer(t, [
    { expect: 'GET /v1/tables/account/rows/bob?described=true', silent: true },
  ])
  const giving = new AbortController()
  const asked = connect({ url: silent.url }).table('account').get('bob', { signal: giving.signal })
  giving.abort(new Error('too late'))
  await assert.rejects(asked, /too late/)
})

test('columns are named whatever is in their names', async () => {
  await db.query('CREATE TABLE odd (id INTEGER PRIMARY KEY, " a, ""b""~" TEXT, c INTEGER)')
  const odd = db.table('odd')
  await odd.put(1, { ' a, "b"~': 'x', c: 2 })
  const found = await odd.get(1, { columns: [' a, "b"~'] })
  assert.deepEqual(found?.row, { ' a, "b"~': 'x' })
})

test('the cells below rows and entries are read by their keys', async () => {
  await db.query('CREATE TABLE parcel (id INTEGER PRIMARY KEY, town TEXT)')
  await db.query('CREATE UNIQUE INDEX byTown ON parcel (town)')
  const parcels = db.table('parcel')
  await parcels.insert({ id: 1, town: 'Ulm, am Rand' })
  await parcels.insert({ id: 2 })
  const { rows, timestamp } = await parcels.cells([2, 3])
  const shown = rows.map(({ key, write }) => [key, write.length])
  assert.deepEqual(shown, [
    [[2], 1],
    [[3], 0],
  ])
  assert.ok((rows[0]?.write[0]?.timestamp ?? Infinity) <= timestamp)
  const entry = await parcels.entryCells('byTown', ['Ulm, am Rand'])
  assert.deepEqual(entry.data[0]?.row, { id: 1, town: 'Ulm, am Rand' })
  const withNull = await parcels.entryCells('byTown', [null, 2])
  assert.deepEqual(withNull.data[0]?.row, { id: 2, town: null })
})
