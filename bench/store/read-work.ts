// SPDX-License-Identifier: Apache-2.0
import { runClosedLoop } from '../load/closed-loop.ts'
import { measureHere } from '../load/measurement.ts'
import { Random } from '../load/random.ts'
import {
  COLUMNS,
  NEWEST,
  NEWEST_RECORD,
  RAW_TABLE,
  readHalf,
  rowKey,
  TRANSACTION_TABLE,
} from './bench-rows.ts'
import type { BenchStore } from './bench-store.ts'
import { reusedTransactions } from './reused-transactions.ts'
import type { SqliteTable } from './sqlite-table.ts'
import type { Work } from './store-contender.ts'

/** Reads are a few microseconds: the clock is looked at once in so many. */
const READS_PER_LOOK = 64

/** Every contender draws the same rows in the same order. */
const SEED = 20_101_004

/** One reader, one random row after the other, each read awaited. */
function readEach(rows: number, read: (row: number) => unknown): Work {
  const random = new Random(SEED)
  const { first, count } = readHalf(rows)
  return (seconds, signal) =>
    measureHere(() =>
      runClosedLoop({
        ...{ seconds, signal },
        clients: 1,
        operationsPerLook: READS_PER_LOOK,
        operation: async () => {
          const found = await read(first + random.below(count))
          if (found === null || found === undefined)
            throw new Error('A row that was loaded is gone.')
        },
      }),
    )
}

export function readRaw({ cellStore, rows }: BenchStore): Work {
  return readEach(
    rows,
    async (row) => (await cellStore.readRows([rowKey(RAW_TABLE, row)], NEWEST))[0],
  )
}

/** The same without a promise: what a read costs below the contract of the cell store. */
export function readView({ view, rows }: BenchStore): Work {
  return readEach(rows, (row) => view.readRows([rowKey(RAW_TABLE, row)], NEWEST)[0])
}

/** The look-up that a read in a transaction costs where no record of the row is in memory. */
export function readRecord({ cellStore, rows }: BenchStore): Work {
  return readEach(
    rows,
    async (row) => (await cellStore.readRows([rowKey(TRANSACTION_TABLE, row)], NEWEST_RECORD))[0],
  )
}

/** BEGIN, GET, COMMIT for each read. */
export function readInOwnTransaction({ storage, rows }: BenchStore): Work {
  return readEach(rows, async (row) => {
    const transaction = await storage.begin({ readOnly: true })
    const found = await transaction.getRow(rowKey(TRANSACTION_TABLE, row), COLUMNS)
    await transaction.commit()
    return found
  })
}

/** So many reads in each transaction. */
const READS_PER_TRANSACTION = 1_000

export function readInSharedTransaction(store: BenchStore): Work {
  const next = reusedTransactions(store, READS_PER_TRANSACTION)
  return readEach(store.rows, async (row) => {
    const found = next()
    const transaction = found instanceof Promise ? await found : found
    return await transaction.getRow(rowKey(TRANSACTION_TABLE, row), COLUMNS)
  })
}

/** Rows of one multi-get. */
export const MULTI_GET_ROWS = 100

export function multiGetRaw({ cellStore, rows }: BenchStore): Work {
  return readGroups(rows, (chosen) =>
    cellStore.readRows(
      chosen.map((row) => rowKey(RAW_TABLE, row)),
      NEWEST,
    ),
  )
}

export function multiGetInTransaction({ storage, rows }: BenchStore): Work {
  return readGroups(rows, async (chosen) => {
    const transaction = await storage.begin({ readOnly: true })
    const keys = chosen.map((row) => rowKey(TRANSACTION_TABLE, row))
    const found = await transaction.getRows(keys, COLUMNS)
    await transaction.commit()
    return found
  })
}

export function readTable({ get, rows }: SqliteTable): Work {
  return readEach(rows, get)
}

/** Operations are single rows, so that the rates stand beside those of single reads. */
function readGroups(rows: number, read: (chosen: readonly number[]) => Promise<unknown[]>): Work {
  const random = new Random(SEED)
  const { first, count } = readHalf(rows)
  return (seconds, signal) =>
    measureHere(async () => {
      const { operations } = await runClosedLoop({
        ...{ seconds, signal },
        clients: 1,
        operation: async () => {
          const chosen = Array.from({ length: MULTI_GET_ROWS }, () => first + random.below(count))
          if ((await read(chosen)).includes(null)) throw new Error('A row that was loaded is gone.')
        },
      })
      return { operations: operations * MULTI_GET_ROWS }
    })
}
