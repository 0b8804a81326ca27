// SPDX-License-Identifier: Apache-2.0
import { UsageError } from '../../harness/experiment.ts'
import { TRADING_DAY_MS } from './trading-calendar.ts'

/** How large a population is, and how fast it is meant to trade. */
export type Profile = {
  readonly name: string
  readonly customers: number
  /** Customers in a load unit: 1000, where the formulas of the workload are exact, or 100. */
  readonly loadUnit: number
  readonly loadUnits: number
  /** Customers for one trade result per second. It sets the pace of a run, not the history. */
  readonly scaleFactor: number
  /** Workdays of history. */
  readonly days: number
  /** Workdays of daily prices. */
  readonly marketDays: number
  readonly newsBytes: number
  readonly pricePeriodMs: number
  readonly watchItemsMin: number
  readonly watchItemsMax: number
  readonly zipCodes: number
  readonly companies: number
  readonly securities: number
  readonly brokers: number
  /** Trades of the history. */
  readonly trades: number
}

type Size = Pick<
  Profile,
  'customers' | 'scaleFactor' | 'days' | 'marketDays' | 'newsBytes' | 'pricePeriodMs'
>

const SMALL: Size = {
  customers: 1_000,
  scaleFactor: 500,
  days: 1,
  marketDays: 65,
  newsBytes: 1_000,
  pricePeriodMs: 30_000,
}

const SIZES: Readonly<Record<string, Size>> = {
  tiny: { ...SMALL, customers: 100, pricePeriodMs: 10_000 },
  small: SMALL,
  standard: { ...SMALL, days: 10, marketDays: 261, newsBytes: 10_000, pricePeriodMs: 60_000 },
  'official-shape': {
    ...{ customers: 5_000, scaleFactor: 500, days: 300, marketDays: 1_305 },
    ...{ newsBytes: 100_000, pricePeriodMs: 900_000 },
  },
}

const WIDE = /^wide-([1-9]\d?)$/
const LOAD_UNIT = 1_000
const LOAD_UNIT_TINY = 100
export const BROKERS_PER_LOAD_UNIT = 10
/** Each customer trades once in so many seconds of the history, whatever the run's pace. */
const SECONDS_PER_TRADE = 500

/** `tiny`, `small`, `standard`, `official-shape` or `wide-n` with n load units. Throws UsageError. */
export function profileOf(name: string): Profile {
  const wide = WIDE.exec(name)?.[1]
  const size = wide === undefined ? SIZES[name] : wideSize(Number(wide))
  if (size === undefined || (wide === undefined && !Object.hasOwn(SIZES, name))) {
    const known = Object.keys(SIZES).join(', ')
    throw new UsageError(`--profile ${name}: it is ${known}, or wide-n with 1 to 99 load units.`)
  }
  return complete(name, size)
}

function wideSize(loadUnits: number): Size {
  const customers = SMALL.customers * loadUnits
  return { ...SMALL, customers, scaleFactor: 100, pricePeriodMs: 60_000 }
}

function complete(name: string, size: Size): Profile {
  const { customers, days } = size
  const loadUnit = Math.min(LOAD_UNIT, customers)
  const loadUnits = customers / loadUnit
  const isTiny = loadUnit === LOAD_UNIT_TINY
  return {
    ...size,
    name,
    loadUnit,
    loadUnits,
    watchItemsMin: isTiny ? 20 : 50,
    watchItemsMax: isTiny ? 60 : 150,
    zipCodes: name === 'official-shape' ? 14_741 : 500,
    companies: customers / 2,
    securities: Math.floor(customers * 0.685),
    brokers: BROKERS_PER_LOAD_UNIT * loadUnits,
    trades: (days * (TRADING_DAY_MS / 1000) * customers) / SECONDS_PER_TRADE,
  }
}
