// SPDX-License-Identifier: Apache-2.0

import type { TableName } from '../../schema/schema.ts'
import type { Profile } from '../profiles.ts'

/** What a history leaves behind, in proportion. */
export type HistoryRatios = {
  readonly holdingsPerTrade: number
  readonly summariesPerAccount: number
  readonly holdingChangesPerTrade: number
  readonly statusesPerTrade: number
  readonly paymentsPerTrade: number
}

/**
 * By the days of history, from a simulation of the same rules. The longer it is, the more holdings were
 * closed again; after 300 days it is what the workload's own kit has.
 */
const LEFT_BEHIND: ReadonlyMap<number, readonly [number, number, number]> = new Map([
  [1, [0.694, 5.83, 1.096]],
  [2, [0.559, 7.69, 1.145]],
  [5, [0.387, 9.19, 1.21]],
  [10, [0.281, 9.62, 1.251]],
  [300, [0.0508, 9.93, 1.337]],
])
/** Two rows for a market order, three for a limit order. */
const STATUSES_PER_TRADE = 2.4
const PAYMENTS_PER_TRADE = 0.92

const TOLERANCE = 0.03
/** A hundred customers are few. */
const TOLERANCE_TINY = 0.08

/** `of` tells how many rows a table has. */
export function historyRatios(of: (table: TableName) => number): HistoryRatios {
  const trades = of('trade')
  return {
    holdingsPerTrade: of('holding') / trades,
    summariesPerAccount: of('holding_summary') / of('customer_account'),
    holdingChangesPerTrade: of('holding_history') / trades,
    statusesPerTrade: of('trade_history') / trades,
    paymentsPerTrade: of('cash_transaction') / trades,
  }
}

/** What lies outside of the tolerance, in sentences; of other lengths of history only what is known. */
export function ratioProblems(
  ratios: HistoryRatios,
  { days, loadUnit }: Pick<Profile, 'days' | 'loadUnit'>,
): readonly string[] {
  const [holdingsPerTrade, summariesPerAccount, holdingChangesPerTrade] =
    LEFT_BEHIND.get(days) ?? []
  const expected = {
    holdingsPerTrade,
    summariesPerAccount,
    holdingChangesPerTrade,
    statusesPerTrade: STATUSES_PER_TRADE,
    paymentsPerTrade: PAYMENTS_PER_TRADE,
  }
  const tolerance = loadUnit < 1_000 ? TOLERANCE_TINY : TOLERANCE
  return Object.entries(ratios).flatMap(([name, measured]) => {
    const wanted = expected[name as keyof HistoryRatios]
    if (wanted === undefined || Math.abs(measured / wanted - 1) <= tolerance) return []
    return [`${name} is ${measured.toFixed(3)} instead of ${wanted}`]
  })
}
