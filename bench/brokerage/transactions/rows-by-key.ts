// SPDX-License-Identifier: Apache-2.0
import { scan } from '../engine.ts'
import type { Value } from '../schema/table-shape.ts'

/** Each once, in the order of its first occurrence. */
export function distinct<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}

/** As the keys of a table whose primary key is one column. */
export function singleKeys(values: readonly Value[]): Array<readonly [Value]> {
  return values.map((value) => [value] as const)
}

/** The rows that `getMany` answered for keys of one column, by those. */
export function byKey<Key extends Value, Row>(
  keys: readonly Key[],
  rows: ReadonlyArray<Row | undefined>,
): ReadonlyMap<Key, Row> {
  const found = new Map<Key, Row>()
  keys.forEach((key, position) => {
    const row = rows[position]
    if (row !== undefined) found.set(key, row)
  })
  return found
}

/** The read of the rate for so many shares: that of the highest band that begins at no more. */
export function commissionRateOf(
  key: readonly [tier: number, type: string, exchange: string],
  quantity: number,
) {
  const nearest = { atMost: quantity, reverse: true, limit: 1 }
  return scan('commission_rate', key, ['cr_rate'], nearest)
}

/** What positions are worth, by the prices of their securities; cents. */
export function worthOf(
  positions: ReadonlyArray<{ readonly hs_s_symb: string; readonly hs_qty: number }>,
  priceOf: ReadonlyMap<string, { readonly lt_price: number }>,
): number {
  return positions.reduce((sum, { hs_s_symb, hs_qty }) => {
    return sum + hs_qty * required(priceOf.get(hs_s_symb), `price of ${hs_s_symb}`).lt_price
  }, 0)
}

/** A row that the workload's own rules say is there. Throws MissingRow. */
export function required<Row>(row: Row | undefined, what: string): Row {
  if (row === undefined) throw new MissingRow(what)
  return row
}

/** The data breaks a rule of the workload: a fault of the engine, or of this benchmark. */
class MissingRow extends Error {
  override readonly name = 'MissingRow'

  constructor(what: string) {
    super(`there is no ${what}`)
  }
}
