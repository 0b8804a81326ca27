// SPDX-License-Identifier: Apache-2.0
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { CellStore } from '../../storage/cells/cell-store.ts'
import { openSqliteCellStore } from '../../storage/cells/sqlite/sqlite-cell-store.ts'
import { Storage, type StorageOptions } from '../../storage/storage.ts'
import type { Contender, Surroundings } from '../harness/experiment.ts'
import { Shared } from '../harness/shared.ts'
import { FilledStore } from './filled-store.ts'
import { SqliteTable } from './sqlite-table.ts'
import type { Work } from './work.ts'

export type CommitMode = NonNullable<StorageOptions['commit']>

export type EmbeddedStoreOptions = {
  readonly rows: number
  readonly commit: CommitMode
  /** Which of the two tables are filled; both when absent. */
  readonly fill?: 'raw' | 'transactions'
  /** False: commits are not noted for the change feed, to measure what that costs. */
  readonly keepsLog?: boolean
}

/** A filled store in SQLite: one file and one writer. */
export class EmbeddedStore extends FilledStore {
  readonly dataDirectory: string
  #fillSeconds = 0

  private constructor(rows: number, dataDirectory: string, cellStore: CellStore, storage: Storage) {
    super(rows, cellStore, storage)
    this.dataDirectory = dataDirectory
  }

  /** Filled by one-phase commits, whichever way is to be measured: it is much faster. */
  static async open(
    options: EmbeddedStoreOptions,
    surroundings: Surroundings,
  ): Promise<EmbeddedStore> {
    const dataDirectory = await surroundings.temporaryFolder('store')
    const filling = await EmbeddedStore.openFilled(dataDirectory, { ...options, commit: 'auto' })
    const startedMs = performance.now()
    try {
      if (options.fill !== 'transactions') await filling.fillRaw(surroundings)
      if (options.fill !== 'raw') await filling.fillTransactions(surroundings)
    } catch (error) {
      await filling.close()
      throw error
    }
    filling.#fillSeconds = (performance.now() - startedMs) / 1000
    if (options.commit === 'auto') return filling
    await filling.close()
    const store = await EmbeddedStore.openFilled(dataDirectory, options)
    store.continueAfter(filling)
    return store
  }

  /** What `open` has filled and closed, and perhaps in another process. */
  static async openFilled(
    dataDirectory: string,
    options: EmbeddedStoreOptions,
  ): Promise<EmbeddedStore> {
    const cellStore = await openSqliteCellStore({ dataDirectory })
    const { commit, keepsLog = true } = options
    const how = { owner: 'exclusive', commit, keepsLog } as const
    try {
      const storage = await Storage.open(cellStore, how)
      return new EmbeddedStore(options.rows, dataDirectory, cellStore, storage)
    } catch (error) {
      await cellStore.close()
      throw error
    }
  }

  /** How fast it was filled, and how large its files are now. */
  figures(): { readonly loadRowsPerSecond: number; readonly storeMiB: number } {
    const files = readdirSync(this.dataDirectory).map((name) => join(this.dataDirectory, name))
    const bytes = files.reduce((sum, file) => sum + statSync(file).size, 0)
    return { loadRowsPerSecond: this.rows / this.#fillSeconds, storeMiB: bytes / 1024 ** 2 }
  }
}

/** One store for several contenders of an experiment. */
export function sharedStore(options: EmbeddedStoreOptions): Shared<EmbeddedStore> {
  return new Shared((surroundings) => EmbeddedStore.open(options, surroundings))
}

/** The ceiling: a contender over a bare table of better-sqlite3. */
export function onSqliteTable(
  name: string,
  rows: number,
  prepare: (table: SqliteTable) => Work,
): Contender {
  return {
    name,
    async open({ temporaryFolder }) {
      const table = new SqliteTable(await temporaryFolder('table'), rows)
      return { run: prepare(table), close: async () => table.close() }
    },
  }
}
