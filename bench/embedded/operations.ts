// SPDX-License-Identifier: Apache-2.0
import type { Transaction } from '../../storage/storage.ts'
import type { FilledStore } from './filled-store.ts'
import { COLUMNS, NEWEST, NEWEST_RECORD, RAW_TABLE, rowKey, TRANSACTION_TABLE } from './rows.ts'

/** One read of a row, one scan from a row on, or one write of a row with the number of the write. */
export type Operation = (row: number, sequence: number) => unknown

export const SCAN_ROWS = 100

/** How many reads or scans the same transaction does, where it is shared. */
const READS_PER_TRANSACTION = 1_000
const SCANS_PER_TRANSACTION = 100

/**
 * What is done to a store, in rows, and how, in columns: `raw` by the contract of the cell store, `own` in a
 * transaction of its own (begin, work, commit), and `shared` in one of many.
 */
export const OPERATIONS = {
  read: {
    raw:
      ({ cellStore }: FilledStore): Operation =>
      async (row) =>
        (await cellStore.readRows([rowKey(RAW_TABLE, row)], NEWEST))[0],
    own: ownTransaction(getRow),
    shared: sharedTransaction(getRow, READS_PER_TRANSACTION),
    /** The look-up that a read in a transaction costs where no record of the row is in memory. */
    record:
      ({ cellStore }: FilledStore): Operation =>
      async (row) =>
        (await cellStore.readRows([rowKey(TRANSACTION_TABLE, row)], NEWEST_RECORD))[0],
  },
  scan: {
    raw:
      ({ cellStore }: FilledStore): Operation =>
      (row) =>
        countRows(
          cellStore.scanRows({ ...rangeFrom(RAW_TABLE, row), filter: NEWEST, limit: SCAN_ROWS }),
        ),
    own: ownTransaction(scanRows),
    shared: sharedTransaction(scanRows, SCANS_PER_TRANSACTION),
  },
  write: {
    raw:
      (store: FilledStore): Operation =>
      (row, sequence) =>
        store.putRaw(row, sequence),
    own:
      (store: FilledStore): Operation =>
      (row, sequence) =>
        store.putInTransaction(row, sequence),
  },
} as const

/** What a transaction reads of a row, or from it on. */
type Use = (transaction: Transaction, row: number) => unknown

function getRow(transaction: Transaction, row: number) {
  return transaction.getRow(rowKey(TRANSACTION_TABLE, row), COLUMNS)
}

function scanRows(transaction: Transaction, row: number): Promise<number> {
  const range = rangeFrom(TRANSACTION_TABLE, row)
  return countRows(transaction.scanRows({ ...range, columns: COLUMNS, limit: SCAN_ROWS }))
}

function ownTransaction(use: Use) {
  return ({ storage }: FilledStore): Operation =>
    async (row) => {
      const transaction = await storage.begin({ readOnly: true })
      const found = await use(transaction, row)
      await transaction.commit()
      return found
    }
}

/** The same read-only transaction `uses` times, then the next one; only for that one waits. */
function sharedTransaction(use: Use, uses: number) {
  return ({ storage }: FilledStore): Operation => {
    let current: Transaction | undefined
    let left = 0
    return async (row) => {
      if (current === undefined || left === 0) {
        await current?.commit()
        current = await storage.begin({ readOnly: true })
        left = uses
      }
      left -= 1
      return await use(current, row)
    }
  }
}

function rangeFrom(table: number, row: number): { readonly start: Buffer; readonly end: Buffer } {
  return { start: rowKey(table, row), end: rowKey(table, Number.MAX_SAFE_INTEGER) }
}

async function countRows(rows: AsyncIterable<unknown>): Promise<number> {
  let count = 0
  for await (const _ of rows) count += 1
  return count
}
