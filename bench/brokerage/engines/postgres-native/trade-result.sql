-- SPDX-License-Identifier: Apache-2.0

-- Completes a trade: the position, the tax, the commission, and the money. To be serializable; and as a
-- table that is read from end to end is locked as a whole then, small ones are read by their keys too.
CREATE FUNCTION trade_result(input json, OUT answer json)
LANGUAGE plpgsql SET enable_seqscan = off AS $$
DECLARE
  completed bigint := input->>'tradeId';
  price bigint := input->>'price';
  moment bigint := input->>'now';
  facts record;
  held record;
  opened bigint;
  gain bigint := 0;
  tax bigint := 0;
  commission bigint;
  costs bigint;
  amount bigint;
BEGIN
  SELECT t_ca_id, t_s_symb, t_tt_id, t_qty, t_chrg, t_is_cash = 1 AS is_cash, t_lifo = 1 AS lifo,
         t_st_id, tt_name, tt_is_sell = 1 AS is_sell,
         CASE WHEN tt_is_sell = 1 THEN -t_qty ELSE t_qty END AS change,
         ca_b_id, ca_c_id, ca_tax_st, c_tier, s_ex_id, s_name, hs_qty
    INTO STRICT facts
    FROM trade
    JOIN trade_type ON tt_id = t_tt_id
    JOIN customer_account ON ca_id = t_ca_id
    JOIN customer ON c_id = ca_c_id
    JOIN security ON s_symb = t_s_symb
    LEFT JOIN holding_summary ON hs_ca_id = t_ca_id AND hs_s_symb = t_s_symb
   WHERE t_id = completed;
  IF facts.t_st_id = 'CMPT' THEN
    answer := json_build_object('kind', 'already');
    RETURN;
  END IF;

  IF facts.hs_qty IS NULL THEN
    INSERT INTO holding_summary (hs_ca_id, hs_s_symb, hs_qty)
    VALUES (facts.t_ca_id, facts.t_s_symb, facts.change);
  ELSIF facts.hs_qty + facts.change = 0 THEN
    DELETE FROM holding_summary WHERE hs_ca_id = facts.t_ca_id AND hs_s_symb = facts.t_s_symb;
  ELSE
    UPDATE holding_summary SET hs_qty = facts.hs_qty + facts.change
     WHERE hs_ca_id = facts.t_ca_id AND hs_s_symb = facts.t_s_symb;
  END IF;

  opened := facts.change;
  FOR held IN
    SELECT * FROM closed_holdings(facts.t_ca_id, facts.t_s_symb, facts.change, facts.lifo)
  LOOP
    opened := opened - (held.after - held.before);
    -- Shares that were sold short were sold at the holding's price, and are bought back now.
    gain := gain + held.closed * (price - held.paid) * CASE WHEN facts.is_sell THEN 1 ELSE -1 END;
    IF held.after = 0 THEN
      DELETE FROM holding
       WHERE h_ca_id = facts.t_ca_id AND h_s_symb = facts.t_s_symb
         AND h_dts = held.dts AND h_t_id = held.trade_id;
    ELSE
      UPDATE holding SET h_qty = held.after
       WHERE h_ca_id = facts.t_ca_id AND h_s_symb = facts.t_s_symb
         AND h_dts = held.dts AND h_t_id = held.trade_id;
    END IF;
    INSERT INTO holding_history (hh_t_id, hh_h_t_id, hh_before_qty, hh_after_qty)
    VALUES (completed, held.trade_id, held.before, held.after);
  END LOOP;
  IF opened <> 0 THEN
    INSERT INTO holding (h_ca_id, h_s_symb, h_dts, h_t_id, h_price, h_qty)
    VALUES (facts.t_ca_id, facts.t_s_symb, moment, completed, price, opened);
    INSERT INTO holding_history (hh_t_id, hh_h_t_id, hh_before_qty, hh_after_qty)
    VALUES (completed, completed, 0, opened);
  END IF;

  IF facts.ca_tax_st IN (1, 2) THEN
    tax := tax_of(gain, facts.ca_c_id);
  END IF;
  commission := (2 * commission_rate_of(facts.c_tier, facts.t_tt_id, facts.s_ex_id, facts.t_qty)
    * facts.t_qty * price + 10000) / 20000;
  UPDATE trade
     SET t_dts = moment, t_st_id = 'CMPT', t_trade_price = price, t_comm = commission, t_tax = tax
   WHERE t_id = completed;
  INSERT INTO trade_history (th_t_id, th_st_id, th_dts) VALUES (completed, 'CMPT', moment);

  UPDATE broker SET b_num_trades = b_num_trades + 1, b_comm_total = b_comm_total + commission
   WHERE b_id = facts.ca_b_id;

  -- Only the accounts of tax status 1 have the tax withheld.
  costs := facts.t_chrg + commission + CASE WHEN facts.ca_tax_st = 1 THEN tax ELSE 0 END;
  amount := -facts.change * price - costs;
  INSERT INTO settlement (se_t_id, se_cash_type, se_cash_due_date, se_amt)
  VALUES (completed, CASE WHEN facts.is_cash THEN 'Cash Account' ELSE 'Margin' END,
          moment - moment % 86400000 + 2 * 86400000, amount);
  IF facts.is_cash THEN
    UPDATE customer_account SET ca_bal = ca_bal + amount WHERE ca_id = facts.t_ca_id;
    INSERT INTO cash_transaction (ct_t_id, ct_dts, ct_amt, ct_name)
    VALUES (completed, moment, amount,
            facts.tt_name || ' ' || facts.t_qty || ' shares of ' || facts.s_name);
  END IF;
  answer := json_build_object('kind', 'completed', 'brokerId', facts.ca_b_id);
END $$;
