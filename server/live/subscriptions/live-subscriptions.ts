// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../../storage/storage.ts'
import type { ClientKey } from '../../guard/budgets/client-key.ts'
import type { Turns } from '../../guard/budgets/turns.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import type { ChangeFrame } from './frames/change-frames.ts'
import { FrameBatch } from './frames/frame-batch.ts'
import type { SubscribedQuery } from './matching/subscribed-query.ts'
import type { Subscription } from './subscription.ts'

/**
 * The subscriptions that have read everything, by their query, and the frames that they are to be told
 * next. Frames of several commits are told together, for to send them costs far more than to make them,
 * and each subscriber takes all of its own with one call.
 */
export class LiveSubscriptions {
  readonly #turns: Turns
  readonly #byQuery = new Map<SubscribedQuery, Set<Subscription>>()
  #held = new Map<SubscribedQuery, ChangeFrame[]>()
  #heldBytes = 0

  constructor(turns: Turns) {
    this.#turns = turns
  }

  get isEmpty(): boolean {
    return this.#byQuery.size === 0
  }

  get queries(): readonly SubscribedQuery[] {
    return [...this.#byQuery.keys()]
  }

  /** It knows what is held so far, and passes that by. */
  add(subscription: Subscription): void {
    const { query } = subscription
    const subscriptions = this.#byQuery.get(query) ?? new Set()
    this.#byQuery.set(query, subscriptions.add(subscription))
    subscription.joined()
  }

  /** True when it was the last one of its query. */
  delete(subscription: Subscription): boolean {
    const { query } = subscription
    const subscriptions = this.#byQuery.get(query)
    if (subscriptions?.delete(subscription) !== true || subscriptions.size > 0) return false
    this.#byQuery.delete(query)
    return true
  }

  of(query: SubscribedQuery): readonly Subscription[] {
    return [...(this.#byQuery.get(query) ?? [])]
  }

  /** Whose work the query is: one of those who are subscribed; undefined where none is. */
  payerOf(query: SubscribedQuery): ClientKey | undefined {
    return this.#byQuery.get(query)?.values().next().value?.running.client
  }

  all(): readonly Subscription[] {
    return this.queries.flatMap((query) => this.of(query))
  }

  /** Keeps a frame until `tell`, which is due when this answers true. */
  hold(change: ChangeFrame): boolean {
    const { query } = change
    const held = this.#held.get(query)
    if (held === undefined) this.#held.set(query, [change])
    else held.push(change)
    this.#heldBytes += change.frame.bytes
    return this.#heldBytes >= SERVER_LIMITS.sentFrameBytesMax
  }

  /** Tells what is held, and calls back with each subscription that had no room for it. */
  async tell(hadNoRoom: (subscription: Subscription) => void): Promise<void> {
    const held = this.#held
    this.#held = new Map()
    this.#heldBytes = 0
    for (const [query, frames] of held) {
      const batches = FrameBatch.allOf(frames)
      for (const subscription of this.#byQuery.get(query) ?? []) {
        if (!batches.every((batch) => subscription.tell(batch))) hadNoRoom(subscription)
        if (this.#turns.isDue) await this.#turns.pause()
      }
    }
  }

  /** The same with how far the feed has come. */
  async progress(
    position: Timestamp,
    hadNoRoom: (subscription: Subscription) => void,
  ): Promise<void> {
    for (const subscriptions of this.#byQuery.values()) {
      for (const subscription of subscriptions) {
        if (!subscription.progress(position)) hadNoRoom(subscription)
        if (this.#turns.isDue) await this.#turns.pause()
      }
    }
  }
}
