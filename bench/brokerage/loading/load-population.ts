// SPDX-License-Identifier: Apache-2.0
import type { BulkLoader } from '../engine.ts'
import { populationRows, rowsExpected } from '../population/generator.ts'
import type { PlacedRow } from '../population/history/initial-trades.ts'
import type { Population } from '../population/population.ts'
import type { RowOf, TableName } from '../schema/schema.ts'

const ROWS_PER_BATCH = 1_000
const BAR_LENGTH = 20
const SAY_MS = 250

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
  let saidMs = Number.NEGATIVE_INFINITY
  const insert = async (table: TableName, batch: PlacedRow[1][]): Promise<void> => {
    signal.throwIfAborted()
    await loader.insertRows(table, batch as RowOf<TableName>[])
    rows += batch.length
    if (performance.now() - saidMs < SAY_MS) return
    saidMs = performance.now()
    say(progressLine(table, rows, expected))
  }
  for (const [table, row] of populationRows(population)) {
    const batch = waiting.get(table) ?? []
    if (batch.push(row) === 1) waiting.set(table, batch)
    if (batch.length < ROWS_PER_BATCH) continue
    waiting.delete(table)
    await insert(table, batch)
  }
  for (const [table, batch] of waiting) await insert(table, batch)
  say(progressLine('all tables', rows, rows))
  return rows
}

/** `[########............] 41 % of about 587,725 rows, trade_history`. */
function progressLine(table: string, rows: number, expected: number): string {
  const part = Math.min(1, rows / expected)
  const bar = '#'.repeat(Math.round(part * BAR_LENGTH)).padEnd(BAR_LENGTH, '.')
  const percent = Math.floor(part * 100)
  return `[${bar}] ${percent} % of about ${expected.toLocaleString('en')} rows, ${table}`
}
