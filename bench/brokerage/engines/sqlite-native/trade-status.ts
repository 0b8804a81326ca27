// SPDX-License-Identifier: Apache-2.0
import type { TradeStatusResult } from '../../transactions/trade-status.ts'
import type { NativeRead } from './native-work.ts'

const OWNER = `
  SELECT b_name AS broker, c_f_name || ' ' || c_l_name AS customer
    FROM customer_account
    JOIN customer ON c_id = ca_c_id
    JOIN broker ON b_id = ca_b_id
   WHERE ca_id = +?`

const TRADES = `
  SELECT t_id AS tradeId, t_dts, t_qty, t_exec_name, t_chrg,
         st_name AS status, tt_name AS type, s_name AS security, ex_name AS exchange
    FROM (SELECT * FROM trade WHERE t_ca_id = +? ORDER BY t_dts DESC LIMIT 50) AS newest
    JOIN status_type ON st_id = t_st_id
    JOIN trade_type ON tt_id = t_tt_id
    JOIN security ON s_symb = t_s_symb
    JOIN exchange ON ex_id = s_ex_id
   ORDER BY t_dts DESC`

export const tradeStatus: NativeRead<'Trade-Status'> = (statements, { accountId }) => {
  const owner = statements.one<Omit<TradeStatusResult, 'trades'>>(OWNER, accountId)
  const trades = statements.all<TradeStatusResult['trades'][number]>(TRADES, accountId)
  return {
    ...owner,
    trades: trades.map(({ tradeId, status, type, security, exchange }) => {
      return { tradeId, status, type, security, exchange }
    }),
  }
}
