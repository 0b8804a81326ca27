-- SPDX-License-Identifier: Apache-2.0

-- The text with `longer` in the place of `shorter`, or the other way round; at its end when that is
-- empty. Only the first occurrence counts.
CREATE FUNCTION toggled(text text, shorter text, longer text) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN strpos(text, longer) > 0
      THEN overlay(text PLACING shorter FROM strpos(text, longer) FOR length(longer))
    WHEN shorter = '' THEN text || longer
    WHEN strpos(text, shorter) > 0
      THEN overlay(text PLACING longer FROM strpos(text, shorter) FOR length(shorter))
    ELSE text
  END
$$;

-- Looks up trades as a Trade-Lookup does, and changes a text of each, forth and back.
CREATE FUNCTION trade_update(input json, OUT answer json, OUT details json)
LANGUAGE plpgsql AS $$
DECLARE
  ids bigint[] := looked_up_trades(input);
  updated bigint;
BEGIN
  SELECT found.details INTO details FROM trade_details(ids) AS found;
  CASE input->>'frame'
    WHEN 'trades' THEN
      UPDATE trade SET t_exec_name = toggled(t_exec_name, ' ', ' X ') WHERE t_id = ANY (ids);
    WHEN 'account' THEN
      UPDATE settlement SET se_cash_type = toggled(se_cash_type, '', ' Account')
       WHERE se_t_id = ANY (ids);
    WHEN 'security' THEN
      UPDATE cash_transaction SET ct_name = toggled(ct_name, ' shares of ', ' Shares of ')
       WHERE ct_t_id = ANY (ids);
  END CASE;
  GET DIAGNOSTICS updated = ROW_COUNT;
  answer := json_build_object('rows', cardinality(ids), 'updated', updated);
END $$;
