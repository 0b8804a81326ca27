-- SPDX-License-Identifier: Apache-2.0

-- What an order of `change` shares (negative for a sale) closes of a position: each holding that it
-- touches, in the order in which they are closed, with what is left of it and how much is taken.
CREATE FUNCTION closed_holdings(account_id bigint, symbol text, change bigint, lifo boolean)
RETURNS TABLE (dts bigint, trade_id bigint, paid bigint, before bigint, after bigint, closed bigint)
LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN QUERY
  SELECT h_dts, h_t_id, h_price, h_qty, h_qty + sign(change)::bigint * taken, taken
    FROM (SELECT h_dts, h_t_id, h_price, h_qty, place,
                 -- What the holdings before it leave to close, and no more than there is.
                 least(abs(h_qty), abs(change) - (sum(abs(h_qty)) OVER earlier - abs(h_qty)))::bigint
                   AS taken
            FROM (SELECT h_dts, h_t_id, h_price, h_qty,
                         row_number() OVER (ORDER BY h_dts, h_t_id) * CASE WHEN lifo THEN -1 ELSE 1 END
                           AS place
                    FROM holding
                   WHERE h_ca_id = account_id AND h_s_symb = symbol
                     AND sign(h_qty) = -sign(change)) AS opposite
          WINDOW earlier AS (ORDER BY place)) AS counted
   WHERE taken > 0
   ORDER BY place;
END $$;

-- In cents, of a gain of so many, by the rates of a customer, which are in hundred-thousandths; half up.
CREATE FUNCTION tax_of(gain bigint, customer_id bigint) RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE
  rate bigint;
BEGIN
  IF gain <= 0 THEN
    RETURN 0;
  END IF;
  SELECT sum(tx_rate) INTO STRICT rate
    FROM customer_taxrate
    JOIN taxrate ON tx_id = cx_tx_id
   WHERE cx_c_id = customer_id;
  RETURN (2 * gain * rate + 100000) / 200000;
END $$;

-- The rate of commission for so many shares, in hundredths of a percent.
CREATE FUNCTION commission_rate_of(tier bigint, type_id text, exchange_id text, quantity bigint)
RETURNS bigint
LANGUAGE plpgsql STABLE AS $$
DECLARE
  rate bigint;
BEGIN
  SELECT cr_rate INTO STRICT rate
    FROM commission_rate
   WHERE cr_c_tier = tier AND cr_tt_id = type_id AND cr_ex_id = exchange_id
     AND cr_from_qty <= quantity
   ORDER BY cr_from_qty DESC
   LIMIT 1;
  RETURN rate;
END $$;
