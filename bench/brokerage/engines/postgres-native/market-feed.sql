-- SPDX-License-Identifier: Apache-2.0

-- One of the twenty transactions of a Market-Feed: the price of a security moves, and the limit orders
-- that waited for it go to the market.
CREATE FUNCTION market_feed(input json, OUT answer json)
LANGUAGE plpgsql AS $$
DECLARE
  symbol text := input->'entry'->>'symbol';
  price bigint := input->'entry'->>'price';
  moment bigint := input->>'now';
BEGIN
  UPDATE last_trade
     SET lt_price = price, lt_dts = moment, lt_vol = lt_vol + (input->'entry'->>'quantity')::bigint
   WHERE lt_s_symb = symbol;

  WITH triggered AS (
    DELETE FROM trade_request
     WHERE tr_s_symb = symbol
       AND (tr_tt_id = 'TSL' AND tr_bid_price >= price
         OR tr_tt_id = 'TLS' AND tr_bid_price <= price
         OR tr_tt_id = 'TLB' AND tr_bid_price >= price)
    RETURNING tr_t_id, tr_tt_id, tr_qty, tr_bid_price
  ), submitted AS (
    UPDATE trade SET t_dts = moment, t_st_id = 'SBMT' FROM triggered WHERE t_id = tr_t_id
  ), noted AS (
    INSERT INTO trade_history (th_t_id, th_st_id, th_dts)
    SELECT tr_t_id, 'SBMT', moment FROM triggered
  )
  SELECT coalesce(json_agg(json_build_object(
           'tradeId', tr_t_id, 'symbol', symbol, 'type', tr_tt_id,
           'quantity', tr_qty, 'price', tr_bid_price)
           ORDER BY array_position(ARRAY['TSL', 'TLS', 'TLB'], tr_tt_id), tr_bid_price), '[]')
    INTO answer
    FROM triggered;
END $$;
