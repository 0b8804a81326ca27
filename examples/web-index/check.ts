// SPDX-License-Identifier: Apache-2.0
import type { Database, Row, Transaction } from '@percolite/client'
import { type Clustered, type PageRow, recompute } from './batch.ts'

export type Check = {
  /** How many of each table were compared. */
  readonly rows: ReadonlyMap<string, number>
  /** Every row that is there and should not be, or should be there and is not, one line each. */
  readonly differences: readonly string[]
}

/** Compares every table with a recomputation of everything: row by row, exactly, and as of one moment. */
export async function check(db: Database, signal: AbortSignal): Promise<Check> {
  return await db.transaction(
    async (tx) => {
      const pages = await readTable<PageRow>(tx, 'page')
      const history = await readTable<Clustered>(tx, 'assignment')
      const rows = new Map([['page', pages.length]])
      const differences: string[] = []
      for (const [table, expected] of Object.entries(recompute(pages, history))) {
        const actual = await readTable(tx, table)
        rows.set(table, actual.length)
        differences.push(...differencesOf(table, actual.map(Object.values), expected))
      }
      return { rows, differences }
    },
    { readOnly: true, signal },
  )
}

/** Each row that is there and should not be, and that should be there and is not, one line each. */
export function differencesOf(
  table: string,
  actual: ReadonlyArray<readonly unknown[]>,
  expected: ReadonlyArray<readonly unknown[]>,
): string[] {
  const are = new Set(actual.map((row) => JSON.stringify(row)))
  const should = new Set(expected.map((row) => JSON.stringify(row)))
  return [
    ...[...are.difference(should)].map((row) => `${table} has ${row}`),
    ...[...should.difference(are)].map((row) => `${table} lacks ${row}`),
  ]
}

async function readTable<R = Row>(tx: Transaction, table: string): Promise<R[]> {
  return await Array.fromAsync(tx.scan<R>(`SCAN * FROM ${table}`))
}
