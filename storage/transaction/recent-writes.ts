// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cell-store/cell.ts'

/**
 * Which rows may have been written or guarded since a timestamp, of all that this process committed. A
 * commit looks for newer versions in the view only where this says so, which for short transactions is
 * hardly ever.
 *
 * A row's place keeps the newest commit timestamp of all rows that share it, so nothing is ever
 * forgotten and memory is bounded. Two rows in one place only cost a look at the view that finds nothing.
 * What earlier processes committed lies below every timestamp of this one (I8).
 */
export class RecentWrites {
  readonly #newest = new Float64Array(PLACES)

  committed(text: string, commitTs: Timestamp): void {
    const place = placeOf(text)
    if (commitTs > (this.#newest[place] as number)) this.#newest[place] = commitTs
  }

  mayBeSince(text: string, startTs: Timestamp): boolean {
    return (this.#newest[placeOf(text)] as number) >= startTs
  }
}

/** Half a megabyte. A power of two. */
const PLACES = 65_536

/** FNV-1a, with its upper half folded in: a key's last bytes, which differ most, would stay below. */
function placeOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return (hash ^ (hash >>> 16)) & (PLACES - 1)
}
