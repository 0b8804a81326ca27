-- SPDX-License-Identifier: Apache-2.0

-- The newest trades of an account, with everything that is only a code in them spelled out.
CREATE FUNCTION trade_status(input json, OUT answer json, OUT details json)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  SELECT json_build_object(
           'broker', b_name,
           'customer', c_f_name || ' ' || c_l_name,
           'trades', coalesce(latest.trades, '[]')),
         latest.details
    INTO STRICT answer, details
    FROM customer_account
    JOIN customer ON c_id = ca_c_id
    JOIN broker ON b_id = ca_b_id
   CROSS JOIN LATERAL (
           SELECT json_agg(json_build_object(
                    'tradeId', t_id, 'status', st_name, 'type', tt_name,
                    'security', s_name, 'exchange', ex_name) ORDER BY t_dts DESC) AS trades,
                  json_agg(json_build_array(t_dts, t_qty, t_exec_name, t_chrg)) AS details
             FROM (SELECT t_id, t_dts, t_st_id, t_tt_id, t_s_symb, t_qty, t_exec_name, t_chrg
                     FROM trade
                    WHERE t_ca_id = ca_id
                    ORDER BY t_dts DESC
                    LIMIT 50) AS newest
             JOIN status_type ON st_id = t_st_id
             JOIN trade_type ON tt_id = t_tt_id
             JOIN security ON s_symb = t_s_symb
             JOIN exchange ON ex_id = s_ex_id) AS latest
   WHERE ca_id = (input->>'accountId')::bigint;
END $$;
