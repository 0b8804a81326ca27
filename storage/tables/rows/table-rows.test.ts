// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { encodeRow } from '../../../test/storage/encoded-row.ts'
import { FakeStore, type FakeTransaction } from '../../../test/storage/fake-transactions.ts'
import { deleteRow, putRow } from '../../../test/storage/row-writes.ts'
import { encodePrimaryKey, endOfPrefix } from '../bytes/key-encoding.ts'
import { defineTable } from '../new-table.ts'
import type { SqlRow } from '../table-definition.ts'
import { guardRow } from './row-changes.ts'
import { getRow, getRows, getRowsOfTables, scanRows, type TableScan } from './table-rows.ts'

const trade = defineTable(
  {
    name: 'trade',
    columns: [
      { name: 'quantity', type: 'INTEGER', notNull: true },
      { name: 'customer', type: 'TEXT', notNull: true },
      { name: 'time', type: 'TIMESTAMP', notNull: true },
    ],
    primaryKey: [
      { column: 'customer', descending: false },
      { column: 'time', descending: true },
    ],
  },
  7,
)
const neighbours = [6, 8].map((id) => ({ ...trade, id }))

const ROWS: SqlRow[] = [
  [10n, 'bob', 3n],
  [11n, 'bob', 1n],
  [12n, 'joe', 2n],
]

/** A store with the rows above, and one row in the tables before and after. */
async function storeOfTrades(): Promise<FakeStore> {
  const store = new FakeStore()
  const transaction = store.begin()
  for (const row of ROWS) await putRow(transaction, trade, row, null)
  for (const neighbour of neighbours) await putRow(transaction, neighbour, [0n, 'bob', 3n], null)
  transaction.commit()
  return store
}

async function scanned(transaction: FakeTransaction, scan: TableScan): Promise<SqlRow[]> {
  const rows: SqlRow[] = []
  for await (const { row } of scanRows(transaction, trade, scan)) rows.push(row)
  return rows
}

test('rows are read by their keys in one round trip, null where there is none', async () => {
  const store = await storeOfTrades()
  const transaction = store.begin()
  const rows = await getRows(transaction, trade, [
    ['joe', 2n],
    ['joe', 3n],
    ['bob', 1n],
  ])
  assert.deepEqual(
    rows.map((row) => row?.row ?? null),
    [ROWS[2], null, ROWS[1]],
  )
  assert.equal(transaction.calls.getRows, 1)
  assert.equal(rows[0]?.commitTs, 20)
})

test('columns that are not asked for are NULL, read by a key, by keys and in a scan alike', async () => {
  const transaction = (await storeOfTrades()).begin()
  const columns = [1, 2]
  const wanted: SqlRow = [null, 'joe', 2n]
  const one = await getRow(transaction, trade, ['joe', 2n], columns)
  assert.deepEqual(one?.row, wanted)
  const [found] = await getRows(transaction, trade, [['joe', 2n]], columns)
  assert.deepEqual(found?.row, wanted)
  assert.deepEqual((await scanned(transaction, { columns })).at(-1), wanted)
})

test('a row that was sought by its key has the key as it is stored', async () => {
  const measured = defineTable(
    {
      name: 'measured',
      columns: [{ name: 'at', type: 'REAL', notNull: true }],
      primaryKey: [{ column: 'at', descending: false }],
    },
    9,
  )
  const store = new FakeStore()
  const writing = store.begin()
  await putRow(writing, measured, [0], null)
  writing.commit()
  const transaction = store.begin()
  const [found] = await getRows(transaction, measured, [[-0]])
  const [inTables] = await getRowsOfTables(transaction, [{ table: measured, keyTuples: [[-0]] }])
  const one = await getRow(transaction, measured, [-0])
  for (const row of [found, inTables?.[0], one]) assert.ok(Object.is(row?.row[0], 0))
})

test('a scan reads its own table only, in key order or reversed', async () => {
  const transaction = (await storeOfTrades()).begin()
  assert.deepEqual(await scanned(transaction, {}), ROWS)
  assert.deepEqual(await scanned(transaction, { reverse: true }), ROWS.toReversed())
  assert.deepEqual(await scanned(transaction, { limit: 2 }), ROWS.slice(0, 2))
})

