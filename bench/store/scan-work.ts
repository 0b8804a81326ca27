// SPDX-License-Identifier: Apache-2.0
import { runClosedLoop } from '../load/closed-loop.ts'
import { measureHere } from '../load/measurement.ts'
import { Random } from '../load/random.ts'
import { COLUMNS, NEWEST, RAW_TABLE, readHalf, rowKey, TRANSACTION_TABLE } from './bench-rows.ts'
import type { BenchStore } from './bench-store.ts'
import { reusedTransactions } from './reused-transactions.ts'
import type { SqliteTable } from './sqlite-table.ts'
import type { Work } from './store-contender.ts'

const SEED = 20_101_005

const SCAN_ROWS = 100

export function scanRaw({ cellStore, rows }: BenchStore): Work {
  return scanEach(rows, (row) =>
    countRows(
      cellStore.scanRows({
        ...rangeFrom(RAW_TABLE, row),
        filter: NEWEST,
        limit: SCAN_ROWS,
      }),
    ),
  )
}

export function scanView({ view, rows }: BenchStore): Work {
  return scanEach(rows, (row) => {
    const range = { ...rangeFrom(RAW_TABLE, row), reverse: false }
    const size = { rowsMax: SCAN_ROWS, bytesMax: Number.POSITIVE_INFINITY }
    return view.readChunk({ ...range, ...size, filter: NEWEST }).rows.length
  })
}

export function scanInOwnTransaction({ storage, rows }: BenchStore): Work {
  return scanEach(rows, async (row) => {
    const transaction = await storage.begin({ readOnly: true })
    const count = await countRows(transaction.scanRows(transactionRange(row)))
    await transaction.commit()
    return count
  })
}

const SCANS_PER_TRANSACTION = 100

export function scanInSharedTransaction(store: BenchStore): Work {
  const next = reusedTransactions(store, SCANS_PER_TRANSACTION)
  return scanEach(store.rows, async (row) => {
    const found = next()
    const transaction = found instanceof Promise ? await found : found
    return await countRows(transaction.scanRows(transactionRange(row)))
  })
}

export function scanTable({ scan, rows }: SqliteTable): Work {
  return scanEach(rows, (row) => scan(row, SCAN_ROWS).length)
}

function scanEach(rows: number, scan: (row: number) => number | Promise<number>): Work {
  const random = new Random(SEED)
  const half = readHalf(rows)
  const starts = Math.max(1, half.count - SCAN_ROWS)
  const expected = Math.min(half.count, SCAN_ROWS)
  return (seconds, signal) =>
    measureHere(() =>
      runClosedLoop({
        ...{ seconds, signal },
        clients: 1,
        operation: async () => {
          const count = await scan(half.first + random.below(starts))
          if (count !== expected) throw new Error(`A scan found ${count} rows of ${expected}.`)
        },
      }),
    )
}

const transactionRange = (row: number) => ({
  ...rangeFrom(TRANSACTION_TABLE, row),
  columns: COLUMNS,
  limit: SCAN_ROWS,
})

function rangeFrom(table: number, row: number): { readonly start: Buffer; readonly end: Buffer } {
  return { start: rowKey(table, row), end: rowKey(table, Number.MAX_SAFE_INTEGER) }
}

async function countRows(rows: AsyncIterable<unknown>): Promise<number> {
  let count = 0
  for await (const _ of rows) count += 1
  return count
}
