// SPDX-License-Identifier: Apache-2.0
import { daysAfter, midnightOf } from './trading-calendar.ts'

// Money is whole cents, and what must be rounded is rounded half up, once. All products stay below
// 2^53: 800 shares of 30.00 at 100 % are 24 * 10^9 before the division.

/** `rate` is in hundredths of a percent of what the shares cost. */
export function commissionOf(rate: number, quantity: number, price: number): number {
  return roundedQuotient(rate * quantity * price, 10_000)
}

/** `rates` are in hundred-thousandths of the gain. */
export function taxOf(gain: number, rates: readonly number[]): number {
  return roundedQuotient(gain * rates.reduce((sum, rate) => sum + rate, 0), 100_000)
}

/** The tax status of an account: gains are not taxed, taxed and withheld, or taxed and paid later. */
export function isTaxable(taxStatus: number): boolean {
  return taxStatus === 1 || taxStatus === 2
}

export type SettledTrade = {
  readonly isSell: boolean
  readonly quantity: number
  readonly price: number
  readonly charge: number
  readonly commission: number
  readonly tax: number
  /** Of the account: only the accounts of status 1 have the tax withheld. */
  readonly taxStatus: number
}

/** What the account receives, or pays when it is negative. */
export function settlementAmount(trade: SettledTrade): number {
  const { isSell, quantity, price, charge, commission, tax, taxStatus } = trade
  const value = quantity * price
  const costs = charge + commission
  const withheld = taxStatus === 1 ? tax : 0
  return (isSell ? value - costs : -(value + costs)) - withheld
}

/** Two days after the trade, without a time of day. */
export function settlementDueDate(tradeMs: number): number {
  return daysAfter(midnightOf(tradeMs), 2)
}

function roundedQuotient(dividend: number, divisor: number): number {
  return Math.floor((2 * dividend + divisor) / (2 * divisor))
}
