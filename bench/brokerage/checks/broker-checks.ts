// SPDX-License-Identifier: Apache-2.0
import { firstRunTradeIdentifier } from '../population/identifiers.ts'
import type { Check, Evidence } from './check.ts'

type Totals = { trades: number; commission: number }

/** The official conditions 1 and 2, with what the broker mode leaves to be added. */
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

/** By broker: its row, and what observers have still to add to it. */
function toldTotals({ image, facts }: Evidence): Map<number, Totals> {
  const totals = new Map<number, Totals>()
  for (const [broker, { b_num_trades, b_comm_total }] of image.brokers) {
    totals.set(broker, { trades: b_num_trades, commission: b_comm_total })
  }
  if (facts.brokerMode !== 'observer') return totals
  for (const { bd_b_id, bd_comm } of image.deltas) add(totals, bd_b_id, bd_comm)
  return totals
}

/** By broker: its completed trades; where runs leave its row alone, those of the load only. */
function completedTotals({ image, population, facts }: Evidence): Map<number, Totals> {
  const totals = new Map<number, Totals>()
  for (const broker of image.brokers.keys()) totals.set(broker, { trades: 0, commission: 0 })
  const firstOfRuns = firstRunTradeIdentifier(population.profile.trades)
  for (const [tradeId, trade] of image.trades) {
    if (trade.t_st_id !== 'CMPT') continue
    if (facts.brokerMode === 'omit' && tradeId >= firstOfRuns) continue
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
