// SPDX-License-Identifier: Apache-2.0

// All ids are shifted, so that they do not fit 32 bits; all stay below 2^53.

const IDENTIFIER_SHIFT = 4_300_000_000
const TRADE_SHIFT = 200_000_000_000_000
const ACCOUNTS_PER_CUSTOMER_MAX = 10

/** One trade id in each block is left out, as if that order had been rolled back. */
const TRADE_BLOCK = 101
const TRADE_LEFT_OUT = 51

/** The id of a thing by its number, counted from 0, and back. */
export function identifier(number: number): number {
  return IDENTIFIER_SHIFT + number + 1
}

export function numberOf(id: number): number {
  return id - IDENTIFIER_SHIFT - 1
}

/** `ordinal` counts the accounts of a customer from 0. */
export function accountIdentifier(customer: number, ordinal: number): number {
  return identifier(customer * ACCOUNTS_PER_CUSTOMER_MAX + ordinal)
}

export function ownerOfAccount(accountId: number): { customer: number; ordinal: number } {
  const number = numberOf(accountId)
  const customer = Math.floor(number / ACCOUNTS_PER_CUSTOMER_MAX)
  return { customer, ordinal: number - customer * ACCOUNTS_PER_CUSTOMER_MAX }
}

/** The id of a trade of the history by its number, counted from 0. */
export function tradeIdentifier(number: number): number {
  const perBlock = TRADE_BLOCK - 1
  const place = number % perBlock
  const offset = Math.floor(number / perBlock) * TRADE_BLOCK
  return TRADE_SHIFT + offset + (place < TRADE_LEFT_OUT ? place : place + 1)
}

/** Trades of runs have ids from here on. */
export function firstRunTradeIdentifier(trades: number): number {
  return TRADE_SHIFT + Math.ceil(trades / (TRADE_BLOCK - 1)) * TRADE_BLOCK
}
