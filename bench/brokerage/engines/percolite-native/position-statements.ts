// SPDX-License-Identifier: Apache-2.0

export const ACCOUNT = `
  GET ca_c_id, ca_b_id, ca_tax_st FROM customer_account
  WHERE ca_id = :account
  INTO :customer, :broker, :taxStatus`

export const SECURITY = `
  GET s_ex_id, s_name FROM security
  WHERE s_symb = :symbol
  INTO :exchange, :securityName`

export const TIER = `
  GET c_tier FROM customer
  WHERE c_id = :customer
  INTO :tier`

/** What a customer pays of a gain, in hundred-thousandths: two taxes. */
export const TAX_RATES = {
  taxIds: `
    SCAN MIN(cx_tx_id), MAX(cx_tx_id) FROM customer_taxrate
    WHERE cx_c_id = :customer
    INTO :firstTax, :lastTax`,
  taxes: 'GET tx_rate FROM taxrate WHERE tx_id IN (:firstTax, :lastTax)',
}

/** Of the row that is in force for so many shares. */
export const COMMISSION_RATE = `
  SCAN cr_rate FROM commission_rate
  WHERE cr_c_tier = :tier AND cr_tt_id = :type AND cr_ex_id = :exchange AND cr_from_qty <= :quantity
  ORDER BY cr_from_qty DESC
  LIMIT 1
  INTO :rate`
