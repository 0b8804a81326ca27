// SPDX-License-Identifier: Apache-2.0

import { get, getMany, scan, type Transaction } from '../engine.ts'
import type { StatusId, TradeTypeId } from '../population/codes.ts'
import { commissionOf, isTaxable, taxOf } from '../population/trade-arithmetic.ts'
import { closeHoldings, HOLDINGS_OF_ORDER_MAX } from './position.ts'
import { byKey, required, singleKeys } from './rows-by-key.ts'

export type TradeOrderInput = {
  /** New for each order, and kept when it is tried again. */
  readonly tradeId: number
  readonly accountId: number
  /** Who gives the order. Without a tax id it is the owner; another one needs a permission. */
  readonly executor: { readonly name: string; readonly taxId?: string }
  readonly security:
    | { readonly symbol: string }
    | { readonly company: string; readonly issue: string }
  readonly type: TradeTypeId
  readonly quantity: number
  /** Cents; for market orders the price of the moment is taken in its place. */
  readonly limitPrice: number
  readonly onMargin: boolean
  /** Close what was bought last first. */
  readonly lifo: boolean
  /** The customer thinks better of it at the last moment. */
  readonly rollsBack: boolean
  /** Epoch ms of the market. */
  readonly now: number
}

/** What the market is told of an order. */
export type MarketOrder = {
  readonly tradeId: number
  readonly symbol: string
  readonly type: TradeTypeId
  readonly quantity: number
  readonly price: number
}

export type TradeOrderResult =
  | {
      readonly kind: 'ordered'
      readonly order: MarketOrder
      readonly estimatedTax: number
      /** Cash and holdings of an account that buys on margin. */
      readonly accountValue?: number
    }
  | { readonly kind: 'rolledBack' }
  | { readonly kind: 'notPermitted' }

/** A customer pays two taxes, and an account holds up to 18 securities. */
const TAXES_MAX = 2
const POSITIONS_MAX = 18

/**
 * Takes an order: looks at everything that it would cost and bring, and writes it down for the market.
 * What it writes is new rows only, so it conflicts with nobody.
 */
export async function tradeOrder(
  transaction: Transaction,
  input: TradeOrderInput,
): Promise<TradeOrderResult> {
  const { accountId, executor, quantity } = input
  const named = await findSymbol(transaction, input.security)
  const [foundAccount, foundSecurity, foundTrade, foundType, summary, permissions] =
    await transaction.read(
      get(
        'customer_account',
        [accountId],
        ['ca_name', 'ca_b_id', 'ca_c_id', 'ca_tax_st', 'ca_bal'],
      ),
      get('security', [named], ['s_co_id', 's_ex_id', 's_name']),
      get('last_trade', [named], ['lt_price']),
      get('trade_type', [input.type], ['tt_is_mrkt', 'tt_is_sell']),
      get('holding_summary', [accountId, named], ['hs_qty']),
      getMany(
        'account_permission',
        executor.taxId === undefined ? [] : [[accountId, executor.taxId]],
        ['ap_acl'],
      ),
    )
  if (permissions.includes(undefined)) {
    await transaction.rollback()
    return { kind: 'notPermitted' }
  }
  const account = required(foundAccount, `account ${accountId}`)
  const security = required(foundSecurity, `security ${named}`)
  const type = required(foundType, `type ${input.type}`)
  const isMarket = type.tt_is_mrkt === 1
  const marketPrice = required(foundTrade, `price of ${named}`).lt_price
  const price = isMarket ? marketPrice : input.limitPrice
  const change = type.tt_is_sell === 1 ? -quantity : quantity
  const reduces = Math.sign(summary?.hs_qty ?? 0) === -Math.sign(change)

  const [customer, _broker, _company, holdings, taxes, positions] = await transaction.read(
    get('customer', [account.ca_c_id], ['c_f_name', 'c_l_name', 'c_tier', 'c_tax_id']),
    get('broker', [account.ca_b_id], ['b_name']),
    get('company', [security.s_co_id], ['co_name']),
    scan('holding', [accountId, named], ['h_price', 'h_qty'], {
      reverse: input.lifo,
      limit: reduces ? HOLDINGS_OF_ORDER_MAX : 0,
    }),
    scan('customer_taxrate', [account.ca_c_id], ['cx_tx_id'], {
      limit: reduces && isTaxable(account.ca_tax_st) ? TAXES_MAX : 0,
    }),
    scan('holding_summary', [accountId], ['hs_s_symb', 'hs_qty'], {
      limit: input.onMargin ? POSITIONS_MAX : 0,
    }),
  )
  const tier = required(customer, `customer ${account.ca_c_id}`).c_tier
  const symbols = positions.map((position) => position.hs_s_symb)
  const [rates, commissions, foundCharge, prices] = await transaction.read(
    getMany('taxrate', singleKeys(taxes.map((tax) => tax.cx_tx_id)), ['tx_rate']),
    scan('commission_rate', [tier, input.type, security.s_ex_id], ['cr_rate'], {
      atMost: quantity,
      reverse: true,
      limit: 1,
    }),
    get('charge', [input.type, tier], ['ch_chrg']),
    getMany('last_trade', singleKeys(symbols), ['lt_price']),
  )
  const { buyValue, sellValue } = closeHoldings(holdings, change, price)
  const priceOf = byKey(symbols, prices)
  const assets = positions.reduce((sum, { hs_s_symb, hs_qty }) => {
    return sum + hs_qty * required(priceOf.get(hs_s_symb), `price of ${hs_s_symb}`).lt_price
  }, 0)
  const rate = required(commissions[0], 'commission rate').cr_rate

  return await placeOrder(transaction, input, {
    symbol: named,
    isMarket,
    brokerId: account.ca_b_id,
    price,
    charge: required(foundCharge, 'charge').ch_chrg,
    commissionRate: rate,
    estimatedTax: taxOf(
      Math.max(0, sellValue - buyValue),
      rates.map((tax) => required(tax, 'tax rate').tx_rate),
    ),
    accountValue: account.ca_bal + assets,
  })
}

