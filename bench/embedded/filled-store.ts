// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from '../../storage/cells/cell-store.ts'
import type { Storage } from '../../storage/storage.ts'
import type { Surroundings } from '../harness/experiment.ts'
import { COLUMN, RAW_TABLE, rowKey, rowValue, TRANSACTION_TABLE } from './rows.ts'

/** Timestamps of raw cells, each a new one as in Bigtable, which keeps none of before 2026. */
const FIRST_RAW_TIMESTAMP = 1_800_000_000_000_000

const FILL_BATCH = 1_000
const FILLERS = 4

type FillSurroundings = Pick<Surroundings, 'signal' | 'say'>

/**
 * One cell store with a transaction layer over it, and the same rows twice: as plain cells for the raw
 * contenders, and written by transactions. What is compared so shares one store and its cache.
 */
export class FilledStore {
  readonly rows: number
  readonly cellStore: CellStore
  readonly storage: Storage
  #rawTimestamp = FIRST_RAW_TIMESTAMP

  constructor(rows: number, cellStore: CellStore, storage: Storage) {
    this.rows = rows
    this.cellStore = cellStore
    this.storage = storage
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

  async fillRaw(surroundings: FillSurroundings): Promise<void> {
    await this.#inBatches('raw', surroundings, async (rows) => {
      const errors = await this.cellStore.mutateRows(rows.map((row) => this.#rawMutation(row, row)))
      for (const error of errors) if (error) throw error
    })
  }

  async fillTransactions(surroundings: FillSurroundings): Promise<void> {
    await this.#inBatches('transactional', surroundings, async (rows) => {
      const transaction = await this.storage.begin()
      for (const row of rows) {
        transaction.put(rowKey(TRANSACTION_TABLE, row), COLUMN, rowValue(row))
      }
      await transaction.commit()
    })
  }

  /** Later raw cells are newer than those that the other one has put into the same store. */
  continueAfter(other: FilledStore): void {
    this.#rawTimestamp = other.#rawTimestamp
  }

  /** Several batches are under way at once, so that the disk is not waited for by everybody. */
  async #inBatches(
    what: string,
    { signal, say }: FillSurroundings,
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
