// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'

/** How history is kept: for readers, so that it may be 0 without harm to anything but them. */
export type Retention = {
  /** Every snapshot younger than this can be read. */
  readonly retentionMs: number
  /** Further milliseconds by which an open transaction may hold the safe point back; then it is too old. */
  readonly heldMsMax: number
}

/** A moment, as far as the choice asks for it. */
export type SafePointMoment = {
  readonly oldestSnapshot: Timestamp
  /** The newest known timestamp that was issued at least `agoMs` ago. */
  readonly ago: (agoMs: number) => Timestamp
}

/**
 * Pure: the timestamp below which no snapshot will be readable any more.
 *
 *     retention 10 s, held at most 60 s, now 100 s
 *     no open transaction                      -> 90 s
 *     the oldest open transaction is of 70 s   -> 70 s
 *     the oldest open transaction is of 20 s   -> 30 s: it has been waited for long enough
 */
export function chooseSafePoint(
  { oldestSnapshot, ago }: SafePointMoment,
  { retentionMs, heldMsMax }: Retention,
): Timestamp {
  return Math.max(ago(retentionMs + heldMsMax), Math.min(ago(retentionMs), oldestSnapshot))
}
