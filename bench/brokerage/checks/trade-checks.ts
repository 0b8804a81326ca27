// SPDX-License-Identifier: Apache-2.0
import { TRADE_TYPE_OF, type TradeTypeId } from '../population/codes.ts'
import type { Check } from './check.ts'
import type { StoreImage, TradeImage } from './store-image.ts'

/** The life of a trade: its status, its history, its money. */
export const TRADE_CHECKS: readonly Check[] = [
  {
    number: 6,
    title: 'the history of a trade has each step of its life once',
    *problems({ image }) {
      for (const [tradeId, trade] of image.trades) {
        const statuses = image.statuses.get(tradeId) ?? 'none'
        if (possibleStatuses(trade).includes(statuses)) continue
        yield `trade ${tradeId}, ${trade.t_tt_id} ${trade.t_st_id}: its statuses are ${statuses}`
      }
      for (const tradeId of image.statuses.keys()) {
        if (!image.trades.has(tradeId)) yield `trade ${tradeId}: a history without a trade`
      }
    },
  },
  {
    number: 7,
    title: 'a trade is settled if and only if it is completed, and paid if it is a cash trade',
    *problems({ image }) {
      for (const [tradeId, trade] of image.trades) yield* moneyProblems(image, tradeId, trade)
      for (const [name, ids] of [
        ['settlement', image.settlements.keys()],
        ['payment', image.payments.keys()],
      ] as const) {
        for (const tradeId of ids) {
          if (!image.trades.has(tradeId)) yield `trade ${tradeId}: a ${name} without a trade`
        }
      }
    },
  },
  {
    number: 9,
    title: 'TRADE_REQUEST has exactly the pending trades',
    *problems({ image }) {
      for (const [tradeId, { t_st_id }] of image.trades) {
        if (t_st_id === 'PNDG' && !image.requests.has(tradeId)) {
          yield `trade ${tradeId} is pending without a request`
        }
      }
      for (const tradeId of image.requests) {
        const status = image.trades.get(tradeId)?.t_st_id ?? 'absent'
        if (status !== 'PNDG') yield `trade ${tradeId} is ${status} and has a request`
      }
    },
  },
]

function possibleStatuses({ t_st_id, t_tt_id }: TradeImage): readonly string[] {
  const isMarket = TRADE_TYPE_OF[t_tt_id as TradeTypeId].isMarket
  switch (t_st_id) {
    case 'PNDG':
      return isMarket ? [] : ['PNDG']
    case 'SBMT':
      return isMarket ? ['SBMT'] : ['PNDG SBMT']
    case 'CMPT':
      return isMarket ? ['CMPT SBMT'] : ['CMPT PNDG SBMT']
    case 'CNCL':
      return isMarket ? ['CNCL SBMT'] : ['CNCL PNDG SBMT']
    default:
      return []
  }
}

function* moneyProblems(image: StoreImage, tradeId: number, trade: TradeImage): Iterable<string> {
  const isCompleted = trade.t_st_id === 'CMPT'
  const settled = image.settlements.get(tradeId)
  const paid = image.payments.get(tradeId)
  const isPaid = isCompleted && trade.t_is_cash === 1
  const which = `trade ${tradeId}, ${trade.t_st_id}`
  if ((settled !== undefined) !== isCompleted) yield `${which}: its settlement is ${settled}`
  if ((paid !== undefined) !== isPaid) yield `${which}: its payment is ${paid}`
  if (paid !== undefined && paid !== settled) yield `${which}: paid ${paid}, settled ${settled}`
}
