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
import { closeHoldings, HOLDINGS_OF_ORDER_MAX } from './position.ts'
import { commissionRateOf, required, singleKeys } from './rows-by-key.ts'

type TradeResultInput = {
  readonly tradeId: number
  /** Cents, at which the market has executed the order. */
  readonly price: number
  /** Epoch ms of the market. */
  readonly now: number
}

/** Completes a trade: the position, the tax, the commission, and the money. */
export async function tradeResult(transaction: Transaction, input: TradeResultInput) {
  const facts = await factsOf(transaction, input)
  if (facts === undefined) {
    await transaction.rollback()
    return { kind: 'already' } as const
  }
  changePosition(transaction, input, facts)
  completeTrade(transaction, input, facts)
  await transaction.commit()
  return { kind: 'completed', brokerId: facts.account.ca_b_id } as const
}

type TradeFacts = NonNullable<Awaited<ReturnType<typeof factsOf>>>

/** What must be known of a trade to complete it; undefined when the market has said it before. */
async function factsOf(transaction: Transaction, { tradeId, price }: TradeResultInput) {
  const [foundTrade] = await transaction.read(
    get(
      'trade',
      [tradeId],
      ['t_ca_id', 't_tt_id', 't_s_symb', 't_qty', 't_chrg', 't_lifo', 't_is_cash', 't_st_id'],
    ),
  )
  const trade = required(foundTrade, `trade ${tradeId}`)
  if (trade.t_st_id === 'CMPT') return undefined
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
  const change = type.tt_is_sell === 1 ? -trade.t_qty : trade.t_qty
  const closings = closeHoldings(holdings, change, price)
  const gain = Math.max(0, closings.sellValue - closings.buyValue)
  const taxed = isTaxable(account.ca_tax_st) ? gain : 0
  const [customer, taxes] = await transaction.read(
    get('customer', [account.ca_c_id], ['c_tier']),
    scan('customer_taxrate', [account.ca_c_id], ['cx_tx_id'], { limit: taxed > 0 ? 2 : 0 }),
  )
  const tier = required(customer, `customer ${account.ca_c_id}`).c_tier
  const [taxRates, commissions] = await transaction.read(
    getMany('taxrate', singleKeys(taxes.map((tax) => tax.cx_tx_id)), ['tx_rate']),
    commissionRateOf([tier, trade.t_tt_id, security.s_ex_id], trade.t_qty),
  )
  const rates = taxRates.map((rate) => required(rate, 'tax rate').tx_rate)
  const rate = required(commissions[0], 'commission rate').cr_rate
  return {
    ...{ trade, type, account, security, summary, change, closings },
    tax: taxOf(taxed, rates),
    commission: commissionOf(rate, trade.t_qty, price),
  }
}

/**
 * Frame 2. The row of the sum is written by every result for the pair, so that under snapshot
 * isolation two of them always conflict, also where it comes into being or goes.
 */
function changePosition(
  transaction: Transaction,
  { tradeId, price, now }: TradeResultInput,
  { trade, summary, change, closings: { closings, opened } }: TradeFacts,
): void {
  const { t_ca_id: account, t_s_symb: symbol } = trade
  const position = [account, symbol] as const
  const sum = (summary?.hs_qty ?? 0) + change
  if (summary === undefined) {
    transaction.insert('holding_summary', { hs_ca_id: account, hs_s_symb: symbol, hs_qty: sum })
  } else if (sum === 0) {
    transaction.delete('holding_summary', position)
  } else {
    transaction.update('holding_summary', position, { set: { hs_qty: sum } })
  }
  const changed = (holding: number, before: number, after: number) =>
    transaction.insert('holding_history', {
      ...{ hh_t_id: tradeId, hh_h_t_id: holding, hh_before_qty: before, hh_after_qty: after },
    })
  for (const { holding, after } of closings) {
    const key = [...position, holding.h_dts, holding.h_t_id]
    if (after === 0) transaction.delete('holding', key)
    else transaction.update('holding', key, { set: { h_qty: after } })
    changed(holding.h_t_id, holding.h_qty, after)
  }
  if (opened === 0) return
  transaction.insert('holding', {
    ...{ h_ca_id: account, h_s_symb: symbol, h_dts: now, h_t_id: tradeId },
    ...{ h_price: price, h_qty: opened },
  })
  changed(tradeId, 0, opened)
}

/** The trade itself, its broker (frame 5, on which the brokers' customers meet) and the money (frame 6). */
function completeTrade(
  transaction: Transaction,
  { tradeId, price, now }: TradeResultInput,
  { trade, type, account, security, tax, commission }: TradeFacts,
): void {
  const set = { t_dts: now, t_st_id: 'CMPT', t_trade_price: price, t_comm: commission, t_tax: tax }
  transaction.update('trade', [tradeId], { set })
  transaction.insert('trade_history', { th_t_id: tradeId, th_st_id: 'CMPT', th_dts: now })
  const add = { b_num_trades: 1, b_comm_total: commission }
  transaction.update('broker', [account.ca_b_id], { add })
  const isCash = trade.t_is_cash === 1
  const amount = settlementAmount({
    ...{ isSell: type.tt_is_sell === 1, quantity: trade.t_qty, price },
    ...{ charge: trade.t_chrg, commission, tax, taxStatus: account.ca_tax_st },
  })
  transaction.insert('settlement', {
    se_t_id: tradeId,
    se_cash_type: isCash ? CASH_TYPES.cash : CASH_TYPES.margin,
    se_cash_due_date: settlementDueDate(now),
    se_amt: amount,
  })
  if (!isCash) return
  transaction.update('customer_account', [trade.t_ca_id], { add: { ca_bal: amount } })
  transaction.insert('cash_transaction', {
    ...{ ct_t_id: tradeId, ct_dts: now, ct_amt: amount },
    ct_name: `${type.tt_name} ${trade.t_qty} shares of ${security.s_name}`,
  })
}
