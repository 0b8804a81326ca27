// SPDX-License-Identifier: Apache-2.0
import { TransactionAborted } from '../../engine.ts'
import type { MarketOrder } from '../../transactions/trade-order.ts'
import { type NativeWork, refusalOf, runAtOnce } from './native-scripts.ts'

const WAITING = `
  trade_request USE INDEX trade_request_security
  WHERE tr_s_symb = :symbol
    AND (tr_tt_id = 'TSL' AND tr_bid_price >= :price OR tr_tt_id = 'TLS' AND tr_bid_price <= :price
      OR tr_tt_id = 'TLB' AND tr_bid_price >= :price)`

const COUNT = `SCAN COUNT(*) FROM ${WAITING} INTO :waiting`

const REQUESTS = `
  SCAN tr_t_id AS tradeId, tr_s_symb AS symbol, tr_tt_id AS type, tr_qty AS quantity, tr_bid_price AS price
  FROM ${WAITING}`

const PRICE = `
  SET lt_price = :price, lt_dts = :now, lt_vol = lt_vol + :quantity ON last_trade
  WHERE lt_s_symb = :symbol`

const SUBMIT = `SET t_dts = :now, t_st_id = 'SBMT' ON trade WHERE t_id IN :trades`

const TAKE = 'DELETE FROM trade_request WHERE tr_t_id IN :trades'

const note = (count: number) => {
  const rows = Array.from({ length: count }, (_, place) => `(:t${place}, 'SBMT', :now)`)
  return `INSERT INTO trade_history (th_t_id, th_st_id, th_dts) VALUES ${rows.join(', ')}`
}

type Orders = { readonly orders: readonly MarketOrder[] }

/** Of what is triggered, in the order in which the three kinds are looked for. */
const KINDS = ['TSL', 'TLS', 'TLB']

/**
 * Most lines set no order going: then one request does it all. Otherwise it has written nothing, and a second one
 * does, for the orders that the first has found. Whoever has submitted one of them in between has also written that
 * line of its history, which is new only once.
 */
export const marketFeedEntry: NativeWork<'Market-Feed'> = async (
  requests,
  { entry: { symbol, price, quantity }, now },
) => {
  const fed = { symbol, price, quantity, now }
  const alone = { count: COUNT, price: `${PRICE} IF :waiting = 0`, orders: REQUESTS }
  const { orders } = await runAtOnce<Orders>(requests, alone, fed)
  if (orders.length === 0) return orders
  const sorted = orders.toSorted(
    (left, right) =>
      KINDS.indexOf(left.type) - KINDS.indexOf(right.type) || left.price - right.price,
  )
  const trades = sorted.map((order) => order.tradeId)
  const numbered = Object.fromEntries(trades.map((trade, place) => [`t${place}`, trade]))
  const script = { price: PRICE, submit: SUBMIT, take: TAKE, note: note(trades.length) }
  try {
    await runAtOnce(requests, script, { ...fed, trades, ...numbered })
  } catch (error) {
    if (refusalOf(error)?.code !== 'already_exists') throw error
    throw new TransactionAborted('writeConflict', { cause: error })
  }
  return sorted
}
