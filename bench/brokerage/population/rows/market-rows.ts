// SPDX-License-Identifier: Apache-2.0
import { EXCHANGE_IDS } from '../codes.ts'
import { identifier } from '../identifiers.ts'
import {
  companyName,
  exchangeOf,
  INDUSTRIES,
  industryId,
  industryName,
  industryOf,
  issuerOf,
  SECTORS,
  sectorId,
  sectorName,
  sectorOf,
  securityName,
} from '../market-facts.ts'
import { Paragraph, symbolOf } from '../names.ts'
import { each, type Population, type RowsOfTables, STREAMS, several } from '../population.ts'
import { PriceCurve } from '../price-curve.ts'
import { daysAfter, historyMs, marketDay, momentOf, TRADING_DAY_MS } from '../trading-calendar.ts'
import { companyAddress, exchangeAddress } from './dimension-rows.ts'

const COMPETITORS = 3
const paragraph = new Paragraph()
const PAD = { company: 220, security: 90, exchange: 200 } as const
const RATINGS = ['AAA', 'AA', 'A', 'BBB', 'BB', 'B'] as const

const FIRST_YEAR = 2000
const QUARTERS = 20
const NEWS_PER_COMPANY = 2
const NEWS_DAYS = 50
const LENGTH = { financial: 90, headline: 80, summary: 255 } as const

const companies = ({ profile }: Population) => profile.companies
const securities = ({ profile }: Population) => profile.securities

function newsOf(company: number): readonly number[] {
  return Array.from(
    { length: NEWS_PER_COMPANY },
    (_, position) => company * NEWS_PER_COMPANY + position,
  )
}

/** Companies, what they report, their securities and the market. */
export const MARKET_ROWS = {
  sector: each(SECTORS, (_population, number) => ({
    sc_id: sectorId(number),
    sc_name: sectorName(number),
  })),
  industry: each(INDUSTRIES, (_population, number) => ({
    in_id: industryId(number),
    in_name: industryName(number),
    in_sc_id: sectorId(sectorOf(number)),
  })),
  exchange: each(EXCHANGE_IDS.length, ({ profile }, number) => {
    const id = EXCHANGE_IDS[number] as string
    const listed = Math.ceil((profile.securities - number) / EXCHANGE_IDS.length)
    return {
      ex_id: id,
      ex_name: `Exchange of ${id}`,
      ex_num_symb: listed,
      ex_open: 9 * 60,
      ex_close: 17 * 60,
      ex_desc: `Lists ${listed} securities`,
      ex_ad_id: exchangeAddress(number),
      ex_pad: paragraph.cut(number * 41, PAD.exchange),
    }
  }),
  company: each(companies, ({ random }, number) => ({
    co_id: identifier(number),
    co_name: companyName(number),
    co_in_id: industryId(industryOf(number)),
    co_sp_rate: random.row(STREAMS.company, number).pick(RATINGS),
    co_ad_id: companyAddress(number),
    co_pad: paragraph.cut(number * 37, PAD.company),
  })),
  company_competitor: several(companies, ({ profile, random }, number) => {
    const draws = random.row(STREAMS.competitor, number)
    return draws.distinctBelow(profile.companies - 1, COMPETITORS).map((distance) => ({
      cp_co_id: identifier(number),
      cp_comp_co_id: identifier((number + 1 + distance) % profile.companies),
      cp_in_id: industryId(industryOf(number)),
    }))
  }),
  financial: several(companies, (_population, company) =>
    Array.from({ length: QUARTERS }, (_, number) => {
      const year = FIRST_YEAR + Math.floor(number / 4)
      const quarter = (number % 4) + 1
      return {
        fi_co_id: identifier(company),
        fi_year: year,
        fi_qtr: quarter,
        fi_qtr_start_date: Date.UTC(year, (quarter - 1) * 3, 1),
        fi_pad: paragraph.cut(company * 47 + number * 53, LENGTH.financial),
      }
    }),
  ),
  /** The newest are of the day before the history. */
  news_item: several(companies, ({ profile, random }, company) =>
    newsOf(company).map((news) => {
      const draws = random.row(STREAMS.news, news)
      const about = (place: number, length: number) =>
        `${companyName(company)}: ${paragraph.cut(place, length)}`.slice(0, length)
      return {
        ni_id: identifier(news),
        ni_headline: about(news * 59, LENGTH.headline),
        ni_summary: about(news * 61, LENGTH.summary),
        ni_item: paragraph.cut(news * 67, profile.newsBytes),
        ni_dts: daysAfter(momentOf(0), -draws.between(1, NEWS_DAYS)),
      }
    }),
  ),
  news_xref: several(companies, (_population, company) =>
    newsOf(company).map((news) => ({
      nx_co_id: identifier(company),
      nx_ni_id: identifier(news),
    })),
  ),
  security: each(securities, ({ profile, random }, security) => {
    const draws = random.row(STREAMS.security, security)
    const { company, issue } = issuerOf(profile, security)
    return {
      s_symb: symbolOf(security),
      s_issue: issue,
      s_name: securityName(profile, security),
      s_ex_id: exchangeOf(security),
      s_co_id: identifier(company),
      s_num_out: draws.between(4_000_000, 9_500_000_000),
      s_exch_date: marketDay(draws.below(250)),
      s_pad: paragraph.cut(security * 43, PAD.security),
    }
  }),
  /** As the price curve has it at the end of the history; nothing is traded on that ticker yet. */
  last_trade: each(securities, ({ profile }, security) => {
    const curve = new PriceCurve(profile)
    const endMs = historyMs(profile)
    return {
      lt_s_symb: symbolOf(security),
      lt_dts: momentOf(endMs),
      lt_price: curve.priceAt(security, endMs),
      lt_open_price: curve.priceAt(security, endMs - TRADING_DAY_MS),
      lt_vol: 0,
    }
  }),
  daily_market: several(securities, ({ profile, random }, security) => {
    const draws = random.row(STREAMS.dailyMarket, security)
    return Array.from({ length: profile.marketDays }, (_, day) => {
      const close = draws.between(2_000, 3_000)
      return {
        dm_s_symb: symbolOf(security),
        dm_date: marketDay(day),
        dm_close: close,
        dm_high: Math.round(close * 1.05),
        dm_low: Math.round(close * 0.92),
        dm_vol: draws.between(1_000, 10_000),
      }
    })
  }),
} as const satisfies RowsOfTables
