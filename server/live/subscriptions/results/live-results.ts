// SPDX-License-Identifier: Apache-2.0
import type { FeedFollower, Timestamp } from '../../../../storage/storage.ts'
import type { Catalog } from '../../../../storage/tables/tables.ts'
import { SERVER_ITSELF } from '../../../guard/budgets/client-key.ts'
import { Turns, turnTaker } from '../../../guard/budgets/turns.ts'
import { SERVER_LIMITS } from '../../../limits.ts'
import { catalogAt } from '../../../snapshot.ts'
import { CommitQueue, type QueuedEvent } from '../commit-queue.ts'
import type { SubscriptionDependencies } from '../subscription-parts.ts'
import { EvaluationCosts } from './evaluation-costs.ts'
import { LiveResult, type ResultDependencies } from './live-result.ts'
import { ReadSets } from './reads/read-sets.ts'
import { touchedKeys } from './reads/touched-keys.ts'
import type { ResultQuery } from './result-query.ts'
import type { Bookmark, ResultSubscription } from './result-subscription.ts'

/** After the feed has failed it is followed again after so long. */
const FAILED_MS = 1_000

/**
 * The live results of the server, and the follower of the feed that tells them of commits. Each commit is looked up in
 * what all of them have read. Where it cannot be, all of them are evaluated again: that is always right.
 */
export class LiveResults {
  readonly #deps: SubscriptionDependencies
  readonly #byName = new Map<string, LiveResult>()
  readonly #queue = new CommitQueue(SERVER_LIMITS.feedQueueRows)
  readonly #turns: Turns
  readonly #closing = new AbortController()
  readonly #parts: ResultDependencies
  #follower: FeedFollower | undefined
  #following: Promise<void> | undefined
  /** Commits up to here are known to all. */
  #position: Timestamp = 0
  #catalog: Catalog | undefined
  #working: Promise<void> | undefined

