// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../../cell-store/cell.ts'
import { hashOfKey, hashOfText } from '../../../cell-store/row-hash.ts'

/**
 * Which rows may have been written or guarded since a timestamp, of all that this process committed. A
 * commit looks for newer versions in the view only where this says so, which for short transactions is
 * hardly ever.
 *
 * A row's slot keeps the newest commit timestamp of all rows that share it, so nothing is ever
 * forgotten and memory is bounded. Two rows in one slot only cost a look at the view that finds nothing.
 * What earlier processes committed lies below every timestamp of this one (I8).
 */
export class RecentWrites {
  readonly #newest = new Float64Array(PLACES)

  /** A row of this slot. */
  committed(slot: number, commitTs: Timestamp): void {
    if (commitTs > (this.#newest[slot] as number)) this.#newest[slot] = commitTs
  }

  mayBeSince(slot: number, startTs: Timestamp): boolean {
    return (this.#newest[slot] as number) >= startTs
  }
}

/** Half a megabyte. A power of two. */
export const PLACES = 65_536

/** Where a row stands in the tables of this process that are found by slots, by its key's text. */
export function slotOf(text: string): number {
  return hashOfText(text) & (PLACES - 1)
}

/** The slot of a row by its key instead of its text; the same one. */
export function slotOfKey(key: Uint8Array): number {
  return hashOfKey(key) & (PLACES - 1)
}
