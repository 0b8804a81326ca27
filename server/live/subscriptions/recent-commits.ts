// SPDX-License-Identifier: Apache-2.0
import type { FeedCommit, FeedPage, Timestamp } from '../../../storage/storage.ts'

/**
 * The newest commits of the feed, of a bounded number of rows: a subscriber that comes back after a
 * moment, or has been slow for one, reads them here and not from the store. Only keys, as in the feed.
 *
 *     begun at 20, told 30, 40 and 50        a subscriber at 20 or later finds the rest here
 */
export class RecentCommits {
  readonly #rowsMax: number
  #commits: FeedCommit[] = []
  #rows = 0
  /** All commits in (`#start`, `#end`] are here; undefined while no subscription follows the feed. */
  #start: Timestamp | undefined
  #end: Timestamp = 0

  constructor(rowsMax: number) {
    this.#rowsMax = rowsMax
  }

  /** The feed is followed from this position on; what is here already is kept if nothing lies between. */
  followedFrom(position: Timestamp): void {
    if (this.#start !== undefined && position <= this.#end) return
    this.clear()
    this.#start = position
    this.#end = position
  }

  add(commit: FeedCommit): void {
    if (this.#start === undefined || commit.commitTs <= this.#end) return
    this.#commits.push(commit)
    this.#end = commit.commitTs
    this.#rows += commit.rows.length
    // Forgotten in large pieces, so that each commit costs the same little.
    if (this.#rows > 2 * this.#rowsMax) this.#forgetOldest()
  }

  /** Nothing more comes up to there. */
  passed(position: Timestamp): void {
    if (this.#start !== undefined) this.#end = Math.max(this.#end, position)
  }

  /** As `ChangeFeed.read`; undefined when the store has to be asked. */
  read(position: Timestamp, rowsMax: number): FeedPage | undefined {
    if (this.#start === undefined || position < this.#start) return undefined
    const commits: FeedCommit[] = []
    let rows = 0
    let index = this.#indexAfter(position)
    for (; index < this.#commits.length && rows < rowsMax; index += 1) {
      const commit = this.#commits[index] as FeedCommit
      commits.push(commit)
      rows += commit.rows.length
    }
    const isCaughtUp = index === this.#commits.length
    const end = isCaughtUp ? Math.max(position, this.#end) : commits.at(-1)?.commitTs
    return { commits, position: end ?? position, isCaughtUp }
  }

  clear(): void {
    this.#commits = []
    this.#rows = 0
    this.#start = undefined
    this.#end = 0
  }

  #forgetOldest(): void {
    let forgotten = 0
    while (this.#rows > this.#rowsMax && forgotten < this.#commits.length) {
      const { commitTs, rows } = this.#commits[forgotten] as FeedCommit
      this.#rows -= rows.length
      this.#start = commitTs
      forgotten += 1
    }
    this.#commits = this.#commits.slice(forgotten)
  }

  /** The first commit after a position, by binary search. */
  #indexAfter(position: Timestamp): number {
    let low = 0
    let high = this.#commits.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#commits[middle] as FeedCommit).commitTs <= position) low = middle + 1
      else high = middle
    }
    return low
  }
}
