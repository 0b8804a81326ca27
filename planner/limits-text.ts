// SPDX-License-Identifier: Apache-2.0
import { ROLE_LIMITS, type RoleLimits } from '../storage/tables/access/access.ts'

const UNITS = [
  ['DAY', 86_400_000],
  ['HOUR', 3_600_000],
  ['MINUTE', 60_000],
  ['SECOND', 1_000],
  ['MILLISECOND', 1],
] as const

/** `2 SECONDS`, in the largest unit that leaves nothing over. */
export function durationText(ms: number): string {
  const [unit, size] = UNITS.find(([, size]) => ms % size === 0) as (typeof UNITS)[number]
  return `${ms / size} ${unit}${ms === size ? '' : 'S'}`
}

/** `statement 2 SECONDS, rate 20`, as ALTER ROLE has it; null where there are none. */
export function limitsText(limits: RoleLimits = {}): string | null {
  const texts = ROLE_LIMITS.flatMap((limit) => {
    const figure = limits[limit]
    if (figure === undefined) return []
    return `${limit} ${limit === 'statement' ? durationText(figure) : figure}`
  })
  return texts.length === 0 ? null : texts.join(', ')
}
