// SPDX-License-Identifier: Apache-2.0
import { scan, type Transaction } from '../engine.ts'
import type { MarketOrder } from './trade-order.ts'

/** One line of the ticker. */
export type TickerEntry = {
  readonly symbol: string
  /** Cents. */
  readonly price: number
  readonly quantity: number
}

export type MarketFeedInput = {
  readonly entry: TickerEntry
  /** Epoch ms of the market. */
  readonly now: number
}

/**
 * One of the twenty transactions of a Market-Feed: the price of a security moves, and the limit orders
 * that waited for it go to the market. Answers those, for the market to execute after the commit.
 */
export async function marketFeedEntry(
  transaction: Transaction,
  { entry, now }: MarketFeedInput,
): Promise<readonly MarketOrder[]> {
  const { symbol, price, quantity } = entry
  const columns = ['tr_t_id', 'tr_qty', 'tr_bid_price', 'tr_tt_id'] as const
  const index = 'trade_request_security'
  const triggered = await transaction.read(
    scan('trade_request', [symbol, 'TSL'], columns, { index, atLeast: price }),
    scan('trade_request', [symbol, 'TLS'], columns, { index, atMost: price }),
    scan('trade_request', [symbol, 'TLB'], columns, { index, atLeast: price }),
  )
  const requests = triggered.flat()
  transaction.update('last_trade', [symbol], {
    set: { lt_price: price, lt_dts: now },
    add: { lt_vol: quantity },
  })
  for (const { tr_t_id } of requests) {
    transaction.update('trade', [tr_t_id], { set: { t_dts: now, t_st_id: 'SBMT' } })
    transaction.delete('trade_request', [tr_t_id])
    transaction.insert('trade_history', { th_t_id: tr_t_id, th_st_id: 'SBMT', th_dts: now })
  }
  await transaction.commit()
  return requests.map((request) => ({
    tradeId: request.tr_t_id,
    symbol,
    type: request.tr_tt_id as MarketOrder['type'],
    quantity: request.tr_qty,
    price: request.tr_bid_price,
  }))
}
