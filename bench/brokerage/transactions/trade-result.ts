// SPDX-License-Identifier: Apache-2.0

import { get, getMany, scan, type Transaction } from '../engine.ts'
import { CASH_TYPES } from '../population/codes.ts'
import {
  commissionOf,
  isTaxable,
  settlementAmount,
  settlementDueDate,
  taxOf,
} from '../population/trade-arithmetic.ts'
import {
  type Closings,
  closeHoldings,
  HOLDINGS_OF_ORDER_MAX,
  type OpenHolding,
} from './position.ts'
import { required, singleKeys } from './rows-by-key.ts'

export type TradeResultInput = {
  readonly tradeId: number
  /** Cents, at which the market has executed the order. */
  readonly price: number
  /** Epoch ms of the market. */
  readonly now: number
}

export type TradeResultResult =
  | { readonly kind: 'completed'; readonly brokerId: number }
  /** The market has said it before; nothing is done. */
  | { readonly kind: 'already' }

/** What must be known of a trade to complete it. */
export type TradeFacts = {
  readonly accountId: number
  readonly symbol: string
  readonly quantity: number
  /** Cents. */
  readonly charge: number
  readonly isCash: boolean
  readonly isSell: boolean
  readonly typeName: string
  readonly securityName: string
  readonly brokerId: number
  readonly taxStatus: number
  /** In hundredths of a percent. */
  readonly commissionRate: number
  /** Undefined where there is no position yet. */
  readonly sharesBefore: number | undefined
}

/** A holding of the position, with the rest of its key. */
export type ResultHolding = OpenHolding & { readonly h_dts: number; readonly h_t_id: number }

/** Completes a trade: the position, the tax, the commission, and the money. */
export async function tradeResult(
  transaction: Transaction,
  input: TradeResultInput,
): Promise<TradeResultResult> {
  const { tradeId, price } = input
  const [foundTrade] = await transaction.read(
    get(
      'trade',
      [tradeId],
      ['t_ca_id', 't_tt_id', 't_s_symb', 't_qty', 't_chrg', 't_lifo', 't_is_cash', 't_st_id'],
    ),
  )
  const trade = required(foundTrade, `trade ${tradeId}`)
  if (trade.t_st_id === 'CMPT') {
    await transaction.rollback()
    return { kind: 'already' }
  }
  const position = [trade.t_ca_id, trade.t_s_symb] as const
  const [foundType, summary, foundAccount, holdings, foundSecurity] = await transaction.read(
    get('trade_type', [trade.t_tt_id], ['tt_name', 'tt_is_sell']),
    get('holding_summary', position, ['hs_qty']),
    get('customer_account', [trade.t_ca_id], ['ca_b_id', 'ca_c_id', 'ca_tax_st']),
    scan('holding', position, ['h_dts', 'h_t_id', 'h_price', 'h_qty'], {
      reverse: trade.t_lifo === 1,
      limit: HOLDINGS_OF_ORDER_MAX,
    }),
    get('security', [trade.t_s_symb], ['s_ex_id', 's_name']),
  )
  const type = required(foundType, `type ${trade.t_tt_id}`)
  const account = required(foundAccount, `account ${trade.t_ca_id}`)
  const security = required(foundSecurity, `security ${trade.t_s_symb}`)
  const isSell = type.tt_is_sell === 1
  const closings = closeHoldings(holdings, isSell ? -trade.t_qty : trade.t_qty, price)
  const gain = gainOf(closings, account.ca_tax_st)
  const [customer, taxes] = await transaction.read(
    get('customer', [account.ca_c_id], ['c_tier']),
    scan('customer_taxrate', [account.ca_c_id], ['cx_tx_id'], { limit: gain > 0 ? 2 : 0 }),
  )
  const tier = required(customer, `customer ${account.ca_c_id}`).c_tier
  const [rates, commissions] = await transaction.read(
    getMany('taxrate', singleKeys(taxes.map((tax) => tax.cx_tx_id)), ['tx_rate']),
    scan('commission_rate', [tier, trade.t_tt_id, security.s_ex_id], ['cr_rate'], {
      atMost: trade.t_qty,
      reverse: true,
      limit: 1,
    }),
  )
  const tax = taxOf(
    gain,
    rates.map((rate) => required(rate, 'tax rate').tx_rate),
  )
  const facts = {
    accountId: trade.t_ca_id,
    symbol: trade.t_s_symb,
    quantity: trade.t_qty,
    charge: trade.t_chrg,
    isCash: trade.t_is_cash === 1,
    isSell,
    typeName: type.tt_name,
    securityName: security.s_name,
    brokerId: account.ca_b_id,
    taxStatus: account.ca_tax_st,
    commissionRate: required(commissions[0], 'commission rate').cr_rate,
    sharesBefore: summary?.hs_qty,
  }
  return await completeTrade(transaction, input, facts, { closings, tax })
}

