// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describeCellStore } from './cell-store-conformance.ts'
import { describeEmbeddedCellStore } from './embedded-cell-store-conformance.ts'
import { MemoryCellStore } from './memory-cell-store.ts'
import { openSqliteCellStore } from './sqlite-cell-store.ts'

async function openMemory() {
  const store = new MemoryCellStore()
  return { store, dispose: () => store.close() }
}

async function openSqlite() {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'percolite-cells-'))
  const store = await openSqliteCellStore({ dataDirectory })
  const dispose = async () => {
    await store.close()
    await rm(dataDirectory, { recursive: true })
  }
  return { store, dispose }
}

for (const [name, open] of [
  ['memory', openMemory],
  ['SQLite', openSqlite],
] as const) {
  describeCellStore(name, open)
  describeEmbeddedCellStore(name, open)
}
