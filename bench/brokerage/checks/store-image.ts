// SPDX-License-Identifier: Apache-2.0
import type { Engine } from '../engine.ts'
import type { ColumnOf, RowOf, TableName } from '../schema/schema.ts'

/** Walks a whole table, or an index of it; nothing else may be running. */
export type Walker = Pick<Engine, 'walk'>

export type TradeImage = Pick<
  RowOf<'trade'>,
  't_st_id' | 't_tt_id' | 't_ca_id' | 't_is_cash' | 't_comm'
>
export type HoldingImage = Pick<RowOf<'holding'>, 'h_ca_id' | 'h_s_symb' | 'h_t_id' | 'h_qty'>
export type AccountImage = Pick<RowOf<'customer_account'>, 'ca_b_id' | 'ca_bal'>
export type BrokerImage = Pick<RowOf<'broker'>, 'b_num_trades' | 'b_comm_total'>

/** What the checks need of a store, read once. By trade id where nothing else is said. */
export type StoreImage = {
  readonly trades: ReadonlyMap<number, TradeImage>
  /** The statuses that a trade has had, in alphabetical order: `CMPT SBMT`. */
  readonly statuses: ReadonlyMap<number, string>
  readonly settlements: ReadonlyMap<number, number>
  readonly payments: ReadonlyMap<number, number>
  readonly requests: ReadonlySet<number>
  readonly holdings: readonly HoldingImage[]
  /** By the trade that opened the holding. */
  readonly histories: ReadonlyMap<number, readonly RowOf<'holding_history'>[]>
  /** By account and symbol, as `pairOf` writes them. */
  readonly summaries: ReadonlyMap<string, number>
  readonly accounts: ReadonlyMap<number, AccountImage>
  readonly brokers: ReadonlyMap<number, BrokerImage>
  /** By symbol. */
  readonly volumes: ReadonlyMap<string, number>
}

export function pairOf(accountId: number, symbol: string): string {
  return `${accountId} ${symbol}`
}

export async function readStoreImage(store: Walker): Promise<StoreImage> {
  const all = <T extends TableName, C extends ColumnOf<T>>(table: T, columns: readonly C[]) =>
    collect(store.walk(table, columns))
  const history = await all('trade_history', ['th_t_id', 'th_st_id'])
  const changes = await all('holding_history', [
    ...(['hh_t_id', 'hh_h_t_id', 'hh_before_qty', 'hh_after_qty'] as const),
  ])
  const trades = await all('trade', [
    ...(['t_id', 't_st_id', 't_tt_id', 't_ca_id', 't_is_cash', 't_comm'] as const),
  ])
  const settlements = await all('settlement', ['se_t_id', 'se_amt'])
  const payments = await all('cash_transaction', ['ct_t_id', 'ct_amt'])
  const requests = await all('trade_request', ['tr_t_id'])
  const summaries = await all('holding_summary', ['hs_ca_id', 'hs_s_symb', 'hs_qty'])
  const accounts = await all('customer_account', ['ca_id', 'ca_b_id', 'ca_bal'])
  const brokers = await all('broker', ['b_id', 'b_num_trades', 'b_comm_total'])
  const volumes = await all('last_trade', ['lt_s_symb', 'lt_vol'])
  return {
    trades: new Map(trades.map((row) => [row.t_id, row])),
    statuses: statusesOf(history),
    settlements: new Map(settlements.map((row) => [row.se_t_id, row.se_amt])),
    payments: new Map(payments.map((row) => [row.ct_t_id, row.ct_amt])),
    requests: new Set(requests.map((row) => row.tr_t_id)),
    holdings: await all('holding', ['h_ca_id', 'h_s_symb', 'h_t_id', 'h_qty']),
    histories: Map.groupBy(changes, (row) => row.hh_h_t_id),
    summaries: new Map(summaries.map((row) => [pairOf(row.hs_ca_id, row.hs_s_symb), row.hs_qty])),
    accounts: new Map(accounts.map((row) => [row.ca_id, row])),
    brokers: new Map(brokers.map((row) => [row.b_id, row])),
    volumes: new Map(volumes.map((row) => [row.lt_s_symb, row.lt_vol])),
  }
}

async function collect<Row>(batches: AsyncIterable<readonly Row[]>): Promise<Row[]> {
  const rows: Row[] = []
  for await (const batch of batches) for (const row of batch) rows.push(row)
  return rows
}

function statusesOf(
  history: readonly Pick<RowOf<'trade_history'>, 'th_t_id' | 'th_st_id'>[],
): Map<number, string> {
  const byTrade = Map.groupBy(history, (row) => row.th_t_id)
  const textOf = (rows: typeof history) =>
    rows
      .map((row) => row.th_st_id)
      .sort()
      .join(' ')
  return new Map([...byTrade].map(([tradeId, rows]) => [tradeId, textOf(rows)]))
}
