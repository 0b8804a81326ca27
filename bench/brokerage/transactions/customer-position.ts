// SPDX-License-Identifier: Apache-2.0
import { get, getMany, scan, scanEach, type Transaction } from '../engine.ts'
import { byKey, distinct, required, singleKeys, worthOf } from './rows-by-key.ts'

type CustomerPositionInput = {
  readonly customer: { readonly id: number } | { readonly taxId: string }
  /** Which of the accounts is asked for its history, by its place among them; none when absent. */
  readonly historyOf?: number
}

const ACCOUNTS = 10
const HISTORY_TRADES = 10
const HISTORY_ROWS = 30

/** What a customer's accounts are worth, and in half of the calls the last trades of one of them. */
export async function customerPosition(transaction: Transaction, input: CustomerPositionInput) {
  const customerId = await findCustomer(transaction, input)
  const [customer, accounts] = await transaction.read(
    get('customer', [customerId], ['c_tier', 'c_l_name', 'c_f_name', 'c_email_2', 'c_pad']),
    scan('customer_account', [customerId], ['ca_id', 'ca_bal'], {
      index: 'customer_account_customer',
      limit: ACCOUNTS,
    }),
  )
  const accountIds = accounts.map((account) => account.ca_id)
  const asked =
    input.historyOf === undefined ? [] : [accountIds[input.historyOf % accountIds.length]]
  const [holdings, ...lastTrades] = await transaction.read(
    scanEach('holding_summary', accountIds, ['hs_ca_id', 'hs_s_symb', 'hs_qty']),
    ...asked.map((accountId = 0) =>
      scan('trade', [accountId], ['t_id', 't_s_symb', 't_qty'], {
        index: 'trade_account',
        reverse: true,
        limit: HISTORY_TRADES,
      }),
    ),
  )
  const symbols = distinct(holdings.flat().map((holding) => holding.hs_s_symb))
  const tradeIds = lastTrades.flat().map((trade) => trade.t_id)
  const [prices, histories] = await transaction.read(
    getMany('last_trade', singleKeys(symbols), ['lt_price']),
    scanEach('trade_history', tradeIds, ['th_t_id', 'th_st_id', 'th_dts']),
  )
  const rows = histories.flat().slice(0, HISTORY_ROWS)
  const statusIds = distinct(rows.map((row) => row.th_st_id))
  const [statuses] = await transaction.read(
    getMany('status_type', singleKeys(statusIds), ['st_name']),
  )
  await transaction.commit()

  const priceOf = byKey(symbols, prices)
  const statusOf = byKey(statusIds, statuses)
  return {
    tier: required(customer, `customer ${customerId}`).c_tier,
    accounts: accounts.map(({ ca_id, ca_bal }, position) => ({
      accountId: ca_id,
      cash: ca_bal,
      // An account without holdings is worth nothing, and is not left out.
      assets: worthOf(holdings[position] ?? [], priceOf),
    })),
    history: rows.map((row) => ({
      tradeId: row.th_t_id,
      status: required(statusOf.get(row.th_st_id), `status ${row.th_st_id}`).st_name,
    })),
  }
}

async function findCustomer(
  transaction: Transaction,
  { customer }: CustomerPositionInput,
): Promise<number> {
  if ('id' in customer) return customer.id
  const [[found]] = await transaction.read(
    scan('customer', [customer.taxId], ['c_id'], { index: 'customer_tax_id', limit: 1 }),
  )
  return required(found, `customer with tax id ${customer.taxId}`).c_id
}
