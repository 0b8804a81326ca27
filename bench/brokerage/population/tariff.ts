// SPDX-License-Identifier: Apache-2.0
import { QUANTITY_BANDS, type TradeTypeId } from './codes.ts'
import type { Tier } from './tiers.ts'

// What a trade costs: better customers and larger trades pay less.

const TYPE_CHARGE = { TMB: 50, TMS: 50, TLB: 100, TLS: 100, TSL: 150 } as const
const TYPE_RATE = { TMB: 20, TMS: 22, TLB: 26, TLS: 28, TSL: 30 } as const

/** From 2.50 to 6.50, in cents. */
export function chargeOf(type: TradeTypeId, tier: Tier): number {
  return 200 + TYPE_CHARGE[type] + (3 - tier) * 150
}

/** In hundredths of a percent; `exchange` and `band` are their places. */
export function commissionRate(
  type: TradeTypeId,
  tier: Tier,
  exchange: number,
  band: number,
): number {
  return TYPE_RATE[type] + (3 - tier) * 10 + exchange * 2 + (QUANTITY_BANDS.length - 1 - band) * 5
}

export function bandOf(quantity: number): number {
  return QUANTITY_BANDS.findIndex(([from, to]) => from <= quantity && quantity <= to)
}
