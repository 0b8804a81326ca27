// SPDX-License-Identifier: Apache-2.0
import { taxOf } from '../../population/trade-arithmetic.ts'
import {
  closeHoldings,
  HOLDINGS_OF_ORDER_MAX,
  type OpenHolding,
} from '../../transactions/position.ts'
import { required } from '../../transactions/rows-by-key.ts'
import type { TradeOrderInput, TradeOrderResult } from '../../transactions/trade-order.ts'
import { gainOf } from '../../transactions/trade-result.ts'
import { type NativeWork, refusalOf, runAtOnce, type Script } from './native-scripts.ts'
import { COMMISSION_RATE, TAX_RATES } from './position-statements.ts'

// Another person than the owner needs a permission: without it the request ends here.
const PERMISSION = `
  GET ap_acl FROM account_permission
  WHERE ap_ca_id = :account AND ap_tax_id = :taxId
  INTO :permission`

const COMPANY = 'GET co_id FROM company WHERE co_name = :company INTO :issuer'

const SYMBOL = `
  SCAN s_symb FROM security USE INDEX security_company
  WHERE s_co_id = :issuer AND s_issue = :issue
  INTO :symbol`

const ACCOUNT = `
  GET a.ca_name, a.ca_b_id, a.ca_c_id, a.ca_tax_st, a.ca_bal,
      c.c_f_name, c.c_l_name, c.c_tier, c.c_tax_id, b.b_name
  FROM customer_account AS a
  LOOKUP customer AS c BY c.c_id = a.ca_c_id
  LOOKUP broker AS b BY b.b_id = a.ca_b_id
  WHERE a.ca_id = :account
  INTO :accountName, :broker, :customer, :taxStatus, :balance,
       :firstName, :lastName, :tier, :ownerTaxId, :brokerName`

const SECURITY = `
  GET s.s_symb, s.s_ex_id, s.s_name, c.co_name, l.lt_price
  FROM security AS s
  LOOKUP company AS c BY c.co_id = s.s_co_id
  LOOKUP last_trade AS l BY l.lt_s_symb = s.s_symb
  WHERE s.s_symb = :symbol
  INTO :named, :exchange, :securityName, :companyName, :marketPrice`

// A market order is executed at the price of the moment.
const TERMS = `
  GET tt_is_sell, tt_is_mrkt, CASE tt_is_mrkt WHEN 1 THEN :marketPrice ELSE :limitPrice::INTEGER END AS price
  FROM trade_type
  WHERE tt_id = :type
  INTO :isSell, :isMarket, :price`

const CHARGE = `
  GET ch_chrg FROM charge WHERE ch_tt_id = :type AND ch_c_tier = :tier INTO :charge`

const holdings = (order: 'ASC' | 'DESC') => `
  SCAN h_price, h_qty FROM holding
  WHERE h_ca_id = :account AND h_s_symb = :symbol
  ORDER BY h_dts ${order}, h_t_id ${order}
  LIMIT ${HOLDINGS_OF_ORDER_MAX}`

const ASSETS = `
  SCAN SUM(h.hs_qty * l.lt_price) AS assets
  FROM holding_summary AS h
  LOOKUP last_trade AS l BY l.lt_s_symb = h.hs_s_symb
  WHERE h.hs_ca_id = :account`

const TRADE = `
  INSERT INTO trade (t_id, t_dts, t_st_id, t_tt_id, t_is_cash, t_s_symb, t_qty, t_bid_price, t_ca_id,
                     t_exec_name, t_chrg, t_comm, t_tax, t_lifo)
  VALUES (:trade, :now, CASE :isMarket WHEN 1 THEN 'SBMT' ELSE 'PNDG' END, :type, :isCash, :symbol,
          :quantity, :price, :account, :executor, :charge,
          (2 * :rate * :quantity * :price + 10000) / 20000, 0, :lifo)`

