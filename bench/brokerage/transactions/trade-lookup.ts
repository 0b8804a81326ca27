// SPDX-License-Identifier: Apache-2.0
import { getMany, scan, scanEach, type Transaction } from '../engine.ts'
import { byKey, distinct, required, singleKeys } from './rows-by-key.ts'

/** Which trades are looked up: by their ids, or the first ones of an account or a security from a time. */
export type TradeLookupInput =
  | { readonly frame: 'trades'; readonly tradeIds: readonly number[] }
  | { readonly frame: 'account'; readonly accountId: number; readonly from: number }
  | { readonly frame: 'security'; readonly symbol: string; readonly from: number }
  | { readonly frame: 'holdings'; readonly accountId: number; readonly from: number }

const TRADES = 20
const HISTORY_ROWS = 3

/**
 * Trades of the past with their settlement, their cash and their history. Answers how many `rows` a frame found, of
 * which the report has the mean: 20 is what it aims at.
 */
export async function tradeLookup(transaction: Transaction, input: TradeLookupInput) {
  if (input.frame === 'holdings') {
    const rows = await holdingsTouched(transaction, input)
    await transaction.commit()
    return { rows: rows.length, amounts: rows }
  }
  const details = await tradeDetails(transaction, await tradesOf(transaction, input))
  await transaction.commit()
  return { rows: details.length, amounts: details.map((detail) => detail.cash?.ct_amt ?? 0) }
}

/** The columns of a trade that lookups and updates answer. */
const TRADE_COLUMNS = [
  't_id',
  't_bid_price',
  't_exec_name',
  't_is_cash',
  't_trade_price',
  't_qty',
  't_dts',
  't_s_symb',
  't_tt_id',
] as const

/** Frames 1 to 3: the trades themselves. */
export async function tradesOf(
  transaction: Transaction,
  input: Exclude<TradeLookupInput, { readonly frame: 'holdings' }>,
) {
  if (input.frame === 'trades') {
    const { tradeIds } = input
    const [trades] = await transaction.read(getMany('trade', singleKeys(tradeIds), TRADE_COLUMNS))
    return trades.map((trade, position) => required(trade, `trade ${tradeIds[position]}`))
  }
  const options = { atLeast: input.from, limit: TRADES }
  const [trades] = await transaction.read(
    input.frame === 'account'
      ? scan('trade', [input.accountId], TRADE_COLUMNS, { index: 'trade_account', ...options })
      : scan('trade', [input.symbol], TRADE_COLUMNS, { index: 'trade_security', ...options }),
  )
  return trades
}

type Trades = Awaited<ReturnType<typeof tradesOf>>

/** What belongs to each of these trades in other tables. */
export async function tradeDetails(transaction: Transaction, trades: Trades) {
  const ids = trades.map((trade) => trade.t_id)
  const cashIds = trades.filter((trade) => trade.t_is_cash === 1).map((trade) => trade.t_id)
  const typeIds = distinct(trades.map((trade) => trade.t_tt_id))
  const [settlements, cash, histories, types] = await transaction.read(
    getMany('settlement', singleKeys(ids), ['se_amt', 'se_cash_due_date', 'se_cash_type']),
    getMany('cash_transaction', singleKeys(cashIds), ['ct_amt', 'ct_dts', 'ct_name']),
    scanEach('trade_history', ids, ['th_st_id', 'th_dts']),
    getMany('trade_type', singleKeys(typeIds), ['tt_name', 'tt_is_mrkt']),
  )
  const cashOf = byKey(cashIds, cash)
  const typeOf = byKey(typeIds, types)
  return trades.map((trade, position) => ({
    trade,
    type: required(typeOf.get(trade.t_tt_id), `type ${trade.t_tt_id}`),
    settlement: settlements[position],
    cash: cashOf.get(trade.t_id),
    history: (histories[position] ?? []).slice(0, HISTORY_ROWS),
  }))
}

/** Frame 4: what became of every holding that the account's first trade from a time touched. */
async function holdingsTouched(
  transaction: Transaction,
  { accountId, from }: { readonly accountId: number; readonly from: number },
): Promise<number[]> {
  const [[trade]] = await transaction.read(
    scan('trade', [accountId], ['t_id'], { index: 'trade_account', atLeast: from, limit: 1 }),
  )
  if (trade === undefined) return []
  const [touched] = await transaction.read(scan('holding_history', [trade.t_id], ['hh_h_t_id']))
  const [histories] = await transaction.read(
    scanEach(
      'holding_history',
      distinct(touched.map((row) => row.hh_h_t_id)),
      ['hh_h_t_id', 'hh_t_id', 'hh_before_qty', 'hh_after_qty'],
      { index: 'holding_history_holding' },
    ),
  )
  return histories
    .flat()
    .slice(0, TRADES)
    .map((row) => row.hh_after_qty)
}
