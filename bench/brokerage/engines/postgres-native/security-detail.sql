-- SPDX-License-Identifier: Apache-2.0

-- All there is to know of a security and its company.
CREATE FUNCTION security_detail(input json, OUT answer json, OUT details json)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  SELECT json_build_object(
           'company', co_name,
           'exchange', ex_name,
           'towns', json_build_array(of_company.zc_town, of_exchange.zc_town),
           'competitors', rivals.names,
           'quarters', quarters.number,
           'closes', days.closes,
           'price', lt_price,
           'newsCharacters', news.characters),
         json_build_array(
           s_name, s_num_out, s_exch_date, s_pad, lt_open_price, lt_vol, co_sp_rate, co_pad,
           ex_desc, ex_num_symb, ex_open, ex_close,
           company_address.ad_line1, company_address.ad_line2, company_address.ad_ctry,
           company_address.ad_zc_code, of_company.zc_div,
           exchange_address.ad_line1, exchange_address.ad_line2, exchange_address.ad_ctry,
           exchange_address.ad_zc_code, of_exchange.zc_div,
           quarters.rows, days.rows, news.rows)
    INTO STRICT answer, details
    FROM security
    JOIN last_trade ON lt_s_symb = s_symb
    JOIN company ON co_id = s_co_id
    JOIN exchange ON ex_id = s_ex_id
    JOIN address AS company_address ON company_address.ad_id = co_ad_id
    JOIN address AS exchange_address ON exchange_address.ad_id = ex_ad_id
    JOIN zip_code AS of_company ON of_company.zc_code = company_address.ad_zc_code
    JOIN zip_code AS of_exchange ON of_exchange.zc_code = exchange_address.ad_zc_code
   CROSS JOIN LATERAL (
           SELECT coalesce(json_agg(json_build_object('company', co_name, 'industry', in_name)
                                    ORDER BY cp_comp_co_id, cp_in_id), '[]') AS names
             FROM (SELECT cp_comp_co_id, cp_in_id
                     FROM company_competitor
                    WHERE cp_co_id = s_co_id
                    ORDER BY cp_comp_co_id, cp_in_id
                    LIMIT 3) AS nearest
             JOIN company ON co_id = cp_comp_co_id
             JOIN industry ON in_id = cp_in_id) AS rivals
   CROSS JOIN LATERAL (
           SELECT count(*) AS number,
                  json_agg(json_build_array(fi_year, fi_qtr, fi_qtr_start_date, fi_pad)) AS rows
             FROM (SELECT fi_year, fi_qtr, fi_qtr_start_date, fi_pad
                     FROM financial
                    WHERE fi_co_id = s_co_id
                    ORDER BY fi_year, fi_qtr
                    LIMIT 20) AS earliest) AS quarters
   CROSS JOIN LATERAL (
           SELECT coalesce(json_agg(dm_close ORDER BY dm_date), '[]') AS closes,
                  json_agg(json_build_array(dm_date, dm_high, dm_low, dm_vol)) AS rows
             FROM (SELECT dm_date, dm_close, dm_high, dm_low, dm_vol
                     FROM daily_market
                    WHERE dm_s_symb = s_symb AND dm_date >= (input->>'startDate')::bigint
                    ORDER BY dm_date
                    LIMIT (input->>'days')::bigint) AS first) AS days
   CROSS JOIN LATERAL (
           SELECT coalesce(sum(length(text)), 0) AS characters,
                  json_agg(json_build_array(ni_dts, text)) AS rows
             FROM (SELECT nx_ni_id
                     FROM news_xref
                    WHERE nx_co_id = s_co_id
                    ORDER BY nx_ni_id
                    LIMIT 2) AS first
             JOIN news_item ON ni_id = nx_ni_id
            CROSS JOIN LATERAL (
                    SELECT CASE WHEN (input->>'wholeNews')::boolean
                                THEN ni_item ELSE ni_headline || ni_summary END AS text
                  ) AS told) AS news
   WHERE s_symb = input->>'symbol';
END $$;
