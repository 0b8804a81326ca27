// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../../cell-store/cell.ts'
import { hashOfKey, hashOfText } from '../../../cell-store/row-hash.ts'

/**
 * The rows that may have been written or guarded since a timestamp, by commits of this process. A commit looks for
 * newer versions in the view only where this says so, which is rare for short transactions.
 *
 * A row's slot keeps the newest commit timestamp of all rows that share it, so nothing is ever forgotten and memory is
 * bounded. Two rows in one slot only cost a read of the view that finds nothing. The commits of earlier processes are
 * below every timestamp of this one (I8).
 */
export class RecentWrites {
  readonly #newest = new Float64Array(PLACES)

  /** Records the commit of a row of this slot. */
  committed(slot: number, commitTs: Timestamp): void {
    if (commitTs > (this.#newest[slot] as number)) this.#newest[slot] = commitTs
  }

  mayBeSince(slot: number, startTs: Timestamp): boolean {
    return (this.#newest[slot] as number) >= startTs
  }
}

/** Half a megabyte. A power of two. */
export const PLACES = 65_536

/** The slot of a row in the hash tables of this process, 0 to `SLOTS` - 1, by its key's text. */
export function slotOf(text: string): number {
  return hashOfText(text) & (PLACES - 1)
}

/** The same slot, by the row's key instead of its text. */
export function slotOfKey(key: Uint8Array): number {
  return hashOfKey(key) & (PLACES - 1)
}
