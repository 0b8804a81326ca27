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

  /** A row of this place. */
  committed(place: number, commitTs: Timestamp): void {
    if (commitTs > (this.#newest[place] as number)) this.#newest[place] = commitTs
  }

  mayBeSince(place: number, startTs: Timestamp): boolean {
    return (this.#newest[place] as number) >= startTs
  }
}

/** Half a megabyte. A power of two. */
export const PLACES = 65_536

/** FNV-1a, with its upper half folded in: a key's last bytes, which differ most, would stay below. */
export function placeOf(text: string): number {
  let hash = FNV_BASIS
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME)
  return folded(hash)
}

/** The place of a row by its key instead of its text; the same one. */
export function placeOfKey(key: Uint8Array): number {
  let hash = FNV_BASIS
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ (key[at] as number), FNV_PRIME)
  return folded(hash)
}

const FNV_BASIS = 0x811c9dc5
const FNV_PRIME = 0x01000193

function folded(hash: number): number {
  return (hash ^ (hash >>> 16)) & (PLACES - 1)
}
