// SPDX-License-Identifier: Apache-2.0
import { required } from '../../transactions/rows-by-key.ts'
import type { TradeLookupInput, TradeLookupResult } from '../../transactions/trade-lookup.ts'
import { NativeReads, type NativeWork, refusalOf } from './native-scripts.ts'

type Holdings = Extract<TradeLookupInput, { readonly frame: 'holdings' }>

/** The columns of a trade and of what belongs to it in other tables, but for its history. */
const DETAILS = `
  t.t_id, t.t_bid_price, t.t_exec_name, t.t_is_cash, t.t_trade_price, t.t_qty, t.t_dts, t.t_s_symb,
  y.tt_name, y.tt_is_mrkt, s.se_amt, s.se_cash_due_date, s.se_cash_type, c.ct_amt, c.ct_dts, c.ct_name`

const LOOKUPS = `
  LOOKUP trade_type AS y BY y.tt_id = t.t_tt_id
  LOOKUP settlement AS s BY s.se_t_id = t.t_id OPTIONAL
  LOOKUP cash_transaction AS c BY c.ct_t_id = t.t_id OPTIONAL`

export const TRADES_BY_ID = `
  GET ${DETAILS} FROM trade AS t ${LOOKUPS} WHERE t.t_id IN :trades`

const OF_ACCOUNT = `
  SCAN ${DETAILS} FROM trade AS t USE INDEX trade_account ${LOOKUPS}
  WHERE t.t_ca_id = :account AND t.t_dts >= :from
  LIMIT 20`

const OF_SECURITY = `
  SCAN ${DETAILS} FROM trade AS t USE INDEX trade_security ${LOOKUPS}
  WHERE t.t_s_symb = :symbol AND t.t_dts >= :from
  LIMIT 20`

/** Three steps of each at most. */
export const HISTORIES =
  'SCAN th_t_id, th_st_id, th_dts FROM trade_history WHERE th_t_id IN :trades'

const FIRST_TRADE = `
  SCAN t_id FROM trade USE INDEX trade_account
  WHERE t_ca_id = :account AND t_dts >= :from
  LIMIT 1
  INTO :trade`

const TOUCHED = 'SCAN hh_h_t_id FROM holding_history WHERE hh_t_id = :trade'

const CHANGES = `
  SCAN hh_h_t_id, hh_t_id, hh_before_qty, hh_after_qty
  FROM holding_history USE INDEX holding_history_holding
  WHERE hh_h_t_id IN :holdings
  LIMIT 20`

export type TradeDetail = {
  readonly t_id: number
  readonly se_cash_type: string | null
  readonly ct_amt: number | null
  readonly ct_name: string | null
}

export type DetailRows = { readonly trades: readonly TradeDetail[] }

export const tradeLookup: NativeWork<'Trade-Lookup'> = async (requests, input) => {
  const reads = new NativeReads(requests)
  if (input.frame === 'holdings') return resultOf(await holdingsTouched(reads, input))
  if (input.frame === 'trades') {
    const script = { trades: TRADES_BY_ID, histories: HISTORIES }
    const { trades } = await reads.run<DetailRows>(script, { trades: input.tradeIds })
    const detailOf = new Map(trades.map((trade) => [trade.t_id, trade]))
    return resultOf(
      input.tradeIds.map((id) => required(detailOf.get(id), `trade ${id}`).ct_amt ?? 0),
    )
  }
  const { statement, params } = tradesFrom(input)
  const { trades } = await reads.run<DetailRows>({ trades: statement }, params)
  const ids = trades.map((trade) => trade.t_id)
  await reads.run({ histories: HISTORIES }, { trades: ids })
  return resultOf(trades.map((trade) => trade.ct_amt ?? 0))
}

/** The first twenty trades of an account or a security from a time. */
export function tradesFrom(
  input: Extract<TradeLookupInput, { readonly frame: 'account' | 'security' }>,
) {
  return input.frame === 'account'
    ? { statement: OF_ACCOUNT, params: { account: input.accountId, from: input.from } }
    : { statement: OF_SECURITY, params: { symbol: input.symbol, from: input.from } }
}

async function holdingsTouched(
  reads: NativeReads,
  { accountId, from }: Holdings,
): Promise<readonly number[]> {
  type Touched = {
    readonly touched: readonly { readonly hh_h_t_id: number }[]
  }
  type Changes = { readonly changes: readonly { readonly hh_after_qty: number }[] }
  try {
    const script = { trade: FIRST_TRADE, touched: TOUCHED }
    const { touched } = await reads.run<Touched>(script, { account: accountId, from })
    const holdings = [...new Set(touched.map((row) => row.hh_h_t_id))]
    const { changes } = await reads.run<Changes>({ changes: CHANGES }, { holdings })
    return changes.map((row) => row.hh_after_qty)
  } catch (error) {
    // There is no trade from that time on.
    if (refusalOf(error)?.code === 'row_not_found') return []
    throw error
  }
}

function resultOf(amounts: readonly number[]): TradeLookupResult {
  return { rows: amounts.length, amounts }
}
