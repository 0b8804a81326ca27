// SPDX-License-Identifier: Apache-2.0
import { required } from '../../transactions/rows-by-key.ts'
import type { TradeStatusResult } from '../../transactions/trade-status.ts'
import { NativeReads, type NativeWork } from './native-scripts.ts'

const OWNER = `
  GET b.b_name AS broker, c.c_f_name || ' ' || c.c_l_name AS customer
  FROM customer_account AS a
  LOOKUP customer AS c BY c.c_id = a.ca_c_id
  LOOKUP broker AS b BY b.b_id = a.ca_b_id
  WHERE a.ca_id = :account`

const TRADES = `
  SCAN t.t_id AS tradeId, t.t_dts, t.t_qty, t.t_exec_name, t.t_chrg,
       st.st_name AS status, tt.tt_name AS type, s.s_name AS security, e.ex_name AS exchange
  FROM trade AS t USE INDEX trade_account
  LOOKUP status_type AS st BY st.st_id = t.t_st_id
  LOOKUP trade_type AS tt BY tt.tt_id = t.t_tt_id
  LOOKUP security AS s BY s.s_symb = t.t_s_symb
  LOOKUP exchange AS e BY e.ex_id = s.s_ex_id
  WHERE t.t_ca_id = :account
  ORDER BY t.t_dts DESC
  LIMIT 50`

type Rows = {
  readonly owner: readonly Omit<TradeStatusResult, 'trades'>[]
  readonly trades: TradeStatusResult['trades']
}

export const tradeStatus: NativeWork<'Trade-Status'> = async (requests, { accountId }) => {
  const script = { owner: OWNER, trades: TRADES }
  const { owner, trades } = await new NativeReads(requests).run<Rows>(script, {
    account: accountId,
  })
  return {
    ...required(owner[0], `account ${accountId}`),
    trades: trades.map(({ tradeId, status, type, security, exchange }) => {
      return { tradeId, status, type, security, exchange }
    }),
  }
}
