// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { putRow } from '../test/storage/row-writes.ts'
import { testFolder } from '../test/test-folder.ts'
import { openStorage } from './storage.ts'
import { createTable, type TableDefinition } from './tables/tables.ts'
import { ViewSnapshot } from './transactions/one-process/view/view-snapshot.ts'

const NOTE = {
  name: 'note',
  columns: [
    { name: 'id', type: 'TEXT', notNull: true },
    { name: 'text', type: 'TEXT', notNull: false },
  ],
  primaryKey: [{ column: 'id', descending: false }],
} as const

const ALL = [0, 1]

test('a row that memory does not hold is looked up, and a table of long rows once', async (t) => {
  const dataDirectory = await testFolder(t, 'turn-reads')
  const first = await openStorage({ engine: 'sqlite', dataDirectory })
  const tables: TableDefinition[] = []
  for (const [name, length] of [
    ['short', 10],
    ['long', 20_000],
  ] as const) {
    const transaction = await first.begin()
    const catalog = await first.catalog(transaction)
    const made = await createTable(transaction, catalog, { ...NOTE, name }, { ifNotExists: false })
    for (const id of ['a', 'b', 'c']) {
      await putRow(transaction, made.table, [id, 'x'.repeat(length)], null)
    }
    await transaction.commit()
    tables.push(made.table)
  }
  await first.close()

  const again = await openStorage({ engine: 'sqlite', dataDirectory })
  t.after(() => again.close())
  // The first transaction makes the catalog known.
  const begun = await again.begin()
  await again.catalog(begun)
  begun.rollback()
  const { mock } = t.mock.method(ViewSnapshot.prototype, 'getRow')
  const reads = again.turnReads
  const found = tables.map((table) =>
    ['a', 'b', 'absent', 'c'].map((id) => {
      const snapshot = reads?.snapshot()
      assert.ok(snapshot !== undefined)
      const row = reads?.row(table, [id], ALL, snapshot)
      return row ? row.row[1] : row
    }),
  )
  const short = 'x'.repeat(10)
  assert.deepEqual(found, [
    [short, short, null, short],
    [undefined, undefined, undefined, undefined],
  ])
  assert.equal(mock.callCount(), 4 + 1)
})
