// SPDX-License-Identifier: Apache-2.0

/** What a trade is. The prefix of the id tells nothing; the columns do. */
export const TRADE_TYPES = [
  { id: 'TMB', name: 'Market-Buy', isSell: false, isMarket: true },
  { id: 'TMS', name: 'Market-Sell', isSell: true, isMarket: true },
  { id: 'TSL', name: 'Stop-Loss', isSell: true, isMarket: false },
  { id: 'TLS', name: 'Limit-Sell', isSell: true, isMarket: false },
  { id: 'TLB', name: 'Limit-Buy', isSell: false, isMarket: false },
] as const

export type TradeType = (typeof TRADE_TYPES)[number]
export type TradeTypeId = TradeType['id']

export const TRADE_TYPE_OF = Object.fromEntries(
  TRADE_TYPES.map((type) => [type.id, type]),
) as Readonly<Record<TradeTypeId, TradeType>>

/** A limit order is PNDG, then SBMT, then CMPT; a market order is never PNDG. */
export const STATUSES = [
  { id: 'CMPT', name: 'Completed' },
  { id: 'ACTV', name: 'Active' },
  { id: 'SBMT', name: 'Submitted' },
  { id: 'PNDG', name: 'Pending' },
  { id: 'CNCL', name: 'Canceled' },
] as const

export type StatusId = (typeof STATUSES)[number]['id']

export const CASH_TYPES = { cash: 'Cash Account', margin: 'Margin' } as const

export const EXCHANGE_IDS = ['AUR', 'BOR', 'CAL', 'DEL'] as const

export const QUANTITIES = [100, 200, 400, 800] as const

/** From and to which quantity a rate of commission applies. */
export const QUANTITY_BANDS = [
  [1, 200],
  [201, 500],
  [501, 2_000],
  [2_001, 999_999],
] as const

export const TIERS = [1, 2, 3] as const
