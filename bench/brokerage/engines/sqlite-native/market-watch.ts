// SPDX-License-Identifier: Apache-2.0
import type { Value } from '../../schema/table-shape.ts'
import type { MarketWatchInput } from '../../transactions/market-watch.ts'
import type { NativeRead } from './native-work.ts'

const WATCHED = `
  SELECT DISTINCT wi_s_symb AS symbol
    FROM watch_list
    JOIN watch_item ON wi_wl_id = wl_id
   WHERE wl_c_id = +?`

const HELD = 'SELECT hs_s_symb AS symbol FROM holding_summary WHERE hs_ca_id = +?'

const IN_INDUSTRY = `
  SELECT s_symb AS symbol
    FROM industry
    JOIN company ON co_in_id = in_id
    JOIN security ON s_co_id = co_id
   WHERE in_name = +? AND co_id BETWEEN +? AND +?`

const moves = (symbols: string) => `
  SELECT count(*) AS securities, sum(s_num_out * dm_close) AS before, sum(s_num_out * lt_price) AS now
    FROM (${symbols})
    LEFT JOIN last_trade ON lt_s_symb = symbol
    LEFT JOIN security ON s_symb = symbol
    LEFT JOIN daily_market ON dm_s_symb = symbol AND dm_date = +?`

type Moves = {
  readonly securities: number
  readonly before: number | null
  readonly now: number | null
}

export const marketWatch: NativeRead<'Market-Watch'> = (statements, { of, date }) => {
  const { text, values } = listOf(of)
  const { securities, before, now } = statements.one<Moves>(moves(text), ...values, date)
  return { securities, percentChange: before ? 100 * ((now ?? 0) / before - 1) : 0 }
}

function listOf(of: MarketWatchInput['of']): { text: string; values: readonly Value[] } {
  switch (of.kind) {
    case 'watchList':
      return { text: WATCHED, values: [of.customerId] }
    case 'account':
      return { text: HELD, values: [of.accountId] }
    case 'industry':
      return { text: IN_INDUSTRY, values: [of.industry, of.fromCompany, of.toCompany] }
  }
}
