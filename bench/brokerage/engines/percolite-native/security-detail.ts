// SPDX-License-Identifier: Apache-2.0
import { required } from '../../transactions/rows-by-key.ts'
import type { SecurityDetailResult } from '../../transactions/security-detail.ts'
import { NativeReads, type NativeWork } from './native-scripts.ts'

const IDS = `
  GET s.s_co_id, c.co_ad_id, e.ex_ad_id
  FROM security AS s
  LOOKUP company AS c BY c.co_id = s.s_co_id
  LOOKUP exchange AS e BY e.ex_id = s.s_ex_id
  WHERE s.s_symb = :symbol
  INTO :company, :companyAddress, :exchangeAddress`

const SECURITY = `
  GET s.s_name, s.s_num_out, s.s_exch_date, s.s_pad, l.lt_price, l.lt_open_price, l.lt_vol,
      c.co_name, c.co_sp_rate, c.co_pad, c.co_ad_id,
      e.ex_name, e.ex_desc, e.ex_num_symb, e.ex_open, e.ex_close, e.ex_ad_id
  FROM security AS s
  LOOKUP last_trade AS l BY l.lt_s_symb = s.s_symb
  LOOKUP company AS c BY c.co_id = s.s_co_id
  LOOKUP exchange AS e BY e.ex_id = s.s_ex_id
  WHERE s.s_symb = :symbol`

const ADDRESSES = `
  GET a.ad_id, a.ad_line1, a.ad_line2, a.ad_ctry, a.ad_zc_code, z.zc_town, z.zc_div
  FROM address AS a
  LOOKUP zip_code AS z BY z.zc_code = a.ad_zc_code
  WHERE a.ad_id IN (:companyAddress, :exchangeAddress)`

const DAYS = `
  SCAN dm_date, dm_close, dm_high, dm_low, dm_vol
  FROM daily_market
  WHERE dm_s_symb = :symbol AND dm_date >= :startDate
  LIMIT :days`

const COMPETITORS = `
  SCAN c.co_name AS company, i.in_name AS industry
  FROM company_competitor AS r
  LOOKUP company AS c BY c.co_id = r.cp_comp_co_id
  LOOKUP industry AS i BY i.in_id = r.cp_in_id
  WHERE r.cp_co_id = :company
  LIMIT 3`

const QUARTERS = `
  SCAN fi_year, fi_qtr, fi_qtr_start_date, fi_pad
  FROM financial
  WHERE fi_co_id = :company
  LIMIT 20`

const news = (text: string) => `
  SCAN n.ni_dts, ${text} AS text
  FROM news_xref AS x
  LOOKUP news_item AS n BY n.ni_id = x.nx_ni_id
  WHERE x.nx_co_id = :company
  LIMIT 2`

type Security = {
  readonly co_name: string
  readonly ex_name: string
  readonly co_ad_id: number
  readonly ex_ad_id: number
  readonly lt_price: number
}

type Rows = {
  readonly security: readonly Security[]
  readonly addresses: readonly { readonly ad_id: number; readonly zc_town: string }[]
  readonly days: readonly { readonly dm_close: number }[]
  readonly competitors: SecurityDetailResult['competitors']
  readonly quarters: readonly object[]
  readonly news: readonly { readonly text: string }[]
}

export const securityDetail: NativeWork<'Security-Detail'> = async (
  requests,
  { symbol, startDate, days, wholeNews },
) => {
  const found = await new NativeReads(requests).run<Rows>(
    {
      ids: IDS,
      security: SECURITY,
      addresses: ADDRESSES,
      days: DAYS,
      competitors: COMPETITORS,
      quarters: QUARTERS,
      news: news(wholeNews ? 'n.ni_item' : 'n.ni_headline || n.ni_summary'),
    },
    { symbol, startDate, days },
  )
  const security = required(found.security[0], `security ${symbol}`)
  const townOf = (addressId: number) =>
    required(
      found.addresses.find((address) => address.ad_id === addressId),
      `address ${addressId}`,
    ).zc_town
  return {
    company: security.co_name,
    exchange: security.ex_name,
    towns: [townOf(security.co_ad_id), townOf(security.ex_ad_id)],
    competitors: found.competitors,
    quarters: found.quarters.length,
    closes: found.days.map((day) => day.dm_close),
    price: security.lt_price,
    newsCharacters: found.news.reduce((sum, { text }) => sum + text.length, 0),
  }
}
