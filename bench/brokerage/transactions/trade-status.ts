// SPDX-License-Identifier: Apache-2.0
import { get, getMany, scan, type Transaction } from '../engine.ts'
import { byKey, distinct, required, singleKeys } from './rows-by-key.ts'

const TRADES = 50

/** The newest trades of an account, with everything that is only a code in them spelled out. */
export async function tradeStatus(
  transaction: Transaction,
  { accountId }: { readonly accountId: number },
) {
  const [foundAccount, trades] = await transaction.read(
    get('customer_account', [accountId], ['ca_c_id', 'ca_b_id']),
    scan(
      'trade',
      [accountId],
      ['t_id', 't_dts', 't_st_id', 't_tt_id', 't_s_symb', 't_qty', 't_exec_name', 't_chrg'],
      { index: 'trade_account', reverse: true, limit: TRADES },
    ),
  )
  const account = required(foundAccount, `account ${accountId}`)
  const statusIds = distinct(trades.map((trade) => trade.t_st_id))
  const typeIds = distinct(trades.map((trade) => trade.t_tt_id))
  const symbols = distinct(trades.map((trade) => trade.t_s_symb))
  const [customer, broker, statuses, types, securities] = await transaction.read(
    get('customer', [account.ca_c_id], ['c_l_name', 'c_f_name']),
    get('broker', [account.ca_b_id], ['b_name']),
    getMany('status_type', singleKeys(statusIds), ['st_name']),
    getMany('trade_type', singleKeys(typeIds), ['tt_name']),
    getMany('security', singleKeys(symbols), ['s_name', 's_ex_id']),
  )
  const exchangeIds = distinct(securities.flatMap((security) => security?.s_ex_id ?? []))
  const [exchanges] = await transaction.read(
    getMany('exchange', singleKeys(exchangeIds), ['ex_name']),
  )
  await transaction.commit()

  const statusOf = byKey(statusIds, statuses)
  const typeOf = byKey(typeIds, types)
  const securityOf = byKey(symbols, securities)
  const exchangeOf = byKey(exchangeIds, exchanges)
  const owner = required(customer, `customer ${account.ca_c_id}`)
  return {
    broker: required(broker, `broker ${account.ca_b_id}`).b_name,
    customer: `${owner.c_f_name} ${owner.c_l_name}`,
    trades: trades.map((trade) => {
      const security = required(securityOf.get(trade.t_s_symb), `security ${trade.t_s_symb}`)
      return {
        tradeId: trade.t_id,
        status: required(statusOf.get(trade.t_st_id), `status ${trade.t_st_id}`).st_name,
        type: required(typeOf.get(trade.t_tt_id), `type ${trade.t_tt_id}`).tt_name,
        security: security.s_name,
        exchange: required(exchangeOf.get(security.s_ex_id), `exchange ${security.s_ex_id}`)
          .ex_name,
      }
    }),
  }
}
