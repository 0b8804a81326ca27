// SPDX-License-Identifier: Apache-2.0
import { taxOf } from '../../population/trade-arithmetic.ts'
import { closeHoldings } from '../../transactions/position.ts'
import { placeOrder } from '../../transactions/trade-order.ts'
import { gainOf } from '../../transactions/trade-result.ts'
import type { NativeWrite } from './native-work.ts'
import { COMMISSION_RATE, readHoldings, readTaxRates } from './position-queries.ts'

const PERMISSION = 'SELECT ap_acl FROM account_permission WHERE ap_ca_id = +? AND ap_tax_id = +?'

const SYMBOL = `
  SELECT s_symb FROM company JOIN security ON s_co_id = co_id WHERE co_name = +? AND s_issue = +?`

const FACTS = `
  SELECT ca_name, ca_b_id, ca_c_id, ca_tax_st, ca_bal, c_f_name, c_l_name, c_tier, c_tax_id, b_name,
         s_name, co_name, lt_price, tt_is_mrkt, tt_is_sell, ch_chrg,
         ${COMMISSION_RATE('c_tier', 'tt_id', 's_ex_id', '+?')} AS cr_rate
    FROM customer_account
    JOIN customer ON c_id = ca_c_id
    JOIN broker ON b_id = ca_b_id
    JOIN trade_type ON tt_id = +?
    JOIN charge ON ch_tt_id = tt_id AND ch_c_tier = c_tier
    JOIN security ON s_symb = +?
    JOIN company ON co_id = s_co_id
    JOIN last_trade ON lt_s_symb = s_symb
   WHERE ca_id = +?`

const ASSETS = `
  SELECT coalesce(sum(hs_qty * lt_price), 0) AS assets
    FROM holding_summary
    JOIN last_trade ON lt_s_symb = hs_s_symb
   WHERE hs_ca_id = +?`

type Facts = {
  readonly ca_b_id: number
  readonly ca_c_id: number
  readonly ca_tax_st: number
  readonly ca_bal: number
  readonly lt_price: number
  readonly tt_is_mrkt: number
  readonly tt_is_sell: number
  readonly ch_chrg: number
  readonly cr_rate: number
}

export const tradeOrder: NativeWrite<'Trade-Order'> = async (transaction, statements, input) => {
  const { accountId, executor, security, quantity, lifo } = input
  const { taxId } = executor
  if (taxId !== undefined && statements.all(PERMISSION, accountId, taxId).length === 0) {
    await transaction.rollback()
    return { kind: 'notPermitted' }
  }
  const symbol =
    'symbol' in security
      ? security.symbol
      : statements.one<{ readonly s_symb: string }>(SYMBOL, security.company, security.issue).s_symb
  const facts = statements.one<Facts>(FACTS, quantity, input.type, symbol, accountId)
  const isMarket = facts.tt_is_mrkt === 1
  const price = isMarket ? facts.lt_price : input.limitPrice
  const holdings = readHoldings(statements, { accountId, symbol, lifo })
  const change = facts.tt_is_sell === 1 ? -quantity : quantity
  const gain = gainOf(closeHoldings(holdings, change, price), facts.ca_tax_st)
  const assets = input.onMargin
    ? statements.one<{ readonly assets: number }>(ASSETS, accountId).assets
    : 0
  return await placeOrder(transaction, input, {
    symbol,
    isMarket,
    brokerId: facts.ca_b_id,
    price,
    charge: facts.ch_chrg,
    commissionRate: facts.cr_rate,
    estimatedTax: taxOf(gain, readTaxRates(statements, facts.ca_c_id, gain)),
    accountValue: facts.ca_bal + assets,
  })
}