test('a scan of a prefix of the key reads the rows that begin with it', async () => {
  const transaction = (await storeOfTrades()).begin()
  const start = encodePrimaryKey(trade, ['bob'])
  const end = endOfPrefix(start) as Uint8Array
  assert.deepEqual(await scanned(transaction, { start, end }), ROWS.slice(0, 2))
  assert.deepEqual(await scanned(transaction, { start: end }), ROWS.slice(2))
  assert.deepEqual(await scanned(transaction, { end: start }), [])
})

test('a scan continues behind the key of a row', async () => {
  const transaction = (await storeOfTrades()).begin()
  const keys: Uint8Array[] = []
  for await (const { key } of scanRows(transaction, trade, { limit: 1 })) keys.push(key)
  const behind = Buffer.concat([keys[0] as Uint8Array, Uint8Array.of(0)])
  assert.deepEqual(await scanned(transaction, { start: behind }), ROWS.slice(1))
})

test('an aborted signal ends a scan', async () => {
  const transaction = (await storeOfTrades()).begin()
  const reason = new Error('enough')
  await assert.rejects(scanned(transaction, { signal: AbortSignal.abort(reason) }), reason)
})

test('writes and guards depend on the definition of their table, reads do not', async () => {
  const store = await storeOfTrades()
  const reading = store.begin()
  await getRows(reading, trade, [['bob', 1n]])
  await scanned(reading, {})
  assert.deepEqual([...reading.schemasDependedOn], [])
  const writes = [
    (transaction: FakeTransaction) => putRow(transaction, trade, [1n, 'ann', 1n], null),
    (transaction: FakeTransaction) => deleteRow(transaction, trade, [null, 'ann', 1n]),
    (transaction: FakeTransaction) => guardRow(transaction, trade, ['ann', 1n]),
  ]
  for (const write of writes) {
    const transaction = store.begin()
    await write(transaction)
    assert.deepEqual([...transaction.schemasDependedOn], [7])
    assert.equal(transaction.writes.size, 1)
  }
})

test('a deleted row is gone for later snapshots and still there for earlier ones', async () => {
  const store = await storeOfTrades()
  const earlier = store.begin()
  const deleting = store.begin()
  await deleteRow(deleting, trade, [10n, 'bob', 3n])
  deleting.commit()
  assert.deepEqual(await scanned(store.begin(), {}), ROWS.slice(1))
  assert.deepEqual(await scanned(earlier, {}), ROWS)
})

test('own writes are seen without a commit timestamp', async () => {
  const transaction = (await storeOfTrades()).begin()
  await putRow(transaction, trade, [99n, 'bob', 3n], null)
  const [row] = await getRows(transaction, trade, [['bob', 3n]])
  assert.deepEqual(row?.row, [99n, 'bob', 3n])
  assert.equal(row?.commitTs, null)
})

test('a refused row or key writes nothing', async () => {
  const transaction = new FakeStore().begin()
  const longName = 'x'.repeat(5000)
  const tooLong = { code: 'limit_exceeded' }
  await assert.rejects(putRow(transaction, trade, [1n, longName, 1n], null), tooLong)
  await assert.rejects(deleteRow(transaction, trade, [1n, longName, 1n]), tooLong)
  assert.throws(() => guardRow(transaction, trade, [longName, 1n]), tooLong)
  assert.throws(() => guardRow(transaction, trade, ['bob']), { rule: 'T1' })
  await assert.rejects(putRow(transaction, trade, [null, 'bob', 1n], null), { rule: 'T2' })
  assert.equal(transaction.writes.size, 0)
})

test('a damaged row fails the read that meets it', async () => {
  const store = await storeOfTrades()
  const damaging = store.begin()
  damaging.put(encodeRow(trade, ROWS[0] as SqlRow).key, '0', Buffer.from('01ff', 'hex'))
  damaging.commit()
  await assert.rejects(scanned(store.begin(), {}), { name: 'InvariantViolation', rule: 'T2' })
})
