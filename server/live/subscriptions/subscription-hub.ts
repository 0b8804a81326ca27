// SPDX-License-Identifier: Apache-2.0

import type { FeedCommit, FeedFollower, Timestamp } from '../../../storage/storage.ts'
import type { Catalog } from '../../../storage/tables/tables.ts'
import { type ClientKey, SERVER_ITSELF } from '../../guard/budgets/client-key.ts'
import { Turns, turnTaker } from '../../guard/budgets/turns.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import { catalogAt } from '../../snapshot.ts'
import { CommitQueue, type QueuedEvent } from './commit-queue.ts'
import { type CostlyQuery, changeFrames } from './frames/change-frames.ts'
import {
  type ClientWork,
  SharedWork,
  type WorkAccount,
  workRefusal,
} from './frames/work-accounts.ts'
import { LiveSubscriptions } from './live-subscriptions.ts'
import { CommitImages } from './matching/commit-images.ts'
import type { SubscribedQuery } from './matching/subscribed-query.ts'
import { SubscriptionIndex } from './matching/subscription-index.ts'
import type { Subscription } from './subscription.ts'
import type { SubscriptionDependencies } from './subscription-parts.ts'

/** Rows that a subscription may be behind when it joins: while it reads them, all others wait. */
const JOINING_ROWS_MAX = 100

type Joining = {
  readonly subscription: Subscription
  readonly answer: PromiseWithResolvers<boolean>
}

/** Who is told together: one client, or all that are not set apart. */
export type HubMembers =
  | { readonly kind: 'oneClient'; readonly client: ClientKey; readonly work: ClientWork }
  | {
      readonly kind: 'all'
      readonly isApart: (client: ClientKey) => boolean
      readonly setApart: (client: ClientKey) => void
    }

/**
 * A follower of the feed, for subscriptions that have read everything: those of all clients, but for clients
 * whose subscriptions take so much work that the others would wait; each of these has one of its own.
 * It takes one event after the other, whole: a commit, a subscription that joins between two of them, a
 * sign of progress. The feed tells it in the turn of a commit; there it only keeps the keys, and the work
 * is done later.
 *
 * A live subscription knows everything up to `#position`, which is moved before the work on a commit begins:
 * a subscription that has read up to there on its own can join without a gap and without a duplicate.
 */
export class SubscriptionHub {
  readonly #deps: SubscriptionDependencies
  readonly #live: LiveSubscriptions
  readonly #queue = new CommitQueue(SERVER_LIMITS.feedQueueRows)
  readonly #turns: Turns
  readonly #members: HubMembers
  readonly #shared = new SharedWork()
  #joining: Joining[] = []
  #follower: FeedFollower | undefined
  #position: Timestamp = 0
  #index: SubscriptionIndex | undefined
  #working: Promise<void> | undefined

  constructor(deps: SubscriptionDependencies, members: HubMembers) {
    this.#deps = deps
    this.#members = members
    // What is sent to all clients together belongs to no single one.
    const client = members.kind === 'oneClient' ? members.client : SERVER_ITSELF
    this.#turns = new Turns(deps.turnQueue, turnTaker(client))
    this.#live = new LiveSubscriptions(this.#turns)
  }

  join(subscription: Subscription): Promise<boolean> {
    const answer = Promise.withResolvers<boolean>()
    this.#joining.push({ subscription, answer })
    this.#work()
    return answer.promise
  }

