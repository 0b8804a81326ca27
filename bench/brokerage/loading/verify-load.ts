// SPDX-License-Identifier: Apache-2.0

import { createHash } from 'node:crypto'
import { checkAll, verdictLines } from '../checks/all-checks.ts'
import type { Walker } from '../checks/store-image.ts'
import { populationRows } from '../population/generator.ts'
import { historyRatios, ratioProblems } from '../population/history/history-ratios.ts'
import type { PlacedRow } from '../population/history/initial-trades.ts'
import type { Population } from '../population/population.ts'
import { NO_RUN } from '../run-facts.ts'
import { columnsOf, TABLE_NAMES, type TableName } from '../schema/schema.ts'
import type { Value } from '../schema/table-shape.ts'

const NOTHING: TableDigest = { rows: 0, digest: '0'.repeat(16) }

/**
 * Whether a store in which nothing has run yet has every row of the population and no other, left
 * behind as the rules imply, and whether the fifteen checks hold in it. Resolves to what is wrong, in
 * sentences; to nothing when all is well.
 */
export async function verifyLoad(
  store: Walker,
  population: Population,
): Promise<readonly string[]> {
  const expected = digestsOf(populationRows(population))
  const problems: string[] = []
  for (const table of TABLE_NAMES) {
    const [wanted, found] = [expected.get(table) ?? NOTHING, await digestOfTable(store, table)]
    if (found.rows !== wanted.rows) {
      problems.push(`${table} has ${found.rows} rows instead of ${wanted.rows}`)
    } else if (found.digest !== wanted.digest) {
      problems.push(`${table} has rows that are not those of the population`)
    }
  }
  const ratios = historyRatios((table) => expected.get(table)?.rows ?? 0)
  const [verdict, ...broken] = verdictLines(await checkAll(store, population, NO_RUN))
  if (broken.length > 0) problems.push(verdict as string, ...broken)
  return [...problems, ...ratioProblems(ratios, population.profile)]
}

async function digestOfTable(store: Walker, table: TableName): Promise<TableDigest> {
  const digester = new TableDigester(table)
  for await (const rows of store.walk(table, columnsOf(table))) {
    for (const row of rows) digester.add(row as never)
  }
  return digester.digest()
}

/** What a table has, whatever the order of its rows. */
type TableDigest = { readonly rows: number; readonly digest: string }

/**
 * The number of some rows and the sum, modulo 2^64, of a hash of each: equal for the same rows in any
 * order, and practically never for others.
 */
export class TableDigester {
  readonly #columns: readonly string[]
  #rows = 0
  #sum = 0n

  constructor(table: TableName) {
    this.#columns = columnsOf(table)
  }

  add(row: Readonly<Record<string, Value>>): void {
    const text = JSON.stringify(this.#columns.map((column) => row[column]))
    const hash = createHash('sha256').update(text).digest().readBigUInt64BE()
    this.#rows += 1
    this.#sum = BigInt.asUintN(64, this.#sum + hash)
  }

  digest(): TableDigest {
    return { rows: this.#rows, digest: this.#sum.toString(16).padStart(16, '0') }
  }
}

/** A digest for each table that has rows. */
function digestsOf(placed: Iterable<PlacedRow>): Map<TableName, TableDigest> {
  const digesters = new Map<TableName, TableDigester>()
  for (const [table, row] of placed) {
    const digester = digesters.get(table) ?? new TableDigester(table)
    digesters.set(table, digester)
    digester.add(row)
  }
  return new Map([...digesters].map(([table, digester]) => [table, digester.digest()]))
}
