-- SPDX-License-Identifier: Apache-2.0

-- What the limit orders are worth that wait with some brokers for a sector of the market.
CREATE FUNCTION broker_volume(input json, OUT answer json)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  names text[] := ARRAY(SELECT json_array_elements_text(input->'brokers'));
BEGIN
  SELECT coalesce(json_agg(json_build_object('broker', b_name, 'volume', volume)
                           ORDER BY volume DESC, b_name), '[]')
    INTO answer
    FROM (SELECT b_name, sum(tr_qty * tr_bid_price) AS volume
            FROM broker
            JOIN trade_request ON tr_b_id = b_id
            JOIN security ON s_symb = tr_s_symb
            JOIN company ON co_id = s_co_id
            JOIN industry ON in_id = co_in_id
            JOIN sector ON sc_id = in_sc_id
           WHERE b_name = ANY (names) AND sc_name = input->>'sector'
           GROUP BY b_name) AS waiting;
END $$;