  leave(subscription: Subscription): void {
    if (this.#live.delete(subscription)) this.#index?.delete(subscription.query)
    if (this.#live.isEmpty) this.#unfollow()
  }

  /**
   * How far a subscription has come: where nothing waits to be told, the live ones know all that is settled, though
   * they are told of it only now and then. `resolved` is what the feed said before.
   */
  positionOf(subscription: Subscription, resolved: Timestamp): Timestamp {
    const { position, isLive } = subscription
    const isAtRest = this.#working === undefined && this.#queue.isEmpty
    const isTold = isLive && isAtRest && this.#follower?.isLive === true
    return isTold ? Math.max(position, resolved) : position
  }

  /** Tells everybody how far the feed has come. Rejects with the errors of the feed. */
  async progress(): Promise<void> {
    if (this.#follower === undefined) return
    const timestamp = await this.#deps.storage.feed.resolved()
    // Live subscriptions have been sent everything up to it, so the queue begins after it.
    const isKnown = this.#follower?.isLive === true
    if (isKnown) this.#deps.recent.passed(timestamp)
    this.#queue.add({ kind: 'progress', timestamp: isKnown ? timestamp : this.#position })
    this.#work()
  }

  /** Each looks at its rights where its client can be told, and goes on from what it was told last. */
  rightsChanged(): void {
    for (const subscription of this.#live.all()) {
      if (!this.#isAllowed(subscription.query)) this.#readsAlone(subscription)
    }
  }

  #isAllowed(query: SubscribedQuery): boolean {
    try {
      this.#index?.planOf(query)
      return true
    } catch {
      return false
    }
  }

  /** Waits for the work under way; nothing is followed any more. */
  async close(): Promise<void> {
    this.#unfollow()
    await this.#working
  }

  #work(): void {
    this.#working ??= this.#workOff()
      .catch((error) => this.#allReadAlone(error))
      .finally(() => {
        this.#working = undefined
        if (!this.#queue.isEmpty || this.#joining.length > 0) this.#work()
      })
  }

  async #workOff(): Promise<void> {
    // Those who commit are answered first.
    await this.#turns.pause()
    while (true) {
      const joining = this.#joining.shift()
      if (joining !== undefined) await this.#admit(joining)
      const event = this.#queue.take()
      if (event !== undefined) await this.#take(event)
      if (this.#queue.isEmpty) await this.#tellHeld()
      if (event === undefined && joining === undefined) break
      if (this.#turns.isDue) await this.#turns.pause()
    }
    if (!this.#live.isEmpty) this.#follow()
  }

  async #take(event: QueuedEvent): Promise<void> {
    if (event.kind === 'commit') return this.#deliver(event.commit)
    await this.#tellHeld()
    if (event.kind === 'failure') return this.#allReadAlone(event.error)
    this.#position = Math.max(this.#position, event.timestamp)
    await this.#live.progress(this.#position, this.#readsAlone)
  }

  async #tellHeld(): Promise<void> {
    await this.#live.tell(this.#readsAlone)
  }

  /** From the position on; after a queue that was full, what it did not take is read once more. */
  #follow(): void {
    if (this.#follower !== undefined) return
    const { storage, recent } = this.#deps
    recent.followedFrom(this.#position)
    const follower = storage.feed.follow(this.#position, {
      commit: (commit) => {
        recent.add(commit)
        if (this.#queue.isFull) {
          follower.stop()
          this.#follower = undefined
        } else {
          this.#queue.add({ kind: 'commit', commit })
        }
        this.#work()
      },
      failed: (error) => {
        if (this.#follower === follower) {
          this.#follower = undefined
          recent.clear()
        }
        this.#queue.add({ kind: 'failure', error })
        this.#work()
      },
    })
    this.#follower = follower
  }

  #unfollow(): void {
    this.#follower?.stop()
    this.#follower = undefined
    this.#queue.clear()
    this.#deps.recent.clear()
    this.#index = undefined
  }

  async #admit({ subscription, answer }: Joining): Promise<void> {
    try {
      await this.#tellHeld()
      if (this.#live.isEmpty) this.#beginAt(subscription.position)
      if (!this.#isMember(subscription)) return answer.resolve(false)
      if (subscription.position < this.#position) await this.#catchUp(subscription)
      if (subscription.position < this.#position) return answer.resolve(false)
      const index = await this.#currentIndex(this.#position)
      index.add(subscription.query)
      // The last of the others may have left in between, and the index with it.
      this.#index = index
      this.#live.add(subscription)
      answer.resolve(true)
    } catch (error) {
      answer.reject(error)
    }
  }

  /** While it reads all others wait, so its client pays for it as for what they are told. */
  async #catchUp(subscription: Subscription): Promise<void> {
    if (this.#members.kind === 'oneClient') {
      await subscription.readOn(JOINING_ROWS_MAX)
      return
    }
    const account = this.#shared.of(subscription.running.client)
    await subscription.readOn(JOINING_ROWS_MAX, account)
    if (account.spent > account.max) await this.#setApart(account, this.#position)
  }

  /** Its client may have been set apart since it asked to join. */
  #isMember({ running }: Subscription): boolean {
    return this.#members.kind === 'oneClient' || !this.#members.isApart(running.client)
  }

  /** No subscription is live, so it may be anywhere. */
  #beginAt(position: Timestamp): void {
    this.#position = position
    this.#index = undefined
  }

  async #deliver(commit: FeedCommit): Promise<void> {
    const before = this.#position
    if (commit.commitTs <= before || this.#live.isEmpty) return
    this.#position = commit.commitTs
    try {
      const index = await this.#currentIndex(before)
      if (index.isConcernedBy(commit)) await this.#tell(commit, before)
    } catch (error) {
      this.#allReadAlone(error)
    }
  }

  async #tell(commit: FeedCommit, before: Timestamp): Promise<void> {
    const { storage, writer } = this.#deps
    await CommitImages.of(storage, commit.commitTs, async (images) => {
      const index = await this.#indexFor(images.catalog)
      this.#shared.begin(commit)
      const accountOf = (query: SubscribedQuery) => this.#accountOf(query, commit)
      const working = { images, index, writer, turns: this.#turns, accountOf }
      for await (const change of changeFrames(commit, 0, working)) {
        if (change.kind === 'failure') await this.#end(change.query, change.error)
        else if (change.kind === 'costly') await this.#relieve(change, before)
        else if (this.#live.hold(change)) await this.#tellHeld()
      }
    })
  }

  #accountOf(query: SubscribedQuery, commit: FeedCommit): WorkAccount | undefined {
    const client = this.#live.payerOf(query)
    if (client === undefined) return undefined
    return this.#members.kind === 'all' ? this.#shared.of(client) : this.#members.work.on(commit)
  }

  /** Where all wait for each other the client goes on by itself; where it waits for itself alone, the query ends. */
  async #relieve({ query, account, spent }: CostlyQuery, before: Timestamp): Promise<void> {
    if (this.#members.kind === 'all') return this.#setApart(account, before)
    const held = this.#deps.shares.subscriptions.heldBy(account.client)
    const refusal = workRefusal(account, spent, held)
    if (refusal === undefined) return
    await this.#end(query, refusal)
    account.spent -= spent
  }

  /** All of them have been told everything up to the position. */
  async #setApart({ client }: WorkAccount, position: Timestamp): Promise<void> {
    if (this.#members.kind === 'all') this.#members.setApart(client)
    await this.#tellHeld()
    for (const subscription of this.#live.all()) {
      if (subscription.running.client !== client) continue
      subscription.passed(position)
      this.#readsAlone(subscription)
    }
  }

  /** The index as of the position, which every later change of the catalog renews. */
  async #currentIndex(position: Timestamp): Promise<SubscriptionIndex> {
    this.#index ??= new SubscriptionIndex(await catalogAt(this.#deps.storage, position))
    return this.#index
  }

  /** Queries that do not fit the definitions any more end. */
  async #indexFor(catalog: Catalog): Promise<SubscriptionIndex> {
    if (this.#index?.catalog.version === catalog.version) return this.#index
    const index = new SubscriptionIndex(catalog)
    this.#index = index
    for (const query of this.#live.queries) {
      try {
        index.add(query)
      } catch (error) {
        await this.#end(query, error)
      }
    }
    return index
  }

  async #end(query: SubscribedQuery, error: unknown): Promise<void> {
    await this.#tellHeld()
    for (const subscription of this.#live.of(query)) {
      this.leave(subscription)
      subscription.left({ error })
    }
  }

  readonly #readsAlone = (subscription: Subscription): void => {
    this.leave(subscription)
    subscription.left()
  }

  /** Each goes on from what it was told last, and meets what is wrong where its client can be told. */
  #allReadAlone(error: unknown): void {
    this.#deps.log.warn({ err: error }, 'a shared read failed; each subscription reads on its own')
    for (const subscription of this.#live.all()) this.#readsAlone(subscription)
  }
}