// The trade is new, and so is this row, if it is to be there at all.
const REQUEST = `
  SET tr_tt_id = :type, tr_s_symb = :symbol, tr_qty = :quantity, tr_bid_price = :price, tr_b_id = :broker
  ON trade_request
  WHERE tr_t_id = :trade
  IF :isMarket = 0`

const HISTORY = `
  INSERT INTO trade_history (th_t_id, th_st_id, th_dts)
  VALUES (:trade, CASE :isMarket WHEN 1 THEN 'SBMT' ELSE 'PNDG' END, :now)`

type Rows = {
  readonly account: ReadonlyArray<{ readonly ca_tax_st: number; readonly ca_bal: number }>
  readonly terms: ReadonlyArray<{ readonly tt_is_sell: number; readonly price: number }>
  readonly security: ReadonlyArray<{ readonly s_symb: string }>
  readonly holdings: readonly OpenHolding[]
  readonly taxes: ReadonlyArray<{ readonly tx_rate: number }>
  readonly assets?: ReadonlyArray<{ readonly assets: number | null }>
}

/** One request: all that is written follows from what the statements before it have read. */
export const tradeOrder: NativeWork<'Trade-Order'> = async (requests, input) => {
  try {
    const found = await runAtOnce<Rows>(requests, scriptOf(input), parametersOf(input))
    return input.rollsBack ? { kind: 'rolledBack' } : ordered(input, found)
  } catch (error) {
    const refusal = refusalOf(error)
    const isPermission =
      input.executor.taxId !== undefined && refusal?.statement === (input.rollsBack ? 1 : 0)
    if (isPermission && refusal?.code === 'row_not_found') return { kind: 'notPermitted' }
    throw error
  }
}

function scriptOf({
  executor,
  security,
  lifo,
  onMargin,
  rollsBack,
}: TradeOrderInput): Script<Rows> {
  return {
    ...(rollsBack ? { begin: 'BEGIN' } : {}),
    ...(executor.taxId === undefined ? {} : { permission: PERMISSION }),
    ...('symbol' in security ? {} : { company: COMPANY, symbol: SYMBOL }),
    account: ACCOUNT,
    security: SECURITY,
    terms: TERMS,
    rate: COMMISSION_RATE,
    charge: CHARGE,
    holdings: holdings(lifo ? 'DESC' : 'ASC'),
    taxes: TAX_RATES,
    ...(onMargin ? { assets: ASSETS } : {}),
    trade: TRADE,
    request: REQUEST,
    history: HISTORY,
    ...(rollsBack ? { end: 'ROLLBACK' } : {}),
  }
}

function parametersOf(input: TradeOrderInput) {
  const { executor, security } = input
  return {
    ...security,
    ...(executor.taxId === undefined ? {} : { taxId: executor.taxId }),
    trade: input.tradeId,
    account: input.accountId,
    executor: executor.name,
    type: input.type,
    quantity: input.quantity,
    limitPrice: input.limitPrice,
    isCash: input.onMargin ? 0 : 1,
    lifo: input.lifo ? 1 : 0,
    now: input.now,
  }
}

function ordered(input: TradeOrderInput, found: Rows): TradeOrderResult {
  const { tradeId, type, quantity, onMargin } = input
  const account = required(found.account[0], `account ${input.accountId}`)
  const terms = required(found.terms[0], `type ${type}`)
  const change = terms.tt_is_sell === 1 ? -quantity : quantity
  const closings = closeHoldings(found.holdings, change, terms.price)
  const rates = found.taxes.map((tax) => tax.tx_rate)
  const assets = found.assets?.[0]?.assets ?? 0
  return {
    kind: 'ordered',
    order: {
      tradeId,
      symbol: required(found.security[0], 'security').s_symb,
      type,
      quantity,
      price: terms.price,
    },
    estimatedTax: taxOf(gainOf(closings, account.ca_tax_st), rates),
    ...(onMargin ? { accountValue: account.ca_bal + assets } : {}),
  }
}
