// SPDX-License-Identifier: Apache-2.0
import { EXCHANGE_IDS } from './codes.ts'
import { capitalized, word } from './names.ts'
import type { Profile } from './profiles.ts'

// Companies, securities, brokers and what they belong to, each counted from 0 and told by its number.

export const INDUSTRIES = 102
export const SECTORS = 12
export const COUNTRY_RATES = 20
export const DIVISION_RATES = 300

const ISSUES = ['COMMON', 'PREFA', 'PREFB', 'PREFC'] as const
const COMPANY_KINDS = ['Works', 'Mills', 'Lines', 'Foods', 'Labs', 'Mines', 'Power'] as const
// Words of different things begin far from each other.
const BROKER_WORD_FIRST = 300_000
const INDUSTRY_WORD_FIRST = 330_000
const SECTOR_WORD_FIRST = 331_000
const TOWN_WORD_FIRST = 340_000

/** The securities of a load unit beyond its companies are second issues of the first ones. */
export function issuerOf(profile: Profile, security: number): { company: number; issue: string } {
  const company = security % profile.companies
  const issue = ISSUES[Math.floor(security / profile.companies)] as string
  return { company, issue }
}

/** Unique. */
export function companyName(company: number): string {
  return `${capitalized(word(company))} ${COMPANY_KINDS[company % COMPANY_KINDS.length]}`
}

/** Unique. */
export function brokerName(broker: number): string {
  const [first, last] = [0, 1].map((part) => word(BROKER_WORD_FIRST + 2 * broker + part))
  return `${capitalized(first as string)} ${capitalized(last as string)}`
}

export function securityName(profile: Profile, security: number): string {
  const { company, issue } = issuerOf(profile, security)
  return `${companyName(company)} ${issue}`
}

export function exchangeOf(security: number): (typeof EXCHANGE_IDS)[number] {
  return EXCHANGE_IDS[security % EXCHANGE_IDS.length] as (typeof EXCHANGE_IDS)[number]
}

export function industryOf(company: number): number {
  return company % INDUSTRIES
}

export function industryId(industry: number): string {
  return `I${String(industry + 1).padStart(3, '0')}`
}

export function industryName(industry: number): string {
  return `${capitalized(word(INDUSTRY_WORD_FIRST + industry))} industry`
}

export function sectorOf(industry: number): number {
  return industry % SECTORS
}

export function sectorId(sector: number): string {
  return `S${String(sector + 1).padStart(2, '0')}`
}

export function sectorName(sector: number): string {
  return `${capitalized(word(SECTOR_WORD_FIRST + sector))} sector`
}

/** Each customer pays one rate of a country and one of a division. */
export function countryTaxRateId(number: number): string {
  return `C${String(number + 1).padStart(2, '0')}`
}

export function divisionTaxRateId(number: number): string {
  return `D${String(number + 1).padStart(3, '0')}`
}

export function townName(number: number): string {
  return capitalized(word(TOWN_WORD_FIRST + number))
}

export function zipCode(number: number): string {
  return String(10_000 + number * 6)
}
