-- SPDX-License-Identifier: Apache-2.0

-- Takes an order: looks at everything that it would cost and bring, and writes it down for the market.
-- An order that the customer takes back ends as an error with the code RB001, which rolls it back.
CREATE FUNCTION trade_order(input json, OUT answer json, OUT details json)
LANGUAGE plpgsql AS $$
DECLARE
  order_id bigint := input->>'tradeId';
  account_id bigint := input->>'accountId';
  executor json := input->'executor';
  type_id text := input->>'type';
  quantity bigint := input->>'quantity';
  moment bigint := input->>'now';
  on_margin boolean := input->>'onMargin';
  lifo boolean := input->>'lifo';
  symbol text := input->'security'->>'symbol';
  facts record;
  price bigint;
  gain bigint := 0;
  estimated_tax bigint := 0;
  account_value bigint;
  status text;
BEGIN
  IF executor->>'taxId' IS NOT NULL THEN
    PERFORM ap_acl FROM account_permission
      WHERE ap_ca_id = account_id AND ap_tax_id = executor->>'taxId';
    IF NOT FOUND THEN
      answer := json_build_object('kind', 'notPermitted');
      RETURN;
    END IF;
  END IF;

  IF symbol IS NULL THEN
    SELECT s_symb INTO STRICT symbol
      FROM company
      JOIN security ON s_co_id = co_id
     WHERE co_name = input->'security'->>'company' AND s_issue = input->'security'->>'issue';
  END IF;

  SELECT ca_name, ca_b_id, ca_c_id, ca_tax_st, ca_bal, c_f_name, c_l_name, c_tier, c_tax_id, b_name,
         s_ex_id, s_name, co_name, lt_price, tt_is_mrkt = 1 AS is_market, ch_chrg,
         CASE WHEN tt_is_sell = 1 THEN -quantity ELSE quantity END AS change
    INTO STRICT facts
    FROM customer_account
    JOIN customer ON c_id = ca_c_id
    JOIN broker ON b_id = ca_b_id
    JOIN trade_type ON tt_id = type_id
    JOIN charge ON ch_tt_id = tt_id AND ch_c_tier = c_tier
    JOIN security ON s_symb = symbol
    JOIN company ON co_id = s_co_id
    JOIN last_trade ON lt_s_symb = s_symb
   WHERE ca_id = account_id;
  price := CASE WHEN facts.is_market THEN facts.lt_price ELSE (input->>'limitPrice')::bigint END;

  IF facts.ca_tax_st IN (1, 2) THEN
    -- Shares that were sold short were sold at the holding's price, and are bought back now.
    SELECT coalesce(sum(held.closed * (price - held.paid)) * -sign(facts.change), 0) INTO gain
      FROM closed_holdings(account_id, symbol, facts.change, lifo) AS held;
    estimated_tax := tax_of(gain, facts.ca_c_id);
  END IF;

  IF on_margin THEN
    SELECT facts.ca_bal + coalesce(sum(hs_qty * lt_price), 0) INTO account_value
      FROM holding_summary
      JOIN last_trade ON lt_s_symb = hs_s_symb
     WHERE hs_ca_id = account_id;
  END IF;

  status := CASE WHEN facts.is_market THEN 'SBMT' ELSE 'PNDG' END;
  INSERT INTO trade (t_id, t_dts, t_st_id, t_tt_id, t_is_cash, t_s_symb, t_qty, t_bid_price, t_ca_id,
                     t_exec_name, t_trade_price, t_chrg, t_comm, t_tax, t_lifo)
  VALUES (order_id, moment, status, type_id, CASE WHEN on_margin THEN 0 ELSE 1 END, symbol, quantity,
          price, account_id, executor->>'name', NULL, facts.ch_chrg,
          (2 * commission_rate_of(facts.c_tier, type_id, facts.s_ex_id, quantity) * quantity * price
            + 10000) / 20000,
          0, lifo::integer);
  IF NOT facts.is_market THEN
    INSERT INTO trade_request (tr_t_id, tr_tt_id, tr_s_symb, tr_qty, tr_bid_price, tr_b_id)
    VALUES (order_id, type_id, symbol, quantity, price, facts.ca_b_id);
  END IF;
  INSERT INTO trade_history (th_t_id, th_st_id, th_dts) VALUES (order_id, status, moment);

  IF (input->>'rollsBack')::boolean THEN
    RAISE EXCEPTION 'the customer takes the order back' USING ERRCODE = 'RB001';
  END IF;
  answer := json_strip_nulls(json_build_object(
    'kind', 'ordered',
    'order', json_build_object('tradeId', order_id, 'symbol', symbol, 'type', type_id,
                               'quantity', quantity, 'price', price),
    'estimatedTax', estimated_tax,
    'accountValue', account_value));
  details := json_build_array(facts.ca_name, facts.c_f_name, facts.c_l_name, facts.c_tax_id,
                              facts.b_name, facts.s_name, facts.co_name);
END $$;
