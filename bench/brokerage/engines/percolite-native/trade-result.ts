// SPDX-License-Identifier: Apache-2.0
import { taxOf } from '../../population/trade-arithmetic.ts'
import { closeHoldings, HOLDINGS_OF_ORDER_MAX } from '../../transactions/position.ts'
import { required } from '../../transactions/rows-by-key.ts'
import { completeTrade, gainOf, type ResultHolding } from '../../transactions/trade-result.ts'
import { BufferedTransaction } from '../buffered-transaction.ts'
import { InteractiveSteps } from '../percolite/percolite-steps.ts'
import { beginWith, type NativeWork } from './native-scripts.ts'
import { COMMISSION_RATE, TAX_RATES } from './position-statements.ts'

// What was bought first is closed first, or what was bought last.
const TRADE = `
  GET t.t_ca_id, t.t_s_symb, t.t_tt_id, t.t_qty, a.ca_c_id, c.c_tier, s.s_ex_id,
      CASE t.t_lifo WHEN 1 THEN -1 ELSE 1 END AS direction,
      t.t_chrg, t.t_is_cash, t.t_st_id, a.ca_b_id, a.ca_tax_st, s.s_name, y.tt_name, y.tt_is_sell
  FROM trade AS t
  LOOKUP trade_type AS y BY y.tt_id = t.t_tt_id
  LOOKUP customer_account AS a BY a.ca_id = t.t_ca_id
  LOOKUP customer AS c BY c.c_id = a.ca_c_id
  LOOKUP security AS s BY s.s_symb = t.t_s_symb
  WHERE t.t_id = :trade
  INTO :account, :symbol, :type, :quantity, :customer, :tier, :exchange,
       :direction, :charge, :isCash, :status, :broker, :taxStatus, :securityName, :typeName, :isSell`

const SUMMARY = `
  GET hs_qty FROM holding_summary WHERE hs_ca_id = :account AND hs_s_symb = :symbol`

const HOLDINGS = `
  SCAN h_dts, h_t_id, h_price, h_qty FROM holding
  WHERE h_ca_id = :account AND h_s_symb = :symbol
  ORDER BY h_dts * :direction, h_t_id * :direction
  LIMIT ${HOLDINGS_OF_ORDER_MAX}`

type Rows = {
  readonly trade: readonly {
    readonly t_ca_id: number
    readonly t_s_symb: string
    readonly t_qty: number
    readonly t_chrg: number
    readonly t_is_cash: number
    readonly t_st_id: string
    readonly ca_b_id: number
    readonly ca_tax_st: number
    readonly s_name: string
    readonly tt_name: string
    readonly tt_is_sell: number
  }[]
  readonly summary: readonly { readonly hs_qty: number }[]
  readonly holdings: readonly ResultHolding[]
  readonly taxes: readonly { readonly tx_rate: number }[]
  readonly rate: readonly { readonly cr_rate: number }[]
}

/** One request reads everything, and another writes what follows from it, and commits. */
export const tradeResult: NativeWork<'Trade-Result'> = async (requests, input) => {
  const script = {
    trade: TRADE,
    summary: SUMMARY,
    holdings: HOLDINGS,
    taxes: TAX_RATES,
    rate: COMMISSION_RATE,
  }
  const begun = await beginWith<Rows>(requests, script, { trade: input.tradeId })
  const { transaction: id, rows } = begun
  const transaction = new BufferedTransaction(new InteractiveSteps(requests, id))
  const trade = required(rows.trade[0], `trade ${input.tradeId}`)
  if (trade.t_st_id === 'CMPT') {
    await transaction.rollback()
    return { kind: 'already' }
  }
  const facts = {
    accountId: trade.t_ca_id,
    symbol: trade.t_s_symb,
    quantity: trade.t_qty,
    charge: trade.t_chrg,
    isCash: trade.t_is_cash === 1,
    isSell: trade.tt_is_sell === 1,
    typeName: trade.tt_name,
    securityName: trade.s_name,
    brokerId: trade.ca_b_id,
    taxStatus: trade.ca_tax_st,
    commissionRate: required(rows.rate[0], 'commission rate').cr_rate,
    sharesBefore: rows.summary[0]?.hs_qty,
  }
  const change = facts.isSell ? -facts.quantity : facts.quantity
  const closings = closeHoldings(rows.holdings, change, input.price)
  const rates = rows.taxes.map((tax) => tax.tx_rate)
  const tax = taxOf(gainOf(closings, facts.taxStatus), rates)
  return await completeTrade(transaction, input, facts, { closings, tax })
}
