// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto'
import type { PlacedRow } from '../population/history/initial-trades.ts'
import { columnsOf, type TableName } from '../schema/schema.ts'
import type { Value } from '../schema/table-shape.ts'

/** What a table has, whatever the order of its rows. */
export type TableDigest = { readonly rows: number; readonly digest: string }

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
export function digestsOf(placed: Iterable<PlacedRow>): Map<TableName, TableDigest> {
  const digesters = new Map<TableName, TableDigester>()
  for (const [table, row] of placed) {
    const digester = digesters.get(table) ?? new TableDigester(table)
    digesters.set(table, digester)
    digester.add(row)
  }
  return new Map([...digesters].map(([table, digester]) => [table, digester.digest()]))
}
