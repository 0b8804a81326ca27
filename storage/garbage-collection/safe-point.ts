// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cell-store/cell.ts'

/** How history is kept: for readers, so that it may be 0 without harm to anything but them. */
export type Retention = {
  /** Every snapshot younger than this can be read. */
  readonly retentionMs: number
  /** An open transaction may hold the safe point back by so much more, and is then too old. */
  readonly heldMsMax: number
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
  moment: { readonly now: Timestamp; readonly oldestSnapshot: Timestamp },
  { retentionMs, heldMsMax }: Retention,
): Timestamp {
  const wanted = moment.now - retentionMs * 1000
  const heldAtLeast = wanted - heldMsMax * 1000
  return Math.max(0, heldAtLeast, Math.min(wanted, moment.oldestSnapshot))
}
