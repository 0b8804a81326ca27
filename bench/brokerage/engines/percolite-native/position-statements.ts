// SPDX-License-Identifier: Apache-2.0

/** What a customer pays of a gain, in hundred-thousandths. */
export const TAX_RATES = `
  SCAN x.tx_rate
  FROM customer_taxrate AS c
  LOOKUP taxrate AS x BY x.tx_id = c.cx_tx_id
  WHERE c.cx_c_id = :customer
  LIMIT 2`

/** Of the row that is in force for so many shares. */
export const COMMISSION_RATE = `
  SCAN cr_rate FROM commission_rate
  WHERE cr_c_tier = :tier AND cr_tt_id = :type AND cr_ex_id = :exchange AND cr_from_qty <= :quantity
  ORDER BY cr_from_qty DESC
  LIMIT 1
  INTO :rate`
