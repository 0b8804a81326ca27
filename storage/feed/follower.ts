// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cell-store/cell.ts'
import type { FeedCommit, FeedFollower, FeedListener } from './change-feed.ts'

/** One reader of the feed: where it is, and that what it is told only goes up. */
export class Follower implements FeedFollower {
  readonly #listener: FeedListener
  readonly #stopped: () => void
  #position: Timestamp
  #state: 'catchingUp' | 'live' | 'stopped' = 'catchingUp'

  constructor(position: Timestamp, listener: FeedListener, stopped: () => void) {
    this.#position = position
    this.#listener = listener
    this.#stopped = stopped
  }

  get position(): Timestamp {
    return this.#position
  }

  get isLive(): boolean {
    return this.#state === 'live'
  }

  get isStopped(): boolean {
    return this.#state === 'stopped'
  }

  stop(): void {
    if (this.#state === 'stopped') return
    this.#state = 'stopped'
    this.#stopped()
  }

  goLive(): void {
    this.#state = 'live'
  }

  /** What is settled cannot be told at once; it will be read. */
  fallBehind(): void {
    if (this.#state === 'live') this.#state = 'catchingUp'
  }

  /** Nothing up to here is missing any more; of one that was stopped meanwhile that is not known. */
  passed(position: Timestamp): void {
    if (this.#state === 'stopped') return
    this.#position = Math.max(this.#position, position)
  }

  /**
   * Tells a commit, unless the listener knows it from the snapshot that it began with. Never throws: the
   * following ends with a listener that does, and neither the others nor whoever commits hears of it.
   */
  tell(commit: FeedCommit): void {
    if (this.#state === 'stopped' || commit.commitTs <= this.#position) return
    try {
      this.#position = commit.commitTs
      this.#listener.commit(commit)
    } catch (error) {
      this.fail(error)
    }
  }

  fail(error: unknown): void {
    if (this.#state === 'stopped') return
    this.stop()
    // Not here: a second error must not be taken for one of the commit that is just being told.
    queueMicrotask(() => this.#listener.failed(error))
  }
}
