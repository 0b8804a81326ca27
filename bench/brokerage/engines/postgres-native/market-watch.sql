-- SPDX-License-Identifier: Apache-2.0

-- How a list of securities has moved, weighted by their capitalisation, since the close of a day.
CREATE FUNCTION market_watch(input json, OUT answer json)
LANGUAGE plpgsql STABLE AS $$
DECLARE
  list json := input->'of';
  symbols text[];
BEGIN
  CASE list->>'kind'
    WHEN 'watchList' THEN
      SELECT array_agg(DISTINCT wi_s_symb) INTO symbols
        FROM watch_list
        JOIN watch_item ON wi_wl_id = wl_id
       WHERE wl_c_id = (list->>'customerId')::bigint;
    WHEN 'account' THEN
      SELECT array_agg(hs_s_symb) INTO symbols
        FROM holding_summary
       WHERE hs_ca_id = (list->>'accountId')::bigint;
    WHEN 'industry' THEN
      SELECT array_agg(s_symb) INTO symbols
        FROM industry
        JOIN company ON co_in_id = in_id
        JOIN security ON s_co_id = co_id
       WHERE in_name = list->>'industry'
         AND co_id BETWEEN (list->>'fromCompany')::bigint AND (list->>'toCompany')::bigint;
  END CASE;

  SELECT json_build_object(
           'securities', coalesce(cardinality(symbols), 0),
           'percentChange', coalesce(100 * (sum(s_num_out * lt_price)::float8
             / nullif(sum(s_num_out * dm_close), 0)::float8 - 1), 0))
    INTO answer
    FROM last_trade
    JOIN security ON s_symb = lt_s_symb
    JOIN daily_market ON dm_s_symb = s_symb AND dm_date = (input->>'date')::bigint
   WHERE lt_s_symb = ANY (symbols);
END $$;
