-- SPDX-License-Identifier: Apache-2.0

-- The trades that a Trade-Lookup or a Trade-Update is about, in their order.
CREATE FUNCTION looked_up_trades(input json) RETURNS bigint[]
LANGUAGE plpgsql STABLE AS $$
BEGIN
  CASE input->>'frame'
    WHEN 'trades' THEN
      RETURN ARRAY(SELECT json_array_elements_text(input->'tradeIds')::bigint);
    WHEN 'account' THEN
      RETURN ARRAY(SELECT t_id
                     FROM trade
                    WHERE t_ca_id = (input->>'accountId')::bigint
                      AND t_dts >= (input->>'from')::bigint
                    ORDER BY t_dts
                    LIMIT 20);
    WHEN 'security' THEN
      RETURN ARRAY(SELECT t_id
                     FROM trade
                    WHERE t_s_symb = input->>'symbol'
                      AND t_dts >= (input->>'from')::bigint
                    ORDER BY t_dts
                    LIMIT 20);
  END CASE;
END $$;

-- Trades with their settlement, their cash and their history.
CREATE FUNCTION trade_details(ids bigint[], OUT answer json, OUT details json)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  SELECT json_build_object(
           'rows', count(*),
           'amounts', coalesce(json_agg(coalesce(ct_amt, 0) ORDER BY place), '[]')),
         json_agg(json_build_array(
           t_id, t_bid_price, t_exec_name, t_is_cash, t_trade_price, t_qty, t_dts, t_s_symb,
           tt_name, tt_is_mrkt, se_amt, se_cash_due_date, se_cash_type, ct_dts, ct_name, steps))
    INTO answer, details
    FROM unnest(ids) WITH ORDINALITY AS asked (id, place)
    JOIN trade ON t_id = id
    JOIN trade_type ON tt_id = t_tt_id
    LEFT JOIN settlement ON se_t_id = t_id
    LEFT JOIN cash_transaction ON ct_t_id = t_id AND t_is_cash = 1
   CROSS JOIN LATERAL (
           SELECT json_agg(json_build_array(th_st_id, th_dts)) AS steps
             FROM (SELECT th_st_id, th_dts
                     FROM trade_history
                    WHERE th_t_id = t_id
                    ORDER BY th_st_id
                    LIMIT 3) AS first) AS history;
END $$;

-- Trades of the past, or what became of every holding that the first of them touched.
CREATE FUNCTION trade_lookup(input json, OUT answer json, OUT details json)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  trade_id bigint;
BEGIN
  IF input->>'frame' <> 'holdings' THEN
    SELECT * INTO answer, details FROM trade_details(looked_up_trades(input));
    RETURN;
  END IF;

  SELECT t_id INTO trade_id
    FROM trade
   WHERE t_ca_id = (input->>'accountId')::bigint AND t_dts >= (input->>'from')::bigint
   ORDER BY t_dts
   LIMIT 1;
  SELECT json_build_object(
           'rows', count(*),
           'amounts', coalesce(json_agg(hh_after_qty ORDER BY hh_h_t_id, hh_t_id), '[]')),
         json_agg(json_build_array(hh_h_t_id, hh_t_id, hh_before_qty))
    INTO answer, details
    FROM (SELECT changed.*
            FROM holding_history AS touched
            JOIN holding_history AS changed USING (hh_h_t_id)
           WHERE touched.hh_t_id = trade_id
           ORDER BY changed.hh_h_t_id, changed.hh_t_id
           LIMIT 20) AS changes;
END $$;
