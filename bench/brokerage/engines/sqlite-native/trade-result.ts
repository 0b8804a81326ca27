// SPDX-License-Identifier: Apache-2.0
import { taxOf } from '../../population/trade-arithmetic.ts'
import { closeHoldings } from '../../transactions/position.ts'
import { completeTrade, gainOf } from '../../transactions/trade-result.ts'
import type { NativeWrite } from './native-work.ts'
import { COMMISSION_RATE, readHoldings, readTaxRates } from './position-queries.ts'

const FACTS = `
  SELECT t_ca_id, t_s_symb, t_qty, t_chrg, t_lifo, t_is_cash, t_st_id, tt_name, tt_is_sell,
         ca_b_id, ca_c_id, ca_tax_st, s_name, hs_qty,
         ${COMMISSION_RATE('c_tier', 't_tt_id', 's_ex_id', 't_qty')} AS cr_rate
    FROM trade
    JOIN trade_type ON tt_id = t_tt_id
    JOIN customer_account ON ca_id = t_ca_id
    JOIN customer ON c_id = ca_c_id
    JOIN security ON s_symb = t_s_symb
    LEFT JOIN holding_summary ON hs_ca_id = t_ca_id AND hs_s_symb = t_s_symb
   WHERE t_id = +?`

type Facts = {
  readonly t_ca_id: number
  readonly t_s_symb: string
  readonly t_qty: number
  readonly t_chrg: number
  readonly t_lifo: number
  readonly t_is_cash: number
  readonly t_st_id: string
  readonly tt_name: string
  readonly tt_is_sell: number
  readonly ca_b_id: number
  readonly ca_c_id: number
  readonly ca_tax_st: number
  readonly s_name: string
  readonly hs_qty: number | null
  readonly cr_rate: number
}

export const tradeResult: NativeWrite<'Trade-Result'> = async (transaction, statements, input) => {
  const found = statements.one<Facts>(FACTS, input.tradeId)
  if (found.t_st_id === 'CMPT') {
    await transaction.rollback()
    return { kind: 'already' }
  }
  const facts = {
    accountId: found.t_ca_id,
    symbol: found.t_s_symb,
    quantity: found.t_qty,
    charge: found.t_chrg,
    isCash: found.t_is_cash === 1,
    isSell: found.tt_is_sell === 1,
    typeName: found.tt_name,
    securityName: found.s_name,
    brokerId: found.ca_b_id,
    taxStatus: found.ca_tax_st,
    commissionRate: found.cr_rate,
    sharesBefore: found.hs_qty ?? undefined,
  }
  const holdings = readHoldings(statements, { ...facts, lifo: found.t_lifo === 1 })
  const change = facts.isSell ? -facts.quantity : facts.quantity
  const closings = closeHoldings(holdings, change, input.price)
  const gain = gainOf(closings, facts.taxStatus)
  const tax = taxOf(gain, readTaxRates(statements, found.ca_c_id, gain))
  return await completeTrade(transaction, input, facts, { closings, tax })
}
