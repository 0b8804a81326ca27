// SPDX-License-Identifier: Apache-2.0
import { get, getMany, scan, type Transaction } from '../engine.ts'
import { required, singleKeys } from './rows-by-key.ts'

type SecurityDetailInput = {
  readonly symbol: string
  readonly startDate: number
  /** How many days of prices. */
  readonly days: number
  /** The whole text of the news instead of headline and summary. */
  readonly wholeNews: boolean
}

const COMPETITORS = 3
const QUARTERS = 20
const NEWS = 2

/** All there is to know of a security and its company. */
export async function securityDetail(
  transaction: Transaction,
  { symbol, startDate, days, wholeNews }: SecurityDetailInput,
) {
  const [foundSecurity, lastTrade, prices] = await transaction.read(
    get(
      'security',
      [symbol],
      ['s_name', 's_co_id', 's_ex_id', 's_num_out', 's_exch_date', 's_pad'],
    ),
    get('last_trade', [symbol], ['lt_price', 'lt_open_price', 'lt_vol']),
    scan('daily_market', [symbol], ['dm_date', 'dm_close', 'dm_high', 'dm_low', 'dm_vol'], {
      atLeast: startDate,
      limit: days,
    }),
  )
  const security = required(foundSecurity, `security ${symbol}`)
  const companyId = security.s_co_id
  const [foundCompany, foundExchange, rivals, quarters, references] = await transaction.read(
    get('company', [companyId], ['co_name', 'co_sp_rate', 'co_ad_id', 'co_pad']),
    get(
      'exchange',
      [security.s_ex_id],
      ['ex_name', 'ex_desc', 'ex_num_symb', 'ex_open', 'ex_close', 'ex_ad_id'],
    ),
    scan('company_competitor', [companyId], ['cp_comp_co_id', 'cp_in_id'], { limit: COMPETITORS }),
    scan('financial', [companyId], ['fi_year', 'fi_qtr', 'fi_qtr_start_date', 'fi_pad'], {
      limit: QUARTERS,
    }),
    scan('news_xref', [companyId], ['nx_ni_id'], { limit: NEWS }),
  )
  const company = required(foundCompany, `company ${companyId}`)
  const exchange = required(foundExchange, `exchange ${security.s_ex_id}`)
  const newsIds = singleKeys(references.map((reference) => reference.nx_ni_id))
  const [addresses, rivalCompanies, industries, news] = await transaction.read(
    getMany('address', singleKeys([company.co_ad_id, exchange.ex_ad_id]), [
      'ad_line1',
      'ad_line2',
      'ad_ctry',
      'ad_zc_code',
    ]),
    getMany('company', singleKeys(rivals.map((rival) => rival.cp_comp_co_id)), ['co_name']),
    getMany('industry', singleKeys(rivals.map((rival) => rival.cp_in_id)), ['in_name']),
    wholeNews
      ? getMany('news_item', newsIds, ['ni_dts', 'ni_item'])
      : getMany('news_item', newsIds, ['ni_dts', 'ni_headline', 'ni_summary']),
  )
  const zipCodes = addresses.map((address) => required(address, 'address').ad_zc_code)
  const [zips] = await transaction.read(
    getMany('zip_code', singleKeys(zipCodes), ['zc_town', 'zc_div']),
  )
  await transaction.commit()
  return {
    company: company.co_name,
    exchange: exchange.ex_name,
    towns: zips.map((zip) => required(zip, 'zip code').zc_town),
    competitors: rivals.map((_rival, position) => ({
      company: required(rivalCompanies[position], 'competitor').co_name,
      industry: required(industries[position], 'industry').in_name,
    })),
    quarters: quarters.length,
    closes: prices.map((price) => price.dm_close),
    price: required(lastTrade, `last trade of ${symbol}`).lt_price,
    newsCharacters: news.reduce((sum, item) => sum + charactersOf(item), 0),
  }
}

function charactersOf(item: NonNullable<unknown> | undefined): number {
  const texts = Object.values(item ?? {}).filter((value) => typeof value === 'string')
  return texts.reduce((sum, text) => sum + text.length, 0)
}
