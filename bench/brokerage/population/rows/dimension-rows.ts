// SPDX-License-Identifier: Apache-2.0
import { EXCHANGE_IDS, QUANTITY_BANDS, STATUSES, TIERS, TRADE_TYPES } from '../codes.ts'
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
import { each, type RowsOfTables, STREAMS, several } from '../population.ts'
import type { Profile } from '../profiles.ts'
import { chargeOf, commissionRate } from '../tariff.ts'

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

/** From 10 to 38 percent. */
export function countryTaxRate(number: number): number {
  return 10_000 + number * 1_500
}

/** From 0 to 8.97 percent. */
export function divisionTaxRate(number: number): number {
  return number * 30
}

/** The tables that the others refer to, and those of what a trade costs. */
export const DIMENSION_ROWS = {
  status_type: several(1, () => STATUSES.map(({ id, name }) => ({ st_id: id, st_name: name }))),
  trade_type: several(1, () =>
    TRADE_TYPES.map(({ id, name, isSell, isMarket }) => ({
      tt_id: id,
      tt_name: name,
      tt_is_sell: Number(isSell),
      tt_is_mrkt: Number(isMarket),
    })),
  ),
  charge: several(1, () =>
    TRADE_TYPES.flatMap(({ id }) =>
      TIERS.map((tier) => ({ ch_tt_id: id, ch_c_tier: tier, ch_chrg: chargeOf(id, tier) })),
    ),
  ),
  commission_rate: several(1, () =>
    TIERS.flatMap((tier) =>
      TRADE_TYPES.flatMap(({ id }) =>
        EXCHANGE_IDS.flatMap((exchangeId, exchange) =>
          QUANTITY_BANDS.map(([from, to], band) => ({
            cr_c_tier: tier,
            cr_tt_id: id,
            cr_ex_id: exchangeId,
            cr_from_qty: from,
            cr_to_qty: to,
            cr_rate: commissionRate(id, tier, exchange, band),
          })),
        ),
      ),
    ),
  ),
  taxrate: several(1, () => [
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
  ]),
  zip_code: each(
    ({ profile }) => profile.zipCodes,
    (_population, number) => ({
      zc_code: zipCode(number),
      zc_town: townName(number),
      zc_div: divisionTaxRateId(number % DIVISION_RATES),
    }),
  ),
  address: each(
    ({ profile }) => EXCHANGE_IDS.length + profile.companies + profile.customers,
    ({ profile, random }, number) => {
      const draws = random.row(STREAMS.address, number)
      return {
        ad_id: identifier(number),
        ad_line1: `${draws.between(1, 999)} ${capitalized(word(draws.below(10_000)))} Street`,
        ad_line2: `Apt. ${draws.between(1, 99)}`,
        ad_zc_code: zipCode(draws.below(profile.zipCodes)),
        ad_ctry: draws.chance(0.8) ? 'Here' : 'Abroad',
      }
    },
  ),
} as const satisfies RowsOfTables
