// SPDX-License-Identifier: Apache-2.0
import type { CustomerPositionResult } from '../../transactions/customer-position.ts'
import { required } from '../../transactions/rows-by-key.ts'
import { NativeReads, type NativeWork } from './native-scripts.ts'

const HISTORY_ROWS = 30

const customer = (condition: string) => `
  GET c_id, c_tier, c_l_name, c_f_name, c_email_2, c_pad FROM customer
  WHERE ${condition}
  INTO :customer, :tier, :lastName, :firstName, :email, :pad`

const ACCOUNTS = `
  SCAN ca_id AS accountId, ca_bal AS cash
  FROM customer_account USE INDEX customer_account_customer
  WHERE ca_c_id = :customer
  LIMIT 10`

// The ids of a customer's accounts follow each other; an account of somebody else between them is left out.
const ACCOUNT_IDS = `
  SCAN MIN(ca_id), MAX(ca_id)
  FROM customer_account USE INDEX customer_account_customer
  WHERE ca_c_id = :customer
  INTO :firstAccount, :lastAccount`

const ASSETS = `
  SCAN h.hs_ca_id AS accountId, SUM(h.hs_qty * l.lt_price) AS assets
  FROM holding_summary AS h
  LOOKUP customer_account AS a BY a.ca_id = h.hs_ca_id
  LOOKUP last_trade AS l BY l.lt_s_symb = h.hs_s_symb
  WHERE h.hs_ca_id BETWEEN :firstAccount AND :lastAccount AND a.ca_c_id = :customer
  GROUP BY h.hs_ca_id`

const TRADES = `
  SCAN t_id, t_s_symb, t_qty FROM trade USE INDEX trade_account
  WHERE t_ca_id = :account
  ORDER BY t_dts DESC
  LIMIT 10`

const HISTORY = `
  SCAN h.th_t_id AS tradeId, h.th_dts, s.st_name AS status
  FROM trade_history AS h
  LOOKUP status_type AS s BY s.st_id = h.th_st_id
  WHERE h.th_t_id IN :trades`

type Rows = {
  readonly customer: readonly { readonly c_id: number; readonly c_tier: number }[]
  readonly accounts: readonly { readonly accountId: number; readonly cash: number }[]
  readonly assets: readonly { readonly accountId: number; readonly assets: number }[]
}

export const customerPosition: NativeWork<'Customer-Position'> = async (requests, input) => {
  const reads = new NativeReads(requests)
  const [condition, params] =
    'id' in input.customer
      ? ['c_id = :id', { id: input.customer.id }]
      : ['c_tax_id = :taxId', { taxId: input.customer.taxId }]
  const found = await reads.run<Rows>(
    {
      customer: customer(condition),
      accounts: ACCOUNTS,
      accountIds: ACCOUNT_IDS,
      assets: ASSETS,
    },
    params,
  )
  const assetsOf = new Map(found.assets.map((one) => [one.accountId, one.assets]))
  const asked =
    input.historyOf === undefined
      ? undefined
      : found.accounts[input.historyOf % found.accounts.length]
  return {
    tier: required(found.customer[0], 'customer').c_tier,
    // An account without holdings is worth nothing, and is not left out.
    accounts: found.accounts.map((account) => ({
      ...account,
      assets: assetsOf.get(account.accountId) ?? 0,
    })),
    history: asked === undefined ? [] : await historyOf(reads, asked.accountId),
  }
}

/** Of the newest trades of an account. */
async function historyOf(
  reads: NativeReads,
  account: number,
): Promise<CustomerPositionResult['history']> {
  type Trades = { readonly trades: readonly { readonly t_id: number }[] }
  const { trades } = await reads.run<Trades>({ trades: TRADES }, { account })
  const ids = trades.map((trade) => trade.t_id)
  type History = { readonly history: CustomerPositionResult['history'] }
  const { history } = await reads.run<History>({ history: HISTORY }, { trades: ids })
  return ids
    .flatMap((id) => history.filter((row) => row.tradeId === id))
    .slice(0, HISTORY_ROWS)
    .map(({ tradeId, status }) => ({ tradeId, status }))
}
