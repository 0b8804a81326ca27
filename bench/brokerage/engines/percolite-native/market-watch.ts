// SPDX-License-Identifier: Apache-2.0
import type { MarketWatchInput, MarketWatchResult } from '../../transactions/market-watch.ts'
import { required } from '../../transactions/rows-by-key.ts'
import { NativeReads, type NativeWork } from './native-scripts.ts'

const MOVES = `
  COUNT(*) AS securities, SUM(sec.s_num_out * day.dm_close) AS before,
  SUM(sec.s_num_out * last.lt_price) AS now`

const moves = (symbol: string) => `
  LOOKUP last_trade AS last BY last.lt_s_symb = ${symbol} OPTIONAL
  LOOKUP daily_market AS day BY day.dm_s_symb = ${symbol} AND day.dm_date = :date OPTIONAL`

const SECURITY = (symbol: string) => `
  LOOKUP security AS sec BY sec.s_symb = ${symbol} OPTIONAL`

// A customer has one list.
const LIST =
  'SCAN wl_id FROM watch_list USE INDEX watch_list_customer WHERE wl_c_id = :customer INTO :list'

const WATCHED = `
  SCAN ${MOVES} FROM watch_item AS i ${SECURITY('i.wi_s_symb')} ${moves('i.wi_s_symb')}
  WHERE i.wi_wl_id = :list`

const HELD = `
  SCAN ${MOVES} FROM holding_summary AS h ${SECURITY('h.hs_s_symb')} ${moves('h.hs_s_symb')}
  WHERE h.hs_ca_id = :account`

const INDUSTRY =
  'SCAN in_id FROM industry USE INDEX industry_name WHERE in_name = :industry INTO :in'

const COMPANIES = `
  SCAN co_id FROM company USE INDEX company_industry
  WHERE co_in_id = :in AND co_id BETWEEN :fromCompany AND :toCompany`

const ISSUED = `
  SCAN ${MOVES} FROM security AS sec USE INDEX security_company ${moves('sec.s_symb')}
  WHERE sec.s_co_id IN :companies`

type Moves = {
  readonly securities: number
  readonly before: number | null
  readonly now: number | null
}

type Moved = { readonly moved: readonly Moves[] }

type Companies = { readonly companies: ReadonlyArray<{ readonly co_id: number }> }

export const marketWatch: NativeWork<'Market-Watch'> = async (requests, { of, date }) => {
  const [moves] = await movesOf(new NativeReads(requests), of, date)
  const { securities, before, now } = required(moves, 'sum')
  const percentChange = before ? 100 * ((now ?? 0) / before - 1) : 0
  return { securities, percentChange } satisfies MarketWatchResult
}

async function movesOf(
  reads: NativeReads,
  of: MarketWatchInput['of'],
  date: number,
): Promise<readonly Moves[]> {
  switch (of.kind) {
    case 'watchList': {
      const script = { list: LIST, moved: WATCHED }
      return (await reads.run<Moved>(script, { customer: of.customerId, date })).moved
    }
    case 'account':
      return (await reads.run<Moved>({ moved: HELD }, { account: of.accountId, date })).moved
    case 'industry': {
      const { kind: _kind, ...params } = of
      const script = { industry: INDUSTRY, companies: COMPANIES }
      const found = await reads.run<Companies>(script, params)
      const companies = found.companies.map((company) => company.co_id)
      return (await reads.run<Moved>({ moved: ISSUED }, { companies, date })).moved
    }
  }
}
