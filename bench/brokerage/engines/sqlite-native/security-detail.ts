// SPDX-License-Identifier: Apache-2.0
import type { SecurityDetailResult } from '../../transactions/security-detail.ts'
import type { NativeRead } from './native-work.ts'

const SECURITY = `
  SELECT s_name, s_co_id, s_num_out, s_exch_date, s_pad, lt_price, lt_open_price, lt_vol,
         co_name, co_sp_rate, co_pad, ex_name, ex_desc, ex_num_symb, ex_open, ex_close,
         ca.ad_line1, ca.ad_line2, ca.ad_ctry, ca.ad_zc_code,
         cz.zc_town AS company_town, cz.zc_div,
         ea.ad_line1, ea.ad_line2, ea.ad_ctry, ea.ad_zc_code,
         ez.zc_town AS exchange_town, ez.zc_div
    FROM security
    JOIN last_trade ON lt_s_symb = s_symb
    JOIN company ON co_id = s_co_id
    JOIN exchange ON ex_id = s_ex_id
    JOIN address AS ca ON ca.ad_id = co_ad_id
    JOIN zip_code AS cz ON cz.zc_code = ca.ad_zc_code
    JOIN address AS ea ON ea.ad_id = ex_ad_id
    JOIN zip_code AS ez ON ez.zc_code = ea.ad_zc_code
   WHERE s_symb = +?`

const COMPETITORS = `
  SELECT co_name AS company, in_name AS industry
    FROM company_competitor
    JOIN company ON co_id = cp_comp_co_id
    JOIN industry ON in_id = cp_in_id
   WHERE cp_co_id = +?
   ORDER BY cp_comp_co_id, cp_in_id
   LIMIT 3`

const QUARTERS = `
  SELECT fi_year, fi_qtr, fi_qtr_start_date, fi_pad
    FROM financial
   WHERE fi_co_id = +?
   ORDER BY fi_year, fi_qtr
   LIMIT 20`

const DAYS = `
  SELECT dm_date, dm_close, dm_high, dm_low, dm_vol
    FROM daily_market
   WHERE dm_s_symb = +? AND dm_date >= +?
   ORDER BY dm_date
   LIMIT ?`

const news = (text: string) => `
  SELECT ni_dts, ${text} AS text
    FROM news_xref
    JOIN news_item ON ni_id = nx_ni_id
   WHERE nx_co_id = +?
   ORDER BY nx_ni_id
   LIMIT 2`

type Security = {
  readonly s_co_id: number
  readonly co_name: string
  readonly ex_name: string
  readonly company_town: string
  readonly exchange_town: string
  readonly lt_price: number
}

export const securityDetail: NativeRead<'Security-Detail'> = (
  statements,
  { symbol, startDate, days, wholeNews },
) => {
  const security = statements.one<Security>(SECURITY, symbol)
  const companyId = security.s_co_id
  type Competitor = SecurityDetailResult['competitors'][number]
  const competitors = statements.all<Competitor>(COMPETITORS, companyId)
  const quarters = statements.all(QUARTERS, companyId)
  const prices = statements.all<{ readonly dm_close: number }>(DAYS, symbol, startDate, days)
  const texts = statements.all<{ readonly text: string }>(
    news(wholeNews ? 'ni_item' : 'ni_headline || ni_summary'),
    companyId,
  )
  return {
    company: security.co_name,
    exchange: security.ex_name,
    towns: [security.company_town, security.exchange_town],
    competitors,
    quarters: quarters.length,
    closes: prices.map((price) => price.dm_close),
    price: security.lt_price,
    newsCharacters: texts.reduce((sum, { text }) => sum + text.length, 0),
  }
}
