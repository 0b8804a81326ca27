// SPDX-License-Identifier: Apache-2.0
import { identifier } from '../identifiers.ts'
import {
  COUNTRY_RATES,
  countryTaxRateId,
  DIVISION_RATES,
  divisionTaxRateId,
} from '../market-facts.ts'
import { Paragraph, symbolOf } from '../names.ts'
import {
  type Account,
  each,
  type Population,
  type RowsOfTables,
  STREAMS,
  several,
} from '../population.ts'
import { customerAddress } from './dimension-rows.ts'

const PAD_LENGTH = 250
const paragraph = new Paragraph()

function customers({ profile }: Population): number {
  return profile.customers
}

/** Which two rates, by their numbers, a customer pays. */
export function customerTaxRates(customer: number): { country: number; division: number } {
  return { country: customer % COUNTRY_RATES, division: (customer * 7) % DIVISION_RATES }
}

function accountsOf(population: Population, number: number): readonly Account[] {
  const customer = population.customer(number)
  return Array.from({ length: customer.accounts }, (_, ordinal) =>
    population.account(customer, ordinal),
  )
}

/** Customers and their accounts. */
export const CUSTOMER_ROWS = {
  customer: each(customers, (population, number) => {
    const { id, taxId, lastName, firstName, tier } = population.customer(number)
    return {
      c_id: id,
      c_tax_id: taxId,
      c_l_name: lastName,
      c_f_name: firstName,
      c_tier: tier,
      c_ad_id: customerAddress(population.profile, number),
      c_email_2: `${firstName}.${lastName}@mail.example`,
      c_pad: paragraph.cut(number * 31, PAD_LENGTH),
    }
  }),
  customer_account: several(customers, (population, number) => {
    return accountsOf(population, number).map((account, ordinal) => ({
      ca_id: account.id,
      ca_b_id: account.brokerId,
      ca_c_id: account.customer.id,
      ca_name: `${account.customer.firstName} ${account.customer.lastName} ${ordinal + 1}`,
      ca_tax_st: account.taxStatus,
      ca_bal: account.balance,
    }))
  }),
  customer_taxrate: several(customers, (population, number) => {
    const { country, division } = customerTaxRates(number)
    const { id } = population.customer(number)
    return [countryTaxRateId(country), divisionTaxRateId(division)].map((taxRate) => ({
      cx_c_id: id,
      cx_tx_id: taxRate,
    }))
  }),
  account_permission: several(customers, (population, number) => {
    return accountsOf(population, number).flatMap(({ id, permissions }) =>
      permissions.map(({ taxId, rights, lastName, firstName }) => ({
        ap_ca_id: id,
        ap_tax_id: taxId,
        ap_acl: rights,
        ap_l_name: lastName,
        ap_f_name: firstName,
      })),
    )
  }),
  watch_list: each(customers, (population, number) => ({
    wl_id: identifier(number),
    wl_c_id: population.customer(number).id,
  })),
  watch_item: several(customers, ({ profile, random }, number) => {
    const draws = random.row(STREAMS.watchList, number)
    const count = draws.between(profile.watchItemsMin, profile.watchItemsMax)
    return draws.distinctBelow(profile.securities, count).map((security) => ({
      wi_wl_id: identifier(number),
      wi_s_symb: symbolOf(security),
    }))
  }),
} as const satisfies RowsOfTables
