// SPDX-License-Identifier: Apache-2.0
import type { ToggledTrade, TradeUpdateInput } from '../../transactions/trade-update.ts'
import type { SqliteStatements } from '../sqlite-statements.ts'
import type { NativeRead } from './native-work.ts'

const details = (trades: string) => `
  SELECT t_id, t_bid_price, t_exec_name, t_is_cash, t_trade_price, t_qty, t_dts, t_s_symb,
         tt_name, tt_is_mrkt, se_amt, se_cash_due_date, se_cash_type, ct_amt, ct_dts, ct_name,
         -- Three steps at most; each with its time.
         (SELECT json_group_array(th_st_id || ' ' || th_dts)
            FROM (SELECT th_st_id, th_dts FROM trade_history WHERE th_t_id = t_id
                   ORDER BY th_st_id LIMIT 3)) AS steps
    FROM (${trades})
    JOIN trade_type ON tt_id = t_tt_id
    LEFT JOIN settlement ON se_t_id = t_id
    LEFT JOIN cash_transaction ON ct_t_id = t_id AND t_is_cash = 1
   ORDER BY place`

const BY_ID = `
  SELECT trade.*, asked.key AS place
    FROM json_each(+?) AS asked
    JOIN trade ON t_id = asked.value`

const ofColumn = (column: 't_ca_id' | 't_s_symb') => `
  SELECT *, t_dts AS place FROM trade WHERE ${column} = +? AND t_dts >= +? ORDER BY t_dts LIMIT 20`

const TOUCHED = `
  SELECT changed.hh_h_t_id, changed.hh_t_id, changed.hh_before_qty, changed.hh_after_qty
    FROM holding_history AS touched
    JOIN holding_history AS changed ON changed.hh_h_t_id = touched.hh_h_t_id
   WHERE touched.hh_t_id = (
           SELECT t_id FROM trade WHERE t_ca_id = +? AND t_dts >= +? ORDER BY t_dts LIMIT 1)
   ORDER BY changed.hh_h_t_id, changed.hh_t_id
   LIMIT 20`

type Detail = {
  readonly t_id: number
  readonly t_exec_name: string
  readonly se_cash_type: string | null
  readonly ct_amt: number | null
  readonly ct_name: string | null
}

export const tradeLookup: NativeRead<'Trade-Lookup'> = (statements, input) => {
  const amounts =
    input.frame === 'holdings'
      ? statements
          .all<{ readonly hh_after_qty: number }>(TOUCHED, input.accountId, input.from)
          .map((row) => row.hh_after_qty)
      : readDetails(statements, input).map((row) => row.ct_amt ?? 0)
  return { rows: amounts.length, amounts }
}

/** What an update changes of the trades that it looks up. */
export function readTradesToToggle(
  statements: SqliteStatements,
  input: TradeUpdateInput,
): readonly ToggledTrade[] {
  return readDetails(statements, input).map((row) => ({
    trade: row,
    settlement: row.se_cash_type === null ? undefined : { se_cash_type: row.se_cash_type },
    cash: row.ct_name === null ? undefined : { ct_name: row.ct_name },
  }))
}

function readDetails(statements: SqliteStatements, input: TradeUpdateInput): readonly Detail[] {
  switch (input.frame) {
    case 'trades':
      return statements.all<Detail>(details(BY_ID), JSON.stringify(input.tradeIds))
    case 'account':
      return statements.all<Detail>(details(ofColumn('t_ca_id')), input.accountId, input.from)
    case 'security':
      return statements.all<Detail>(details(ofColumn('t_s_symb')), input.symbol, input.from)
  }
}
