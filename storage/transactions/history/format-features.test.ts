// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SqlSession } from '../../../test/sql-session.ts'
import { MemoryCellStore } from '../../cells/memory/memory-cell-store.ts'
import { readPlainRow } from '../../cells/plain-row.ts'
import { Storage } from '../../storage.ts'
import { FEATURES_ROW } from './format-features.ts'

test('a store says that it has DECIMALs before the first table with one, and not without one', async () => {
  const cellStore = new MemoryCellStore()
  const storage = await Storage.open(cellStore, { owner: 'exclusive', ownsCellStore: false })
  const session = SqlSession.over(storage)
  const features = async () =>
    JSON.parse(Buffer.from((await readPlainRow(cellStore, FEATURES_ROW)) ?? []).toString())
  try {
    await session.run('CREATE TABLE a (id INTEGER PRIMARY KEY, n REAL)')
    assert.deepEqual(await features(), ['epochs', 'retention'])
    await session.run('ALTER TABLE a ADD COLUMN price DECIMAL(18, 2) DEFAULT 1')
    assert.deepEqual(await features(), ['epochs', 'retention', 'decimal'])
    await session.run('CREATE TABLE b (id DECIMAL(38, 0) PRIMARY KEY)')
    assert.deepEqual(await features(), ['epochs', 'retention', 'decimal'])
  } finally {
    await storage.close()
  }
})