/** What must be known of an order to place it. Money in cents. */
export type OrderFacts = {
  readonly symbol: string
  readonly isMarket: boolean
  readonly brokerId: number
  readonly price: number
  readonly charge: number
  /** In hundredths of a percent. */
  readonly commissionRate: number
  readonly estimatedTax: number
  /** Cash and holdings; only answered to who buys on margin. */
  readonly accountValue: number
}

/** All that an order writes, and the commit, or not. */
async function placeOrder(
  transaction: Transaction,
  input: TradeOrderInput,
  facts: OrderFacts,
): Promise<TradeOrderResult> {
  const { tradeId, type, quantity, onMargin } = input
  const { symbol, price, estimatedTax, accountValue } = facts
  writeOrder(transaction, input, facts)
  if (input.rollsBack) {
    await transaction.rollback()
    return { kind: 'rolledBack' }
  }
  await transaction.commit()
  return {
    kind: 'ordered',
    order: { tradeId, symbol, type, quantity, price },
    estimatedTax,
    ...(onMargin ? { accountValue } : {}),
  }
}

/** Frame 3 begins with the symbol, or with the name of the company and the kind of its shares. */
async function findSymbol(
  transaction: Transaction,
  security: TradeOrderInput['security'],
): Promise<string> {
  if ('symbol' in security) return security.symbol
  const [[company]] = await transaction.read(
    scan('company', [security.company], ['co_id'], { index: 'company_name', limit: 1 }),
  )
  const companyId = required(company, `company ${security.company}`).co_id
  const [[found]] = await transaction.read(
    scan('security', [companyId, security.issue], ['s_symb'], {
      index: 'security_company',
      limit: 1,
    }),
  )
  return required(found, `${security.issue} of ${security.company}`).s_symb
}

/** Frame 4. */
function writeOrder(transaction: Transaction, input: TradeOrderInput, facts: OrderFacts): void {
  const { tradeId, now, quantity, type } = input
  const { symbol, price } = facts
  const status: StatusId = facts.isMarket ? 'SBMT' : 'PNDG'
  transaction.insert('trade', {
    t_id: tradeId,
    t_dts: now,
    t_st_id: status,
    t_tt_id: type,
    t_is_cash: input.onMargin ? 0 : 1,
    t_s_symb: symbol,
    t_qty: quantity,
    t_bid_price: price,
    t_ca_id: input.accountId,
    t_exec_name: input.executor.name,
    t_trade_price: null,
    t_chrg: facts.charge,
    t_comm: commissionOf(facts.commissionRate, quantity, price),
    t_tax: 0,
    t_lifo: input.lifo ? 1 : 0,
  })
  if (status === 'PNDG') {
    transaction.insert('trade_request', {
      tr_t_id: tradeId,
      tr_tt_id: type,
      tr_s_symb: symbol,
      tr_qty: quantity,
      tr_bid_price: price,
      tr_b_id: facts.brokerId,
    })
  }
  transaction.insert('trade_history', { th_t_id: tradeId, th_st_id: status, th_dts: now })
}
