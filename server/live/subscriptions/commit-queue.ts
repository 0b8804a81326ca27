// SPDX-License-Identifier: Apache-2.0
import type { FeedCommit, Timestamp } from '../../../storage/storage.ts'

/** What waits for its turn: a commit, that nothing more comes up to a timestamp, or nothing at all. */
export type QueuedEvent =
  | { readonly kind: 'commit'; readonly commit: FeedCommit }
  | { readonly kind: 'progress'; readonly timestamp: Timestamp }
  | { readonly kind: 'failure'; readonly error: unknown }

/**
 * What the feed has delivered and is still to be looked at: keys of rows only, and of a bounded number of
 * rows; beyond that the filler has to stop and continue later.
 */
export class CommitQueue {
  readonly #rowsMax: number
  #events: QueuedEvent[] = []
  #taken = 0
  #rows = 0

  constructor(rowsMax: number) {
    this.#rowsMax = rowsMax
  }

  get isEmpty(): boolean {
    return this.#taken === this.#events.length
  }

  /** One commit finds room always, however large. */
  get isFull(): boolean {
    return this.#rows >= this.#rowsMax
  }

  add(event: QueuedEvent): void {
    this.#events.push(event)
    if (event.kind === 'commit') this.#rows += event.commit.rows.length
  }

  take(): QueuedEvent | undefined {
    const event = this.#events[this.#taken]
    if (event === undefined) return undefined
    this.#taken += 1
    if (event.kind === 'commit') this.#rows -= event.commit.rows.length
    // What was taken is let go in large pieces, so that each taking costs the same little.
    if (this.isEmpty || this.#taken >= 1_000) {
      this.#events = this.#events.slice(this.#taken)
      this.#taken = 0
    }
    return event
  }

  clear(): void {
    this.#events = []
    this.#taken = 0
    this.#rows = 0
  }
}
