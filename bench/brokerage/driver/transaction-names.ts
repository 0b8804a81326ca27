// SPDX-License-Identifier: Apache-2.0

/**
 * All transactions of the workload by the names that reports give them: how often among 1,000, and the seconds within
 * which 90 percent are to be answered, as they are remembered; for information only.
 */
export const TRANSACTIONS = {
  'Trade-Status': { weight: 190, limitSeconds: 1 },
  'Market-Watch': { weight: 180, limitSeconds: 3 },
  'Security-Detail': { weight: 140, limitSeconds: 3 },
  'Customer-Position': { weight: 130, limitSeconds: 3 },
  'Trade-Order': { weight: 101, limitSeconds: 2 },
  'Trade-Result': { weight: 100, limitSeconds: 2 },
  'Trade-Lookup': { weight: 80, limitSeconds: 3 },
  'Broker-Volume': { weight: 49, limitSeconds: 3 },
  'Trade-Update': { weight: 20, limitSeconds: 3 },
  'Market-Feed': { weight: 10, limitSeconds: 2 },
} as const

export type TransactionName = keyof typeof TRANSACTIONS
export const TRANSACTION_NAMES = Object.keys(TRANSACTIONS) as readonly TransactionName[]

/** Those that the market calls. */
export type MarketCall = 'Trade-Result' | 'Market-Feed'

export function isMarketCall(name: TransactionName): name is MarketCall {
  return name === 'Trade-Result' || name === 'Market-Feed'
}
