// SPDX-License-Identifier: Apache-2.0
import type { Check, Evidence } from './check.ts'

type Totals = { trades: number; commission: number }

/** The official conditions 1 and 2. */
export const BROKER_CHECKS: readonly Check[] = [
  {
    number: 1,
    title: 'B_NUM_TRADES is the number of completed trades of the broker',
    *problems(evidence) {
      const [told, found] = [toldTotals(evidence), completedTotals(evidence)]
      for (const [broker, { trades }] of found) {
        const counted = told.get(broker)?.trades
        if (counted !== trades) yield `broker ${broker} counts ${counted} trades of ${trades}`
      }
    },
  },
  {
    number: 2,
    title: 'B_COMM_TOTAL is the sum of T_COMM of those trades',
    *problems(evidence) {
      const [told, found] = [toldTotals(evidence), completedTotals(evidence)]
      for (const [broker, { commission }] of found) {
        const summed = told.get(broker)?.commission
        if (summed !== commission) yield `broker ${broker} sums ${summed} cents of ${commission}`
      }
    },
  },
]

/** By broker: what its row says. */
function toldTotals({ image }: Evidence): Map<number, Totals> {
  const totals = new Map<number, Totals>()
  for (const [broker, { b_num_trades, b_comm_total }] of image.brokers) {
    totals.set(broker, { trades: b_num_trades, commission: b_comm_total })
  }
  return totals
}

/** By broker: its completed trades. */
function completedTotals({ image }: Evidence): Map<number, Totals> {
  const totals = new Map<number, Totals>()
  for (const broker of image.brokers.keys()) totals.set(broker, { trades: 0, commission: 0 })
  for (const trade of image.trades.values()) {
    if (trade.t_st_id !== 'CMPT') continue
    const account = image.accounts.get(trade.t_ca_id)
    if (account !== undefined) add(totals, account.ca_b_id, trade.t_comm)
  }
  return totals
}

function add(totals: Map<number, Totals>, broker: number, commission: number): void {
  const known = totals.get(broker) ?? { trades: 0, commission: 0 }
  known.trades += 1
  known.commission += commission
  totals.set(broker, known)
}
