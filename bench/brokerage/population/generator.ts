// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto'
import type { TableName } from '../schema/schema.ts'
import { InitialTrades, type PlacedRow } from './history/initial-trades.ts'
import type { Population, RowsOfTables, TableRows } from './population.ts'
import type { Profile } from './profiles.ts'
import { CUSTOMER_ROWS } from './rows/customer-rows.ts'
import { DIMENSION_ROWS } from './rows/dimension-rows.ts'
import { MARKET_ROWS } from './rows/market-rows.ts'

/** The tables that the history does not make; each of their rows can be made alone. */
export const TABLE_ROWS: RowsOfTables = { ...DIMENSION_ROWS, ...MARKET_ROWS, ...CUSTOMER_ROWS }

/** Every row of a population, the same ones in the same order for the same profile and seed. */
export function* populationRows(population: Population): Iterable<PlacedRow> {
  for (const [table, source] of Object.entries(TABLE_ROWS) as [TableName, TableRows<TableName>][]) {
    const parents = source.parents(population)
    for (let parent = 0; parent < parents; parent += 1) {
      for (const row of source.rowsOf(population, parent)) yield [table, row] as PlacedRow
    }
  }
  yield* new InitialTrades(population).rows()
}

/** About how many rows that is; for progress. */
export function rowsExpected(profile: Profile): number {
  const { customers, companies, securities, trades, marketDays } = profile
  const watchItems = (customers * (profile.watchItemsMin + profile.watchItemsMax)) / 2
  return Math.round(
    customers * 26 + companies * 28 + securities * marketDays + watchItems + trades * 7,
  )
}

/** The rows as lines of JSON, each behind the name of its table, as a SHA-256. */
export function populationHash(population: Population): string {
  const hash = createHash('sha256')
  for (const [table, row] of populationRows(population)) {
    hash.update(`${table} ${JSON.stringify(row)}\n`)
  }
  return hash.digest('hex')
}
