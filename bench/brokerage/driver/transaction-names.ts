// SPDX-License-Identifier: Apache-2.0

/** All transactions of the workload by the names that reports give them. */
export const TRANSACTION_NAMES = [
  'Trade-Status',
  'Market-Watch',
  'Security-Detail',
  'Customer-Position',
  'Trade-Order',
  'Trade-Result',
  'Trade-Lookup',
  'Broker-Volume',
  'Trade-Update',
  'Market-Feed',
] as const

export type TransactionName = (typeof TRANSACTION_NAMES)[number]

/** What customers call, and how often among 890 calls. */
export const CUSTOMER_WEIGHTS = {
  'Trade-Status': 190,
  'Market-Watch': 180,
  'Security-Detail': 140,
  'Customer-Position': 130,
  'Trade-Order': 101,
  'Trade-Lookup': 80,
  'Broker-Volume': 49,
  'Trade-Update': 20,
} as const satisfies Partial<Record<TransactionName, number>>

export type CustomerCall = keyof typeof CUSTOMER_WEIGHTS

/** Percent of all transactions; with the market's own two they are 100. */
export const MIX_PERCENT: Readonly<Partial<Record<TransactionName, number>>> = {
  ...Object.fromEntries(
    Object.entries(CUSTOMER_WEIGHTS).map(([name, weight]) => [name, weight / 10]),
  ),
  'Trade-Result': 10,
  'Market-Feed': 1,
}

/** Seconds within which 90 percent are to be answered, as it is remembered; for information only. */
export const LIMIT_SECONDS: Readonly<Partial<Record<TransactionName, number>>> = {
  'Trade-Status': 1,
  'Market-Watch': 3,
  'Security-Detail': 3,
  'Customer-Position': 3,
  'Trade-Order': 2,
  'Trade-Result': 2,
  'Trade-Lookup': 3,
  'Broker-Volume': 3,
  'Trade-Update': 3,
  'Market-Feed': 2,
}
