// SPDX-License-Identifier: Apache-2.0
import { identifier } from '../identifiers.ts'
import { companyName } from '../market-facts.ts'
import { Paragraph } from '../names.ts'
import { type Population, STREAMS, type TableRows } from '../population.ts'
import { daysAfter, momentOf } from '../trading-calendar.ts'

const FIRST_YEAR = 2000
const QUARTERS = 20
const NEWS_PER_COMPANY = 2
const NEWS_DAYS = 50
const LENGTH = { financial: 90, headline: 80, summary: 255 } as const
const paragraph = new Paragraph()

const companies = ({ profile }: Population) => profile.companies

export const financialRows: TableRows<'financial'> = {
  parents: companies,
  rowsOf: (_population, company) =>
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
}

/** The newest are of the day before the history. */
export const newsItemRows: TableRows<'news_item'> = {
  parents: companies,
  rowsOf: ({ profile, random }, company) =>
    newsOf(company).map((news) => {
      const draws = random.row(STREAMS.news, news)
      const about = companyName(company)
      return {
        ni_id: identifier(news),
        ni_headline: cutTo(
          `${about}: ${paragraph.cut(news * 59, LENGTH.headline)}`,
          LENGTH.headline,
        ),
        ni_summary: cutTo(`${about}: ${paragraph.cut(news * 61, LENGTH.summary)}`, LENGTH.summary),
        ni_item: paragraph.cut(news * 67, profile.newsBytes),
        ni_dts: daysAfter(momentOf(0), -draws.between(1, NEWS_DAYS)),
      }
    }),
}

export const newsXrefRows: TableRows<'news_xref'> = {
  parents: companies,
  rowsOf: (_population, company) =>
    newsOf(company).map((news) => ({ nx_co_id: identifier(company), nx_ni_id: identifier(news) })),
}

function newsOf(company: number): readonly number[] {
  return Array.from(
    { length: NEWS_PER_COMPANY },
    (_, position) => company * NEWS_PER_COMPANY + position,
  )
}

function cutTo(text: string, length: number): string {
  return text.slice(0, length)
}
