// SPDX-License-Identifier: Apache-2.0

import { get, getMany, scan, type Transaction } from '../engine.ts'
import type { StatusId, TradeTypeId } from '../population/codes.ts'
import { commissionOf, isTaxable, taxOf } from '../population/trade-arithmetic.ts'
import { closeHoldings, HOLDINGS_OF_ORDER_MAX } from './position.ts'
import { byKey, commissionRateOf, required, singleKeys, worthOf } from './rows-by-key.ts'

type TradeOrderInput = {
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

/** A customer pays two taxes, and an account holds up to 18 securities. */
const TAXES_MAX = 2
const POSITIONS_MAX = 18

/**
 * Takes an order: looks at everything that it would cost and bring, and writes it down for the market.
 * What it writes is new rows only, so it conflicts with nobody.
 */
export async function tradeOrder(transaction: Transaction, input: TradeOrderInput) {
  const facts = await factsOf(transaction, input)
  if (facts !== undefined) writeOrder(transaction, input, facts)
  if (facts === undefined || input.rollsBack) {
    await transaction.rollback()
    return { kind: facts === undefined ? 'notPermitted' : 'rolledBack' } as const
  }
  await transaction.commit()
  const { tradeId, type, quantity } = input
  const { symbol, price, estimatedTax, accountValue } = facts
  return {
    kind: 'ordered',
    order: { tradeId, symbol, type, quantity, price } satisfies MarketOrder,
    estimatedTax,
    // Cash and holdings of an account that buys on margin.
    ...(input.onMargin ? { accountValue } : {}),
  } as const
}

/** What must be known of an order to place it, money in cents; undefined where its executor may not give it. */
async function factsOf(transaction: Transaction, input: TradeOrderInput) {
  const { accountId, executor, quantity } = input
  const symbol = await findSymbol(transaction, input.security)
  const permission = executor.taxId === undefined ? [] : [[accountId, executor.taxId]]
  const [foundAccount, foundSecurity, foundTrade, foundType, summary, permissions] =
    await transaction.read(
      get(
        'customer_account',
        [accountId],
        ['ca_name', 'ca_b_id', 'ca_c_id', 'ca_tax_st', 'ca_bal'],
      ),
      get('security', [symbol], ['s_co_id', 's_ex_id', 's_name']),
      get('last_trade', [symbol], ['lt_price']),
      get('trade_type', [input.type], ['tt_is_mrkt', 'tt_is_sell']),
      get('holding_summary', [accountId, symbol], ['hs_qty']),
      getMany('account_permission', permission, ['ap_acl']),
    )
  if (permissions.includes(undefined)) return undefined
  const account = required(foundAccount, `account ${accountId}`)
  const security = required(foundSecurity, `security ${symbol}`)
  const type = required(foundType, `type ${input.type}`)
  const isMarket = type.tt_is_mrkt === 1
  const marketPrice = required(foundTrade, `price of ${symbol}`).lt_price
  const price = isMarket ? marketPrice : input.limitPrice
  const change = type.tt_is_sell === 1 ? -quantity : quantity
  const reduces = Math.sign(summary?.hs_qty ?? 0) === -Math.sign(change)
  const [customer, _broker, _company, holdings, taxes, positions] = await transaction.read(
    get('customer', [account.ca_c_id], ['c_f_name', 'c_l_name', 'c_tier', 'c_tax_id']),
    get('broker', [account.ca_b_id], ['b_name']),
    get('company', [security.s_co_id], ['co_name']),
    scan('holding', [accountId, symbol], ['h_price', 'h_qty'], {
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
  const [taxRates, commissions, foundCharge, prices] = await transaction.read(
    getMany('taxrate', singleKeys(taxes.map((tax) => tax.cx_tx_id)), ['tx_rate']),
    commissionRateOf([tier, input.type, security.s_ex_id], quantity),
    get('charge', [input.type, tier], ['ch_chrg']),
    getMany('last_trade', singleKeys(symbols), ['lt_price']),
  )
  const { buyValue, sellValue } = closeHoldings(holdings, change, price)
  const rates = taxRates.map((tax) => required(tax, 'tax rate').tx_rate)
  const rate = required(commissions[0], 'commission rate').cr_rate
  return {
    ...{ symbol, isMarket, price, brokerId: account.ca_b_id },
    charge: required(foundCharge, 'charge').ch_chrg,
    commission: commissionOf(rate, quantity, price),
    estimatedTax: taxOf(Math.max(0, sellValue - buyValue), rates),
    accountValue: account.ca_bal + worthOf(positions, byKey(symbols, prices)),
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

/** Frame 4: all that an order writes. */
function writeOrder(
  transaction: Transaction,
  { tradeId, now, quantity, type, ...input }: TradeOrderInput,
  { symbol, price, ...facts }: NonNullable<Awaited<ReturnType<typeof factsOf>>>,
): void {
  const status: StatusId = facts.isMarket ? 'SBMT' : 'PNDG'
  transaction.insert('trade', {
    ...{ t_id: tradeId, t_dts: now, t_st_id: status, t_tt_id: type },
    ...{ t_is_cash: input.onMargin ? 0 : 1, t_lifo: input.lifo ? 1 : 0 },
    ...{ t_s_symb: symbol, t_qty: quantity, t_bid_price: price, t_trade_price: null },
    ...{ t_ca_id: input.accountId, t_exec_name: input.executor.name },
    ...{ t_chrg: facts.charge, t_comm: facts.commission, t_tax: 0 },
  })
  if (status === 'PNDG') {
    transaction.insert('trade_request', {
      ...{ tr_t_id: tradeId, tr_tt_id: type, tr_s_symb: symbol },
      ...{ tr_qty: quantity, tr_bid_price: price, tr_b_id: facts.brokerId },
    })
  }
  transaction.insert('trade_history', { th_t_id: tradeId, th_st_id: status, th_dts: now })
}
