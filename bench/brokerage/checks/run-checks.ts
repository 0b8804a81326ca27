// SPDX-License-Identifier: Apache-2.0
import { firstRunTradeIdentifier } from '../population/identifiers.ts'
import type { Check, Evidence } from './check.ts'

/** What happened since the load, against what was loaded and what the driver saw. */
export const RUN_CHECKS: readonly Check[] = [
  {
    number: 8,
    title: 'CA_BAL has changed by the sum of CT_AMT since the load',
    *problems({ image, population }) {
      const firstOfRuns = firstRunTradeIdentifier(population.profile.trades)
      const sums = new Map<number, number>()
      for (const [tradeId, amount] of image.payments) {
        const account = image.trades.get(tradeId)?.t_ca_id
        if (tradeId < firstOfRuns || account === undefined) continue
        sums.set(account, (sums.get(account) ?? 0) + amount)
      }
      for (const [id, { ca_bal }] of image.accounts) {
        const change = ca_bal - population.accountWithId(id).balance
        const sum = sums.get(id) ?? 0
        if (change !== sum) yield `account ${id}: its balance has changed by ${change}, not ${sum}`
      }
    },
  },
  {
    number: 11,
    title: 'LT_VOL has grown by what Market-Feed reported since the load',
    *problems({ image, facts }) {
      for (const [symbol, volume] of image.volumes) {
        const { acknowledged = 0, ambiguous = 0 } = facts.tickerVolume.get(symbol) ?? {}
        if (volume >= acknowledged && volume <= acknowledged + ambiguous) continue
        yield `${symbol}: its volume is ${volume}, reported ${acknowledged} and perhaps ${ambiguous}`
      }
    },
  },
  {
    number: 12,
    title: 'as many trades were completed as the driver saw completed',
    *problems(evidence) {
      const { acknowledged, ambiguous } = evidence.facts.tradeResults
      const completed = completedSinceLoad(evidence)
      if (completed >= acknowledged && completed <= acknowledged + ambiguous) return
      yield `${completed} were completed; the driver saw ${acknowledged} and perhaps ${ambiguous}`
    },
  },
  {
    number: 13,
    title: 'an order that was rolled back on purpose left nothing behind',
    *problems({ image, facts }) {
      const ofHoldings = [...image.histories.values()].flat().map((change) => change.hh_t_id)
      const places: readonly (readonly [string, ReadonlySet<number>])[] = [
        ['TRADE', new Set(image.trades.keys())],
        ['TRADE_HISTORY', new Set(image.statuses.keys())],
        ['TRADE_REQUEST', image.requests],
        ['SETTLEMENT', new Set(image.settlements.keys())],
        ['CASH_TRANSACTION', new Set(image.payments.keys())],
        ['HOLDING', new Set(image.holdings.map((holding) => holding.h_t_id))],
        ['HOLDING_HISTORY', new Set(ofHoldings)],
      ]
      for (const tradeId of facts.forcedRollbacks) {
        for (const [table, ids] of places) {
          if (ids.has(tradeId)) yield `trade ${tradeId} was rolled back and is in ${table}`
        }
      }
    },
  },
  {
    number: 15,
    title: 'after Trade-Cleanup no trade is pending or submitted',
    *problems({ image, population, facts }) {
      const firstOfRuns = firstRunTradeIdentifier(population.profile.trades)
      for (const [tradeId, { t_st_id }] of image.trades) {
        const isConcerned = facts.isCleanedUp || tradeId < firstOfRuns
        const isOpen = t_st_id === 'PNDG' || t_st_id === 'SBMT'
        if (isConcerned && isOpen) yield `trade ${tradeId} is ${t_st_id}`
      }
      if (facts.isCleanedUp && image.requests.size > 0) {
        yield `TRADE_REQUEST has ${image.requests.size} rows`
      }
    },
  },
]

function completedSinceLoad({ image, population }: Evidence): number {
  const firstOfRuns = firstRunTradeIdentifier(population.profile.trades)
  let completed = 0
  for (const [tradeId, { t_st_id }] of image.trades) {
    if (tradeId >= firstOfRuns && t_st_id === 'CMPT') completed += 1
  }
  return completed
}
