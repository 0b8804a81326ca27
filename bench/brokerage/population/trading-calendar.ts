// SPDX-License-Identifier: Apache-2.0

// Trading time runs in milliseconds from the first opening and knows no nights and no weekends; what
// is stored are milliseconds since 1970, in UTC. 28,800,000 of trading time is Tuesday, 09:00.

/** From 09:00 to 17:00. */
export const TRADING_DAY_MS = 8 * 3600 * 1000

const DAY_MS = 24 * 3600 * 1000
const OPENING_MS = 9 * 3600 * 1000
const WORKDAYS_PER_WEEK = 5
const FIRST_TRADING_MONDAY_MS = Date.UTC(2005, 0, 3)
const FIRST_MARKET_MONDAY_MS = Date.UTC(2000, 0, 3)

/** The moment of a trading time. */
export function momentOf(tradingMs: number): number {
  const day = Math.floor(tradingMs / TRADING_DAY_MS)
  return workday(FIRST_TRADING_MONDAY_MS, day) + OPENING_MS + (tradingMs - day * TRADING_DAY_MS)
}

/** The date of a day of daily prices, counted from 0: its midnight. */
export function marketDay(day: number): number {
  return workday(FIRST_MARKET_MONDAY_MS, day)
}

/** The trading time at which the history ends and a run goes on. */
export function historyMs({ days }: { readonly days: number }): number {
  return days * TRADING_DAY_MS
}

/** The midnight before a moment. */
export function midnightOf(momentMs: number): number {
  return momentMs - (momentMs % DAY_MS)
}

/** That many calendar days later. */
export function daysAfter(momentMs: number, days: number): number {
  return momentMs + days * DAY_MS
}

function workday(mondayMs: number, day: number): number {
  const week = Math.floor(day / WORKDAYS_PER_WEEK)
  return mondayMs + (week * 7 + (day % WORKDAYS_PER_WEEK)) * DAY_MS
}
