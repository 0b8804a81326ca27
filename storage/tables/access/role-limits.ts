// SPDX-License-Identifier: Apache-2.0
import { STORAGE_LIMITS } from '../../limits.ts'

/**
 * What a role may have less of than the server allows, each for one holder of the role: how long a statement runs, in
 * milliseconds; requests at work; requests a second; open transactions; subscriptions. The last is for all of its
 * holders together: bytes that they write a day.
 */
export const ROLE_LIMITS = [
  'statement',
  'running',
  'rate',
  'transactions',
  'subscriptions',
  'written',
] as const

export type RoleLimit = (typeof ROLE_LIMITS)[number]

/** Whole numbers from 1 on; what is not there is not limited by the role. */
export type RoleLimits = { readonly [limit in RoleLimit]?: number }

export const NO_LIMITS: RoleLimits = {}

/** The largest figure of a limit. */
export function roleLimitMax(limit: RoleLimit): number {
  const { roleStatementMsMax, roleWrittenBytesMax, roleLimitMax: most } = STORAGE_LIMITS
  if (limit === 'statement') return roleStatementMsMax
  return limit === 'written' ? roleWrittenBytesMax : most
}

export function isRoleLimits(json: unknown): json is RoleLimits {
  if (typeof json !== 'object' || json === null) return false
  return Object.entries(json).every(
    ([name, figure]) =>
      ROLE_LIMITS.some((known) => known === name) && Number.isSafeInteger(figure) && figure >= 1,
  )
}

/** Those that are there after a change, in one order; undefined is taken off. */
export function changedLimits(
  before: RoleLimits,
  changes: ReadonlyMap<RoleLimit, number | undefined>,
): RoleLimits {
  return Object.fromEntries(
    ROLE_LIMITS.flatMap((limit) => {
      const figure = changes.has(limit) ? changes.get(limit) : before[limit]
      return figure === undefined ? [] : [[limit, figure]]
    }),
  )
}
