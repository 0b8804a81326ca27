// SPDX-License-Identifier: Apache-2.0
import type { MarketOrder } from '../../transactions/trade-order.ts'
import type { NativeWrite } from './native-work.ts'

const PRICE = `
  UPDATE last_trade SET lt_price = +?, lt_dts = +?, lt_vol = lt_vol + ? WHERE lt_s_symb = +?`

const TRIGGERED = `
  SELECT tr_t_id AS tradeId, tr_s_symb AS symbol, tr_tt_id AS type, tr_qty AS quantity,
         tr_bid_price AS price
    FROM (SELECT +? AS symbol, +? AS price) AS fed
    JOIN trade_request ON tr_s_symb = fed.symbol
   WHERE tr_tt_id = 'TSL' AND tr_bid_price >= fed.price
      OR tr_tt_id = 'TLS' AND tr_bid_price <= fed.price
      OR tr_tt_id = 'TLB' AND tr_bid_price >= fed.price
   ORDER BY instr('TSL TLS TLB', tr_tt_id), tr_bid_price`

const SUBMIT = `
  UPDATE trade SET t_dts = +?, t_st_id = 'SBMT' WHERE t_id IN (SELECT value FROM json_each(+?))`

const NOTE = `
  INSERT INTO trade_history (th_t_id, th_st_id, th_dts)
  SELECT value, 'SBMT', +? FROM json_each(+?)`

const TAKE = 'DELETE FROM trade_request WHERE tr_t_id IN (SELECT value FROM json_each(+?))'

export const marketFeedEntry: NativeWrite<'Market-Feed'> = async (
  transaction,
  statements,
  { entry: { symbol, price, quantity }, now },
) => {
  const orders = statements.all<MarketOrder>(TRIGGERED, symbol, price)
  statements.run({ text: PRICE, values: [price, now, quantity, symbol] })
  if (orders.length > 0) {
    const ids = JSON.stringify(orders.map((order) => order.tradeId))
    statements.run({ text: SUBMIT, values: [now, ids] })
    statements.run({ text: NOTE, values: [now, ids] })
    statements.run({ text: TAKE, values: [ids] })
  }
  await transaction.commit()
  return orders
}