/** What is taxed of it: the gain, if any, where the account is taxed at all. */
function gainOf(
  { buyValue, sellValue }: Pick<Closings<OpenHolding>, 'buyValue' | 'sellValue'>,
  taxStatus: number,
): number {
  return isTaxable(taxStatus) ? Math.max(0, sellValue - buyValue) : 0
}

/** All that a result writes, and the commit. */
async function completeTrade(
  transaction: Transaction,
  input: TradeResultInput,
  facts: TradeFacts,
  change: { readonly closings: Closings<ResultHolding>; readonly tax: number },
): Promise<TradeResultResult> {
  const { tradeId, price, now } = input
  const { accountId, quantity, isSell } = facts
  const { closings, opened } = change.closings
  const commission = commissionOf(facts.commissionRate, quantity, price)
  const position = [accountId, facts.symbol] as const
  changePosition(transaction, position, {
    before: facts.sharesBefore,
    change: isSell ? -quantity : quantity,
  })
  for (const { holding, after } of closings) {
    const key = [...position, holding.h_dts, holding.h_t_id]
    if (after === 0) transaction.delete('holding', key)
    else transaction.update('holding', key, { set: { h_qty: after } })
    writeHistory(transaction, tradeId, { of: holding.h_t_id, before: holding.h_qty, after })
  }
  if (opened !== 0) {
    transaction.insert('holding', {
      h_ca_id: accountId,
      h_s_symb: facts.symbol,
      h_dts: now,
      h_t_id: tradeId,
      h_price: price,
      h_qty: opened,
    })
    writeHistory(transaction, tradeId, { of: tradeId, before: 0, after: opened })
  }
  transaction.update('trade', [tradeId], {
    set: {
      t_dts: now,
      t_st_id: 'CMPT',
      t_trade_price: price,
      t_comm: commission,
      t_tax: change.tax,
    },
  })
  transaction.insert('trade_history', { th_t_id: tradeId, th_st_id: 'CMPT', th_dts: now })
  // Frame 5, the part on which the brokers' customers meet.
  transaction.update('broker', [facts.brokerId], {
    add: { b_num_trades: 1, b_comm_total: commission },
  })
  settle(transaction, input, {
    accountId,
    isCash: facts.isCash,
    amount: settlementAmount({ ...facts, price, commission, tax: change.tax }),
    what: `${facts.typeName} ${quantity} shares of ${facts.securityName}`,
  })
  await transaction.commit()
  return { kind: 'completed', brokerId: facts.brokerId }
}

/**
 * Frame 2. The row of the sum is written by every result for the pair, so that under snapshot
 * isolation two of them always conflict, also where it comes into being or goes.
 */
function changePosition(
  transaction: Transaction,
  key: readonly [number, string],
  { before, change }: { readonly before: number | undefined; readonly change: number },
): void {
  const [hs_ca_id, hs_s_symb] = key
  const after = (before ?? 0) + change
  if (before === undefined) {
    transaction.insert('holding_summary', { hs_ca_id, hs_s_symb, hs_qty: after })
  } else if (after === 0) {
    transaction.delete('holding_summary', key)
  } else {
    transaction.update('holding_summary', key, { set: { hs_qty: after } })
  }
}

function writeHistory(
  transaction: Transaction,
  tradeId: number,
  { of, before, after }: { readonly of: number; readonly before: number; readonly after: number },
): void {
  transaction.insert('holding_history', {
    hh_t_id: tradeId,
    hh_h_t_id: of,
    hh_before_qty: before,
    hh_after_qty: after,
  })
}

/** Frame 6. */
function settle(
  transaction: Transaction,
  { tradeId, now }: TradeResultInput,
  payment: {
    readonly accountId: number
    readonly isCash: boolean
    readonly amount: number
    readonly what: string
  },
): void {
  const { isCash, amount } = payment
  transaction.insert('settlement', {
    se_t_id: tradeId,
    se_cash_type: isCash ? CASH_TYPES.cash : CASH_TYPES.margin,
    se_cash_due_date: settlementDueDate(now),
    se_amt: amount,
  })
  if (!isCash) return
  transaction.update('customer_account', [payment.accountId], { add: { ca_bal: amount } })
  transaction.insert('cash_transaction', {
    ct_t_id: tradeId,
    ct_dts: now,
    ct_amt: amount,
    ct_name: payment.what,
  })
}
