// SPDX-License-Identifier: Apache-2.0
import type { CustomerPositionResult } from '../../transactions/customer-position.ts'
import type { NativeRead } from './native-work.ts'

const CUSTOMER = 'SELECT c_id, c_tier, c_l_name, c_f_name, c_email_2, c_pad FROM customer'

// An account without holdings is worth nothing, and is not left out.
const ACCOUNTS = `
  SELECT ca_id AS accountId, ca_bal AS cash, coalesce(sum(hs_qty * lt_price), 0) AS assets
    FROM customer_account
    LEFT JOIN holding_summary ON hs_ca_id = ca_id
    LEFT JOIN last_trade ON lt_s_symb = hs_s_symb
   WHERE ca_c_id = +?
   GROUP BY ca_id
   ORDER BY ca_id
   LIMIT 10`

const HISTORY = `
  SELECT t_id AS tradeId, t_s_symb, t_qty, th_dts, st_name AS status
    FROM (SELECT * FROM trade WHERE t_ca_id = +? ORDER BY t_dts DESC LIMIT 10) AS newest
    JOIN trade_history ON th_t_id = t_id
    JOIN status_type ON st_id = th_st_id
   ORDER BY t_dts DESC, th_st_id
   LIMIT 30`

export const customerPosition: NativeRead<'Customer-Position'> = (
  statements,
  { customer, historyOf },
) => {
  type Found = { readonly c_id: number; readonly c_tier: number }
  const { c_id, c_tier } =
    'id' in customer
      ? statements.one<Found>(`${CUSTOMER} WHERE c_id = +?`, customer.id)
      : statements.one<Found>(`${CUSTOMER} WHERE c_tax_id = +?`, customer.taxId)
  const accounts = statements.all<CustomerPositionResult['accounts'][number]>(ACCOUNTS, c_id)
  const asked = historyOf === undefined ? undefined : accounts[historyOf % accounts.length]
  const history =
    asked === undefined
      ? []
      : statements.all<CustomerPositionResult['history'][number]>(HISTORY, asked.accountId)
  return {
    tier: c_tier,
    accounts,
    history: history.map(({ tradeId, status }) => ({ tradeId, status })),
  }
}
