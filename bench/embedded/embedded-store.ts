// SPDX-License-Identifier: Apache-2.0
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { CellStore } from '../../storage/cell-store/cell-store.ts'
import { openSqliteCellStore } from '../../storage/cell-store/sqlite/sqlite-cell-store.ts'
import { Storage, type StorageOptions } from '../../storage/storage.ts'
import type { Surroundings } from '../harness/experiment.ts'
import { Shared } from '../harness/shared.ts'
import { COLUMN, RAW_TABLE, rowKey, rowValue, TRANSACTION_TABLE } from './rows.ts'

export type CommitMode = NonNullable<StorageOptions['commit']>

export type EmbeddedStoreOptions = {
  readonly rows: number
  readonly commit: CommitMode
  /** Which of the two tables are filled; both when absent. */
  readonly fill?: 'raw' | 'transactions'
  /** False: commits are not noted for the change feed, to measure what that costs. */
  readonly keepsLog?: boolean
}

/**
 * One SQLite cell store with a transaction layer over it, and the same rows twice: as plain cells for
 * the raw contenders, and written by transactions. What is compared so shares one file, one writer
 * and one cache.
 */
export class EmbeddedStore {
  readonly rows: number
  readonly cellStore: CellStore
  readonly storage: Storage
  readonly dataDirectory: string
  #fillSeconds = 0
  /** Timestamps of raw cells, each a new one as in Bigtable. */
  #rawTimestamp = 1

  private constructor(rows: number, dataDirectory: string, cellStore: CellStore, storage: Storage) {
    this.rows = rows
    this.dataDirectory = dataDirectory
    this.cellStore = cellStore
    this.storage = storage
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
      if (options.fill !== 'transactions') await filling.#fillRaw(surroundings)
      if (options.fill !== 'raw') await filling.#fillTransactions(surroundings)
    } catch (error) {
      await filling.close()
      throw error
    }
    filling.#fillSeconds = (performance.now() - startedMs) / 1000
    if (options.commit === 'auto') return filling
    await filling.close()
    const store = await EmbeddedStore.openFilled(dataDirectory, options)
    store.#rawTimestamp = filling.#rawTimestamp
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

  async putRaw(row: number, sequence: number): Promise<void> {
    const [error] = await this.cellStore.mutateRows([this.#rawMutation(row, sequence)])
    if (error) throw error
  }

  async putInTransaction(row: number, sequence: number): Promise<void> {
    const transaction = await this.storage.begin()
    transaction.put(rowKey(TRANSACTION_TABLE, row), COLUMN, rowValue(sequence))
    await transaction.commit()
  }

  async close(): Promise<void> {
    await this.storage.close()
  }

  async #fillRaw(surroundings: Surroundings): Promise<void> {
    await this.#inBatches('raw', surroundings, async (rows) => {
      const errors = await this.cellStore.mutateRows(rows.map((row) => this.#rawMutation(row, row)))
      for (const error of errors) if (error) throw error
    })
  }

  async #fillTransactions(surroundings: Surroundings): Promise<void> {
    await this.#inBatches('transactional', surroundings, async (rows) => {
      const transaction = await this.storage.begin()
      for (const row of rows) {
        transaction.put(rowKey(TRANSACTION_TABLE, row), COLUMN, rowValue(row))
      }
      await transaction.commit()
    })
  }

  /** Several batches are under way at once, so that the disk is not waited for by everybody. */
  async #inBatches(
    what: string,
    { signal, say }: Surroundings,
    write: (rows: readonly number[]) => Promise<void>,
  ): Promise<void> {
    const total = this.rows.toLocaleString('en')
    let next = 0
    let filled = 0
    const fill = async (): Promise<void> => {
      while (next < this.rows && !signal.aborted) {
        const first = next
        next = Math.min(first + FILL_BATCH, this.rows)
        const rows = Array.from({ length: next - first }, (_, offset) => first + offset)
        await write(rows)
        filled += rows.length
        say(`${filled.toLocaleString('en')} of ${total} ${what} rows`)
      }
    }
    const fillers = await Promise.allSettled(Array.from({ length: FILLERS }, fill))
    signal.throwIfAborted()
    for (const filler of fillers) if (filler.status === 'rejected') throw filler.reason
  }

  #rawMutation(row: number, sequence: number) {
    const timestamp = this.#rawTimestamp++
    const value = rowValue(sequence)
    const set = { kind: 'setCell', family: 'data', qualifier: COLUMN, timestamp, value } as const
    return { row: rowKey(RAW_TABLE, row), mutations: [set] }
  }
}

const FILL_BATCH = 1_000
const FILLERS = 4

/** One store for several contenders of an experiment. */
export function sharedStore(options: EmbeddedStoreOptions): Shared<EmbeddedStore> {
  return new Shared((surroundings) => EmbeddedStore.open(options, surroundings))
}
