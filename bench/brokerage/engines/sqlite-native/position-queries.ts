// SPDX-License-Identifier: Apache-2.0
import { HOLDINGS_OF_ORDER_MAX } from '../../transactions/position.ts'
import type { ResultHolding } from '../../transactions/trade-result.ts'
import type { SqliteStatements } from '../sqlite-statements.ts'

const holdings = (direction: 'ASC' | 'DESC') => `
  SELECT h_dts, h_t_id, h_price, h_qty
    FROM holding
   WHERE h_ca_id = +? AND h_s_symb = +?
   ORDER BY h_dts ${direction}, h_t_id ${direction}
   LIMIT ${HOLDINGS_OF_ORDER_MAX}`

const TAX_RATES = `
  SELECT tx_rate FROM customer_taxrate JOIN taxrate ON tx_id = cx_tx_id WHERE cx_c_id = +?`

/** The holdings of a position, in the order in which an order closes them. */
export function readHoldings(
  statements: SqliteStatements,
  position: { readonly accountId: number; readonly symbol: string; readonly lifo: boolean },
): readonly ResultHolding[] {
  const { accountId, symbol, lifo } = position
  return statements.all<ResultHolding>(holdings(lifo ? 'DESC' : 'ASC'), accountId, symbol)
}

/** What a customer pays of a gain, in hundred-thousandths; without a gain nobody asks. */
export function readTaxRates(
  statements: SqliteStatements,
  customerId: number,
  gain: number,
): readonly number[] {
  if (gain === 0) return []
  const rates = statements.all<{ readonly tx_rate: number }>(TAX_RATES, customerId)
  return rates.map((rate) => rate.tx_rate)
}

/** Of the row that is in force for so many shares, by the tier, the type and the exchange before it. */
export const COMMISSION_RATE = (tier: string, type: string, exchange: string, quantity: string) => `
  (SELECT cr_rate
     FROM commission_rate
    WHERE cr_c_tier = ${tier} AND cr_tt_id = ${type} AND cr_ex_id = ${exchange}
      AND cr_from_qty <= ${quantity}
    ORDER BY cr_from_qty DESC
    LIMIT 1)`
