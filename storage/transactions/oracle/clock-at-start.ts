// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { type Clock, timeText } from '../../clock.ts'
import { StorageError } from '../../errors.ts'
import { AHEAD_MICROS_MAX } from './trusted-wall-clock.ts'

/** An hour: less is what a clock may lose that was set by hand, or by a time zone that was mistaken. */
const BEHIND_MICROS_MAX = 3600 * 1_000_000

/**
 * Refuses a clock at the start that lies so far from the newest timestamp of the store that one of the two
 * must be wrong: over an hour below it, or over 30 days above it. A new store has nothing to compare with.
 * Throws StorageError `clock_not_plausible` with both, in microseconds since 1970.
 */
export function requirePlausibleClock(clock: Clock, newest: Timestamp): void {
  const wallMicros = clock.wallMicros()
  const aheadMicros = wallMicros - newest
  const isPlausible = aheadMicros >= -BEHIND_MICROS_MAX && aheadMicros <= AHEAD_MICROS_MAX
  if (newest === 0 || isPlausible) return
  const direction = aheadMicros < 0 ? 'before' : 'after'
  throw new StorageError(
    'clock_not_plausible',
    `The clock of this machine says ${timeText(wallMicros)}, which is ${spanOf(aheadMicros)} ${direction} \
the newest timestamp of the store, ${timeText(newest)}.`,
    { clock: wallMicros, newest },
  )
}

function spanOf(micros: number): string {
  const hours = Math.abs(micros) / (3600 * 1_000_000)
  return hours < 72 ? `${Math.round(hours)} h` : `${Math.round(hours / 24)} days`
}
