// SPDX-License-Identifier: Apache-2.0
import type { BulkLoader } from '../engine.ts'
import { populationRows, rowsExpected } from '../population/generator.ts'
import type { PlacedRow } from '../population/history/initial-trades.ts'
import type { Population } from '../population/population.ts'
import type { RowOf, TableName } from '../schema/schema.ts'

const ROWS_PER_BATCH = 1_000

/**
 * Loads every row of a population, in batches of one table, and tells how far it is. Resolves to the
 * number of rows. Rejects with the signal's reason.
 */
export async function loadPopulation(
  loader: BulkLoader,
  population: Population,
  { signal, say }: { readonly signal: AbortSignal; say(text: string): void },
): Promise<number> {
  const expected = rowsExpected(population.profile)
  const waiting = new Map<TableName, PlacedRow[1][]>()
  let rows = 0
  const insert = async (table: TableName, batch: PlacedRow[1][]): Promise<void> => {
    signal.throwIfAborted()
    await loader.insertRows(table, batch as RowOf<TableName>[])
    rows += batch.length
    const percent = Math.floor(Math.min(1, rows / expected) * 100)
    say(`${percent} % of about ${expected.toLocaleString('en')} rows, ${table}`)
  }
  for (const [table, row] of populationRows(population)) {
    const batch = waiting.get(table) ?? []
    if (batch.push(row) === 1) waiting.set(table, batch)
    if (batch.length < ROWS_PER_BATCH) continue
    waiting.delete(table)
    await insert(table, batch)
  }
  for (const [table, batch] of waiting) await insert(table, batch)
  return rows
}
