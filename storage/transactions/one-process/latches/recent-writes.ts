// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../../cells/cell.ts'

/** Half a megabyte. A power of two. */
const SLOTS = 65_536

/**
 * The rows that may have been written or guarded since a timestamp, by commits of this process. A commit looks for
 * newer versions in the view only where this says so, which is rare for short transactions.
 *
 * A slot keeps the newest commit timestamp of all rows whose hashes (`row-hash.ts`) share it, so nothing is ever
 * forgotten and memory is bounded. Two rows in one slot only cost a read of the view that finds nothing. The commits of
 * earlier processes are below every timestamp of this one (I8).
 */
export class RecentWrites {
  readonly #newest = new Float64Array(SLOTS)

  /** Records the commit of a row with this hash. */
  committed(hash: number, commitTs: Timestamp): void {
    const slot = hash & (SLOTS - 1)
    if (commitTs > (this.#newest[slot] as number)) this.#newest[slot] = commitTs
  }

  mayBeSince(hash: number, startTs: Timestamp): boolean {
    return (this.#newest[hash & (SLOTS - 1)] as number) >= startTs
  }
}
