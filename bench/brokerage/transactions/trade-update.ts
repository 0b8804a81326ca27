// SPDX-License-Identifier: Apache-2.0
import type { Transaction } from '../engine.ts'
import { type TradeLookupInput, tradeDetails, tradesOf } from './trade-lookup.ts'

/** Looks up trades as Trade-Lookup does, and changes a text of each, forth and back. */
export async function tradeUpdate(
  transaction: Transaction,
  input: Exclude<TradeLookupInput, { readonly frame: 'holdings' }>,
) {
  const details = await tradeDetails(transaction, await tradesOf(transaction, input))
  let updated = 0
  for (const { trade, settlement, cash } of details) {
    if (input.frame === 'trades') {
      const set = { t_exec_name: toggled(trade.t_exec_name, ' ', ' X ') }
      transaction.update('trade', [trade.t_id], { set })
    } else if (input.frame === 'account') {
      if (settlement === undefined) continue
      const set = { se_cash_type: toggled(settlement.se_cash_type, '', ' Account') }
      transaction.update('settlement', [trade.t_id], { set })
    } else {
      if (cash === undefined) continue
      const set = { ct_name: toggled(cash.ct_name, ' shares of ', ' Shares of ') }
      transaction.update('cash_transaction', [trade.t_id], { set })
    }
    updated += 1
  }
  await transaction.commit()
  return { rows: details.length, updated }
}

/** The text with `longer` in the place of `shorter`, or the other way round; at its end when that is empty. */
function toggled(text: string, shorter: string, longer: string): string {
  if (text.includes(longer)) return text.replace(longer, shorter)
  return shorter === '' ? text + longer : text.replace(shorter, longer)
}
