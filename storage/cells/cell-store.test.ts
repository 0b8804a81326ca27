// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeCellStore } from '../../test/cell-store/cell-store-conformance.ts'
import { describeEmbeddedCellStore } from '../../test/cell-store/embedded-cell-store-conformance.ts'
import { MemoryCellStore } from './memory/memory-cell-store.ts'
import { openSqliteCellStore, type SqliteCellStoreOptions } from './sqlite/sqlite-cell-store.ts'

async function openMemory() {
  const store = new MemoryCellStore()
  return { store, dispose: () => store.close() }
}

async function openSqlite(options: Pick<SqliteCellStoreOptions, 'redoLog' | 'memtableCells'>) {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'percolite-cells-'))
  const store = await openSqliteCellStore({ dataDirectory, ...options })
  const dispose = async () => {
    await store.close()
    await rm(dataDirectory, { recursive: true })
  }
  return { store, dispose }
}

for (const [name, open] of [
  ['memory', openMemory],
  ['SQLite', () => openSqlite({ redoLog: 'never' })],
  ['SQLite with a redo log', () => openSqlite({ redoLog: 'always' })],
  [
    'SQLite with a redo log that is flushed all the time',
    () => openSqlite({ redoLog: 'always', memtableCells: 1 }),
  ],
] as const) {
  describeCellStore(name, open)
  describeEmbeddedCellStore(name, open)
}
