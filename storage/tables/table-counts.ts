// SPDX-License-Identifier: Apache-2.0
import { limitExceeded } from '../errors.ts'
import { STORAGE_LIMITS } from '../limits.ts'

const LIMITS = {
  columns: 'tableColumnsMax',
  indexes: 'tableIndexesMax',
  observers: 'tableObserversMax',
  grants: 'tableGrantsMax',
  checks: 'tableChecksMax',
} as const

/** Throws `limit_exceeded` for more of them than a table may have. */
export function requireCount(table: string, what: keyof typeof LIMITS, actual: number): void {
  const limit = LIMITS[what]
  const limitValue = STORAGE_LIMITS[limit]
  if (actual <= limitValue) return
  const message = `A table has at most ${limitValue} ${what}, not ${actual}.`
  throw limitExceeded(limit, actual, message, { table })
}
