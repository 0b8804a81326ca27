// SPDX-License-Identifier: Apache-2.0
import { EXCHANGE_IDS, STATUSES } from '../codes.ts'
import { identifier } from '../identifiers.ts'
import {
  COUNTRY_RATES,
  countryTaxRateId,
  DIVISION_RATES,
  divisionTaxRateId,
  townName,
  zipCode,
} from '../market-facts.ts'
import { capitalized, word } from '../names.ts'
import { STREAMS } from '../population.ts'
import type { Profile } from '../profiles.ts'
import type { TableRows } from './table-rows.ts'

// Addresses are those of the exchanges, then of the companies, then of the customers.

export function exchangeAddress(exchange: number): number {
  return identifier(exchange)
}

export function companyAddress(company: number): number {
  return identifier(EXCHANGE_IDS.length + company)
}

export function customerAddress({ companies }: Profile, customer: number): number {
  return identifier(EXCHANGE_IDS.length + companies + customer)
}

export const addressRows: TableRows<'address'> = {
  parents: ({ profile }) => EXCHANGE_IDS.length + profile.companies + profile.customers,
  rowsOf({ profile, random }, number) {
    const draws = random.row(STREAMS.address, number)
    return [
      {
        ad_id: identifier(number),
        ad_line1: `${draws.between(1, 999)} ${capitalized(word(draws.below(10_000)))} Street`,
        ad_line2: `Apt. ${draws.between(1, 99)}`,
        ad_zc_code: zipCode(draws.below(profile.zipCodes)),
        ad_ctry: draws.chance(0.8) ? 'Here' : 'Abroad',
      },
    ]
  },
}

export const statusTypeRows: TableRows<'status_type'> = {
  parents: () => 1,
  rowsOf: () => STATUSES.map(({ id, name }) => ({ st_id: id, st_name: name })),
}

export const taxrateRows: TableRows<'taxrate'> = {
  parents: () => 1,
  rowsOf: () => [
    ...Array.from({ length: COUNTRY_RATES }, (_, number) => ({
      tx_id: countryTaxRateId(number),
      tx_name: `Country tax bracket ${number + 1}`,
      tx_rate: countryTaxRate(number),
    })),
    ...Array.from({ length: DIVISION_RATES }, (_, number) => ({
      tx_id: divisionTaxRateId(number),
      tx_name: `Division tax bracket ${number + 1}`,
      tx_rate: divisionTaxRate(number),
    })),
  ],
}

/** From 10 to 38 percent. */
export function countryTaxRate(number: number): number {
  return 10_000 + number * 1_500
}

/** From 0 to 8.97 percent. */
export function divisionTaxRate(number: number): number {
  return number * 30
}

export const zipCodeRows: TableRows<'zip_code'> = {
  parents: ({ profile }) => profile.zipCodes,
  rowsOf: (_population, number) => [
    {
      zc_code: zipCode(number),
      zc_town: townName(number),
      zc_div: divisionTaxRateId(number % DIVISION_RATES),
    },
  ],
}
