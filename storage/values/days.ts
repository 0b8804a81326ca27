// SPDX-License-Identifier: Apache-2.0

export const DAY_MICROS = 86_400_000_000n

/** The day, in UTC, on which the moment is. */
export function dateOfTimestamp(micros: bigint): bigint {
  const inDay = ((micros % DAY_MICROS) + DAY_MICROS) % DAY_MICROS
  return (micros - inDay) / DAY_MICROS
}

/** What now() is of in a column: a moment, or its day. */
export function nowOf(type: string, now: bigint): bigint {
  return type === 'DATE' ? dateOfTimestamp(now) : now
}