  constructor(deps: SubscriptionDependencies) {
    this.#deps = deps
    const { signal } = this.#closing
    this.#turns = new Turns(deps.turnQueue, turnTaker(SERVER_ITSELF, signal))
    this.#parts = {
      deps,
      sets: new ReadSets(),
      costs: new EvaluationCosts(),
      evaluating: new Set(),
      evaluations: { count: 0 },
      followed: () => this.#followed(),
      closing: signal,
    }
  }

  get count(): number {
    return this.#byName.size
  }

  /** Since the server has begun. */
  get evaluations(): number {
    return this.#parts.evaluations.count
  }

  /** All that somebody is subscribed to. */
  all(): Iterable<LiveResult> {
    return this.#byName.values()
  }

  /** Never resolves; rejects as `ResultSubscription.run`. */
  async serve(
    query: ResultQuery,
    subscription: ResultSubscription,
    bookmark: Bookmark | undefined,
  ): Promise<never> {
    const { name } = query
    const result = this.#byName.get(name) ?? new LiveResult(query, this.#parts)
    this.#byName.set(name, result)
    result.holders += 1
    try {
      return await subscription.run(result, bookmark)
    } finally {
      result.holders -= 1
      if (result.holders === 0 && this.#byName.get(name) === result) this.#byName.delete(name)
      if (this.#byName.size === 0) this.#unfollow()
    }
  }

  /** How far a subscription has come: with the newest state, it knows all that is settled. */
  positionOf(subscription: ResultSubscription, resolved: Timestamp): Timestamp {
    const { position } = subscription
    const isAtRest = this.#working === undefined && this.#queue.isEmpty
    const knowsAll = isAtRest && this.#follower?.isLive === true && subscription.isNewest
    return knowsAll ? Math.max(position, resolved) : position
  }

  /** Tells everybody how far the feed has come. Rejects with the errors of the feed. */
  async progress(): Promise<void> {
    if (this.#follower === undefined) return
    const timestamp = await this.#deps.storage.feed.resolved()
    if (this.#follower?.isLive !== true) return
    this.#queue.add({ kind: 'progress', timestamp })
    this.#work()
  }

  /** Each is evaluated under the rights of now; those that may not be seen any more end. */
  rightsChanged(): void {
    for (const result of this.all()) if (result.query.isRestricted) result.outdate()
  }

  /** To be called when all subscriptions have been ended. */
  async close(): Promise<void> {
    this.#closing.abort()
    this.#unfollow()
    await this.#following?.catch(() => undefined)
    await this.#working
    await Promise.all([...this.all()].map((result) => result.close()))
  }

  #followed(): Promise<void> {
    this.#following ??= this.#follow().catch((error) => {
      this.#following = undefined
      throw error
    })
    return this.#following
  }

  /** Commits after a timestamp that is settled: an evaluation that begins later knows all before. */
  async #follow(): Promise<void> {
    const { feed } = this.#deps.storage
    const position = await feed.resolved()
    this.#position = position
    this.#catalog = undefined
    const follower = feed.follow(position, {
      commit: (commit) => {
        if (this.#queue.isFull) this.#lose(follower)
        else this.#queue.add({ kind: 'commit', commit })
        this.#work()
      },
      failed: (error) => {
        if (this.#follower === follower) this.#follower = undefined
        this.#queue.add({ kind: 'failure', error })
        this.#work()
      },
    })
    this.#follower = follower
  }

  /** What it does not take is not read again: all are evaluated instead. */
  #lose(follower: FeedFollower): void {
    follower.stop()
    this.#follower = undefined
    this.#queue.add({ kind: 'failure', error: undefined })
  }

  #unfollow(): void {
    this.#follower?.stop()
    this.#follower = undefined
    this.#following = undefined
    this.#queue.clear()
    this.#catalog = undefined
  }

  #work(): void {
    this.#working ??= this.#workOff()
      .catch((error) => this.#failed(error))
      .finally(() => {
        this.#working = undefined
        if (!this.#queue.isEmpty) this.#work()
      })
  }

  async #workOff(): Promise<void> {
    // Those who commit are answered first.
    await this.#turns.pause()
    for (let event = this.#queue.take(); event !== undefined; event = this.#queue.take()) {
      await this.#take(event)
      if (this.#turns.isDue) await this.#turns.pause()
    }
  }

  async #take(event: QueuedEvent): Promise<void> {
    if (event.kind === 'failure') return await this.#failed(event.error)
    if (event.kind === 'progress') {
      this.#position = Math.max(this.#position, event.timestamp)
      for (const result of this.all()) {
        result.progress(this.#position)
        if (this.#turns.isDue) await this.#turns.pause()
      }
      return
    }
    const { commit } = event
    if (commit.commitTs <= this.#position) return
    const { storage } = this.#deps
    const { sets, evaluating } = this.#parts
    this.#catalog ??= await catalogAt(storage, commit.commitTs - 1)
    const touched = await touchedKeys(storage, commit, {
      catalog: this.#catalog,
      isRead: (space) => sets.holdsOf(space),
      turns: this.#turns,
    })
    this.#position = commit.commitTs
    if (touched.changesCatalog) this.#catalog = undefined
    for (const result of evaluating) result.passed(touched)
    for (const result of sets.touchedBy(touched)) result.touched(commit.commitTs)
  }

  async #failed(error: unknown): Promise<void> {
    const { log, clock } = this.#deps
    this.#unfollow()
    if (error !== undefined) {
      log.warn({ err: error }, 'the feed of live results failed; all of them are evaluated again')
      await clock.sleep(FAILED_MS, this.#closing.signal).catch(() => undefined)
    }
    while (!this.#closing.signal.aborted && this.#byName.size > 0) {
      const isFollowed = await this.#followed().then(
        () => true,
        () => false,
      )
      if (isFollowed) break
      await clock.sleep(FAILED_MS, this.#closing.signal).catch(() => undefined)
    }
    for (const result of this.all()) result.outdate()
  }
}
