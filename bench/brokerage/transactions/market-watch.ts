// SPDX-License-Identifier: Apache-2.0
import { getMany, scan, scanEach, type Transaction } from '../engine.ts'
import { distinct, singleKeys } from './rows-by-key.ts'

type MarketWatchInput = {
  readonly of:
    | { readonly kind: 'watchList'; readonly customerId: number }
    | { readonly kind: 'account'; readonly accountId: number }
    | {
        readonly kind: 'industry'
        readonly industry: string
        readonly fromCompany: number
        readonly toCompany: number
      }
  /** A day of `daily_market`. */
  readonly date: number
}

/** How a list of securities has moved, weighted by their capitalisation, since the close of a day. */
export async function marketWatch(transaction: Transaction, { of, date }: MarketWatchInput) {
  const symbols = await symbolsOf(transaction, of)
  const keys = singleKeys(symbols)
  const [lastTrades, securities, days] = await transaction.read(
    getMany('last_trade', keys, ['lt_price']),
    getMany('security', keys, ['s_num_out']),
    getMany(
      'daily_market',
      symbols.map((symbol) => [symbol, date]),
      ['dm_close'],
    ),
  )
  await transaction.commit()
  let [before, now] = [0, 0]
  symbols.forEach((_symbol, position) => {
    const [last, security, day] = [lastTrades[position], securities[position], days[position]]
    if (last === undefined || security === undefined || day === undefined) return
    before += security.s_num_out * day.dm_close
    now += security.s_num_out * last.lt_price
  })
  return {
    securities: symbols.length,
    percentChange: before === 0 ? 0 : 100 * (now / before - 1),
  }
}

async function symbolsOf(transaction: Transaction, of: MarketWatchInput['of']): Promise<string[]> {
  switch (of.kind) {
    case 'watchList':
      return await watchedBy(transaction, of.customerId)
    case 'account': {
      const [holdings] = await transaction.read(
        scan('holding_summary', [of.accountId], ['hs_s_symb']),
      )
      return holdings.map((holding) => holding.hs_s_symb)
    }
    case 'industry':
      return await inIndustry(transaction, of)
  }
}

async function watchedBy(transaction: Transaction, customerId: number): Promise<string[]> {
  const [lists] = await transaction.read(
    scan('watch_list', [customerId], ['wl_id'], { index: 'watch_list_customer' }),
  )
  const listIds = lists.map((list) => list.wl_id)
  const [items] = await transaction.read(scanEach('watch_item', listIds, ['wi_s_symb']))
  return distinct(items.flat().map((item) => item.wi_s_symb))
}

async function inIndustry(
  transaction: Transaction,
  of: Extract<MarketWatchInput['of'], { readonly kind: 'industry' }>,
): Promise<string[]> {
  const [industries] = await transaction.read(
    scan('industry', [of.industry], ['in_id'], { index: 'industry_name' }),
  )
  const companies = await transaction.read(
    ...industries.map((industry) =>
      scan('company', [industry.in_id], ['co_id'], {
        index: 'company_industry',
        atLeast: of.fromCompany,
        atMost: of.toCompany,
      }),
    ),
  )
  const companyIds = companies.flat().map((company) => company.co_id)
  const [securities] = await transaction.read(
    scanEach('security', companyIds, ['s_symb'], { index: 'security_company' }),
  )
  return securities.flat().map((security) => security.s_symb)
}
