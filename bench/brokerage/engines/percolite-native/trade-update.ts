// SPDX-License-Identifier: Apache-2.0
import type { TradeUpdateInput } from '../../transactions/trade-update.ts'
import { beginWith, commitWith, type NativeWork, runAtOnce } from './native-scripts.ts'
import { type DetailRows, HISTORIES, TRADES_BY_ID, tradesFrom } from './trade-lookup.ts'

/** A text changed forth and back. */
const toggled = (column: string, shorter: string, longer: string) => `
  ${column} = CASE WHEN position('${longer}', ${column}) > 0 THEN replace(${column}, '${longer}', '${shorter}')
              ELSE ${shorter === '' ? `${column} || '${longer}'` : `replace(${column}, '${shorter}', '${longer}')`} END`

const TOGGLED: Readonly<Record<TradeUpdateInput['frame'], string>> = {
  trades: `
    SET ${toggled('t_exec_name', ' ', ' X ')} ON trade
    WHERE t_id IN :trades RETURNING t_id`,
  account: `
    SET ${toggled('se_cash_type', '', ' Account')} ON settlement
    WHERE se_t_id IN :trades RETURNING se_t_id`,
  security: `
    SET ${toggled('ct_name', ' shares of ', ' Shares of ')} ON cash_transaction
    WHERE ct_t_id IN :trades RETURNING ct_t_id`,
}

type Updated = { readonly updated: readonly object[] }

export const tradeUpdate: NativeWork<'Trade-Update'> = async (requests, input) => {
  const writing = { histories: HISTORIES, updated: TOGGLED[input.frame] }
  if (input.frame === 'trades') {
    const script = { trades: TRADES_BY_ID, ...writing }
    const params = { trades: input.tradeIds }
    const { trades, updated } = await runAtOnce<DetailRows & Updated>(requests, script, params)
    return { rows: trades.length, updated: updated.length }
  }
  const { statement, params } = tradesFrom(input)
  const begun = await beginWith<DetailRows>(requests, { trades: statement }, params)
  const ids = begun.rows.trades.map((trade) => trade.t_id)
  const { updated } = await commitWith<Updated>(requests, begun.transaction, writing, {
    trades: ids,
  })
  return { rows: ids.length, updated: updated.length }
}
