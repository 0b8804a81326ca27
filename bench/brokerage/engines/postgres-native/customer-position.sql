-- SPDX-License-Identifier: Apache-2.0

-- What a customer's accounts are worth, and in half of the calls the last trades of one of them.
CREATE FUNCTION customer_position(input json, OUT answer json, OUT details json)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  customer_id bigint := input->'customer'->>'id';
  account_ids bigint[];
  asked bigint;
  accounts json;
  history json;
BEGIN
  IF customer_id IS NULL THEN
    SELECT c_id INTO STRICT customer_id FROM customer WHERE c_tax_id = input->'customer'->>'taxId';
  END IF;

  -- An account without holdings is worth nothing, and is not left out.
  SELECT array_agg(ca_id ORDER BY ca_id),
         json_agg(json_build_object('accountId', ca_id, 'cash', ca_bal, 'assets', assets)
                  ORDER BY ca_id)
    INTO account_ids, accounts
    FROM (SELECT ca_id, ca_bal, coalesce(sum(hs_qty * lt_price), 0) AS assets
            FROM customer_account
            LEFT JOIN holding_summary ON hs_ca_id = ca_id
            LEFT JOIN last_trade ON lt_s_symb = hs_s_symb
           WHERE ca_c_id = customer_id
           GROUP BY ca_id
           ORDER BY ca_id
           LIMIT 10) AS valued;

  asked := account_ids[1 + (input->>'historyOf')::bigint % cardinality(account_ids)];
  IF asked IS NOT NULL THEN
    SELECT json_agg(json_build_object('tradeId', t_id, 'status', st_name)
                    ORDER BY t_dts DESC, th_st_id),
           json_agg(json_build_array(t_s_symb, t_qty, th_dts))
      INTO history, details
      FROM (SELECT t_id, t_dts, t_s_symb, t_qty, th_st_id, th_dts
              FROM (SELECT t_id, t_dts, t_s_symb, t_qty
                      FROM trade
                     WHERE t_ca_id = asked
                     ORDER BY t_dts DESC
                     LIMIT 10) AS newest
              JOIN trade_history ON th_t_id = t_id
             ORDER BY t_dts DESC, th_st_id
             LIMIT 30) AS steps
      JOIN status_type ON st_id = th_st_id;
  END IF;

  SELECT json_build_object('tier', c_tier, 'accounts', accounts, 'history', coalesce(history, '[]')),
         json_build_array(c_l_name, c_f_name, c_email_2, c_pad, details)
    INTO STRICT answer, details
    FROM customer
   WHERE c_id = customer_id;
END $$;
