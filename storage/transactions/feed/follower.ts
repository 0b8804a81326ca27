// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { FeedCommit, FeedFollower, FeedListener, FollowOptions } from './change-feed.ts'

/** One reader of the feed: its position, and the check that its commits ascend. */
export class Follower implements FeedFollower {
  readonly #listener: FeedListener
  readonly #stopped: () => void
  /** See `FollowOptions`. */
  readonly everyMs: number | undefined
  #position: Timestamp
  #state: 'catchingUp' | 'live' | 'stopped' = 'catchingUp'

  constructor(
    position: Timestamp,
    listener: FeedListener,
    stopped: () => void,
    { everyMs }: FollowOptions = {},
  ) {
    this.everyMs = everyMs
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

  /** Newly settled commits cannot be delivered at once; they will be read. */
  fallBehind(): void {
    if (this.#state === 'live') this.#state = 'catchingUp'
  }

  /** Records that nothing up to here is missing, unless the follower was stopped meanwhile. */
  passed(position: Timestamp): void {
    if (this.#state === 'stopped') return
    this.#position = Math.max(this.#position, position)
  }

  /**
   * Delivers a commit, unless the listener knows it from the snapshot that it began with. Never throws: an error of a
   * listener ends its following, and affects neither the others nor the committing transaction.
   */
  tell(commit: FeedCommit, hinted: readonly Uint8Array[] = []): void {
    if (this.#state === 'stopped' || commit.commitTs <= this.#position) return
    try {
      this.#position = commit.commitTs
      if (commit.rows.length > 0) this.#listener.commit(commit)
      if (hinted.length > 0) this.#listener.hinted?.(hinted)
    } catch (error) {
      this.fail(error)
    }
  }

  fail(error: unknown): void {
    if (this.#state === 'stopped') return
    this.stop()
    // Not here: a second error must not be taken for one of the commit that is being delivered.
    queueMicrotask(() => this.#listener.failed(error))
  }
}
