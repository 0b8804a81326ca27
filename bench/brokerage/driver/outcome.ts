// SPDX-License-Identifier: Apache-2.0

import { get, getMany, type Session } from '../engine.ts'
import type { TradeTypeId } from '../population/codes.ts'
import { singleKeys } from '../transactions/rows-by-key.ts'
import type { MarketOrder } from '../transactions/trade-order.ts'

/** What a Trade-Order whose answer was lost has left behind: its order, or nothing. */
export async function findOrder(
  session: Session,
  tradeId: number,
): Promise<MarketOrder | undefined> {
  const transaction = await session.begin({ readOnly: true })
  const [trade] = await transaction.read(
    get('trade', [tradeId], ['t_s_symb', 't_tt_id', 't_qty', 't_bid_price']),
  )
  await transaction.commit()
  if (trade === undefined) return undefined
  return {
    tradeId,
    symbol: trade.t_s_symb,
    type: trade.t_tt_id as TradeTypeId,
    quantity: trade.t_qty,
    price: trade.t_bid_price,
  }
}

/** Those of these orders that the market was told of. */
export async function submittedOf(
  session: Session,
  orders: readonly MarketOrder[],
): Promise<readonly MarketOrder[]> {
  const transaction = await session.begin({ readOnly: true })
  const [trades] = await transaction.read(
    getMany('trade', singleKeys(orders.map((order) => order.tradeId)), ['t_st_id']),
  )
  await transaction.commit()
  return orders.filter((_order, position) => trades[position]?.t_st_id === 'SBMT')
}
