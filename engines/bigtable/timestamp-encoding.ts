// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../storage/cells/cell.ts'
import type { WireTimestamps } from './bigtable-messages.ts'

// Bigtable counts microseconds and keeps whole milliseconds, and the oracle's timestamps are microseconds. So one of
// ours is one of its milliseconds, counted from 2026: `…000` on the wire. Those below 1,024 stand for themselves;
// between them and 2026 there are none. A counter that Bigtable stamped itself maps back without harm.

const SMALL_END = 1_024
/** The beginning of 2026 in microseconds; no oracle has issued an earlier timestamp. */
const FIRST = 1_767_225_600_000_000
const SHIFT = FIRST - SMALL_END

/** The largest timestamp that the service keeps; its own bound lies above. */
export const TIMESTAMP_MAX: Timestamp = Number.MAX_SAFE_INTEGER

/** Whether the timestamp has a place on the wire. */
export function hasPlace(timestamp: Timestamp): boolean {
  return timestamp < SMALL_END || timestamp >= FIRST
}

/** Without arithmetic beyond 2^53: the last three digits are written. */
export function wireTimestamp(timestamp: Timestamp): string {
  const units = timestamp < SMALL_END ? timestamp : Math.max(timestamp - SHIFT, SMALL_END)
  return units === 0 ? '0' : `${units}000`
}

export function timestampOf(wire: string): Timestamp {
  const units = wire.length <= 3 ? 0 : Number(wire.slice(0, -3))
  return units < SMALL_END ? units : units + SHIFT
}

/** Undefined for a range that no cell is in. The end 0 is never said: on the wire it means "open". */
export function wireTimestamps(
  { from = 0, until = Infinity }: { readonly from?: Timestamp; readonly until?: Timestamp },
  timestampMax: Timestamp,
): WireTimestamps | undefined {
  if (until <= from || from > timestampMax) return undefined
  const start = wireTimestamp(from)
  if (until > timestampMax) return start === '0' ? {} : { startTimestampMicros: start }
  const end = wireTimestamp(until)
  if (start === end) return undefined
  return { startTimestampMicros: start, endTimestampMicros: end }
}
