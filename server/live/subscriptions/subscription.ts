// SPDX-License-Identifier: Apache-2.0
import { type FeedCommit, StorageError, type Timestamp } from '../../../storage/storage.ts'
import type { Catalog } from '../../../storage/tables/tables.ts'
import { ServerError } from '../../errors/server-error.ts'
import { Turns } from '../../guard/budgets/turns.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import type { RunningRequest } from '../../requests/prepared/running-request.ts'
import { catalogAt } from '../../snapshot.ts'
import { type ChangeFrame, type CostlyQuery, changeFrames } from './frames/change-frames.ts'
import type { FrameBatch, SubscriptionSink } from './frames/frame-batch.ts'
import { KnownColumns } from './frames/known-columns.ts'
import { SubscriptionFrame } from './frames/subscription-frame.ts'
import { type WorkAccount, workRefusal } from './frames/work-accounts.ts'
import { CommitImages } from './matching/commit-images.ts'
import type { SubscribedQuery } from './matching/subscribed-query.ts'
import { SubscriptionIndex } from './matching/subscription-index.ts'
import type { OpenSubscription, SubscriptionState } from './subscription-list.ts'
import type { SubscriptionDependencies } from './subscription-parts.ts'
import { readSnapshot } from './subscription-snapshot.ts'

/** Where a subscription begins. */
export type SubscriptionStart =
  | { readonly kind: 'snapshot' | 'now' }
  | {
      readonly kind: 'since'
      readonly position: Timestamp
      /** The history that the position is said to be of. */
      readonly history: string | undefined
      /** The view that it is of; undefined where no rule hid rows. */
      readonly view: string | undefined
    }

/** The subscribers that have read everything, and are told together. */
export interface LiveSubscribers {
  /** False when it has more to read first. */
  join(subscription: Subscription): Promise<boolean>
  leave(subscription: Subscription): void
  /** What pays for what it looks at on its own; undefined where nobody counts that together. */
  accountOf(subscription: Subscription, commit: FeedCommit): WorkAccount | undefined
}

/**
 * One subscriber: a position in the feed, and where its frames go. It reads history on its own until
 * nothing is left, and then is told together with all others of its query; as soon as its sink is full
 * it is a position again, and reads on from there when there is room.
 *
 *     position 7, row 0      it knows every commit up to 7
 *     position 7, row 300    and of the next one what became of the rows before its row 300
 */
export class Subscription implements OpenSubscription {
  readonly mode = 'rows'
  readonly query: SubscribedQuery
  readonly sink: SubscriptionSink
  readonly running: RunningRequest
  readonly #deps: SubscriptionDependencies
  readonly #live: LiveSubscribers
  readonly #knownColumns: KnownColumns
  #position: Timestamp = 0
  #row = 0
  #progressAtMs: number
  /** Only while it reads on its own. */
  #index: SubscriptionIndex | undefined
  #left: PromiseWithResolvers<{ readonly error?: unknown }> | undefined
  #isLive = false
  /** It began at a position, and has not been told that it has caught up. */
  #isBehind = false
  #toldCount = 0

  constructor(
    deps: SubscriptionDependencies,
    live: LiveSubscribers,
    own: {
      readonly query: SubscribedQuery
      readonly sink: SubscriptionSink
      readonly running: RunningRequest
    },
  ) {
    this.#deps = deps
    this.#knownColumns = new KnownColumns(deps.opaqueIds)
    this.#live = live
    this.query = own.query
    this.sink = own.sink
    this.running = own.running
    this.#progressAtMs = deps.clock.monotonicMs()
  }

  /** Everything up to here has been sent, or is of no concern. */
  get position(): Timestamp {
    return this.#position
  }

  /** How many changes it was sent. */
  get toldCount(): number {
    return this.#toldCount
  }

  /** Whether it is told together with others. */
  get isLive(): boolean {
    return this.#isLive
  }

  get state(): SubscriptionState {
    if (this.sink.isPaused) return 'paused'
    return this.#isLive ? 'live' : 'catchingUp'
  }

  /** Never resolves: rejects with the reason of `running`, or with what else ended it. */
  async run(start: SubscriptionStart): Promise<never> {
    try {
      return await this.#run(start)
    } catch (error) {
      throw await this.#whyItEnded(error)
    }
  }

  async #run(start: SubscriptionStart): Promise<never> {
    await this.#deps.ended.counted(() => this.#begin(start))
    this.running.follows()
    while (true) {
      await this.sink.room(this.running.signal)
      const read = () => this.#readAlone()
      const isCaughtUp = await this.#deps.readers.run(this.running.client, read)
      if (isCaughtUp && (await this.#live.join(this))) await this.#untilItLeaves()
    }
  }

  /** Many may have waited for the same commit, or for one that read before them. */
  async #readAlone(): Promise<boolean> {
    await new Turns(this.#deps.turnQueue, this.running).rejoin()
    return this.readOn(SERVER_LIMITS.feedPageRows)
  }

  /**
   * Sends what one page of the feed has for it, as far as there is room. True when nothing is left to
   * read for now. While it joins, it reads no further than an account may pay for.
   */
  async readOn(rowsMax: number, joining?: WorkAccount): Promise<boolean> {
    const { storage, recent, turnQueue, clock } = this.#deps
    const { signal } = this.running
    // Rights may have been taken away since the page before.
    if (this.query.isRestricted) this.query.planAt(await catalogAt(storage))
    // Its own: those of the request go on counting while a subscription waits for commits.
    const turns = new Turns(turnQueue, this.running)
    const page =
      recent.read(this.#position, rowsMax) ??
      (await storage.feed.read(this.#position, { rowsMax, signal }))
    for (const commit of page.commits) {
      if (!(await this.#tellAlone(commit, turns, joining))) return false
      if (turns.isDue) await turns.pause()
    }
    this.passed(page.position)
    const isDue = clock.monotonicMs() - this.#progressAtMs >= SERVER_LIMITS.progressMs
    if (isDue) this.progress(page.position)
    return page.isCaughtUp
  }

  /** False when there was no room for all of them: it has to leave, and reads on its own. */
  tell(batch: FrameBatch): boolean {
    const { plan, frames } = batch
    const isNew = this.#row === 0 && batch.firstTs > this.#position
    if (plan === undefined || !isNew || !this.#knownColumns.knows(plan)) {
      return frames.every((frame) => this.#tellOne(frame))
    }
    this.passed(batch.firstTs - 1)
    if (!this.sink.isWritable) return false
    this.sink.sendBatch(batch)
    this.#counted(frames.length)
    this.passed(batch.lastTs)
    return true
  }

  #tellOne(change: ChangeFrame): boolean {
    if (change.commitTs <= this.#position) return true
    this.passed(change.commitTs - 1)
    if (!this.sink.isWritable) return false
    this.#send(change)
    return true
  }

  /** There is nothing for it up to there that it has not been told. */
  passed(position: Timestamp): void {
    this.#position = Math.max(this.#position, position)
  }

  /** As `passed`, and the client hears of it; false when there is no room. */
  progress(position: Timestamp): boolean {
    this.passed(position)
    if (!this.sink.isWritable) return false
    this.sink.send(SubscriptionFrame.of('progress', { timestamp: this.#position }))
    this.#progressAtMs = this.#deps.clock.monotonicMs()
    return true
  }

  /** From now on it is told. */
  joined(): void {
    this.#left = Promise.withResolvers()
    this.#isLive = true
    this.#index = undefined
    if (this.#isBehind) this.progress(this.#position)
    this.#isBehind = false
  }

  /** It leaves. With an error it has ended, else it reads on its own. */
  left(end: { readonly error?: unknown } = {}): void {
    this.#isLive = false
    this.#left?.resolve(end)
  }

  async #untilItLeaves(): Promise<void> {
    const { signal } = this.running
    const abort = () => this.left({ error: signal.reason })
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    const end = await this.#left?.promise
    signal.removeEventListener('abort', abort)
    this.#live.leave(this)
    if (end?.error !== undefined) throw end.error
  }

  /** Where garbage collection has taken the images of a commit, the feed cannot be read on either. */
  async #whyItEnded(error: unknown): Promise<unknown> {
    const isTooOld = error instanceof StorageError && error.code === 'snapshot_too_old'
    if (!isTooOld || this.#position === 0) return error
    const { feed } = this.#deps.storage
    return feed.read(this.#position, { rowsMax: 1 }).then(
      () => error,
      (reason: unknown) => reason,
    )
  }

  async #begin(start: SubscriptionStart): Promise<void> {
    const { query, sink } = this
    const { storage } = this.#deps
    const knownColumns = this.#knownColumns
    if (start.kind === 'snapshot') {
      const reader = { query, sink, knownColumns, running: this.running }
      this.#position = await readSnapshot(this.#deps, reader)
      return
    }
    // First of all: of another store nothing else makes sense, and its tables may not be there.
    if (start.kind === 'since') storage.history.require(start.position, start.history)
    let plan = query.planAt(await catalogAt(storage))
    if (start.kind === 'since') {
      if (start.view !== knownColumns.viewOf(plan)) throw ofAnotherView()
      // A position from which the feed cannot be read is refused before anything is answered.
      await storage.feed.read(start.position, { rowsMax: 1 })
      this.#position = start.position
      this.#isBehind = true
      const index = this.#indexFor(await catalogAt(storage, start.position))
      plan = index.planOf(query) ?? plan
    } else {
      this.#position = await storage.feed.resolved()
    }
    sink.send(knownColumns.begin(this.#position, plan, storage.history.name))
  }

  /** False when there was no room for all of it, or it would take too much work. */
  async #tellAlone(commit: FeedCommit, turns: Turns, joining?: WorkAccount): Promise<boolean> {
    const { storage, frames } = this.#deps
    const { commitTs } = commit
    this.#index ??= this.#indexFor(await catalogAt(storage, this.#position))
    if (!this.#index.isConcernedBy(commit)) {
      this.passed(commitTs)
      return true
    }
    if (!this.sink.isWritable) return false
    const known = frames.get(this.query, commitTs)
    if (known === undefined) return this.#findOut(commit, this.#index, turns, joining)
    for (const frame of known) this.#send(frame)
    this.passed(commitTs)
    return true
  }

  /** The same for a commit that no other subscription has looked at lately. */
  async #findOut(
    commit: FeedCommit,
    index: SubscriptionIndex,
    turns: Turns,
    joining: WorkAccount | undefined,
  ): Promise<boolean> {
    const { storage, writer, frames } = this.#deps
    const { commitTs } = commit
    const from = this.#row
    return await CommitImages.of(storage, commitTs, async (images) => {
      const isRedefined = images.catalog.version !== index.catalog.version
      const current = isRedefined ? this.#indexFor(images.catalog) : index
      this.#index = current
      const found: ChangeFrame[] = []
      const account = joining ?? this.#live.accountOf(this, commit)
      const working = { images, index: current, writer, turns, accountOf: () => account }
      for await (const change of changeFrames(commit, from, working)) {
        if (change.kind === 'failure') throw change.error
        if (change.kind === 'costly') {
          if (joining !== undefined) return false
          this.#requireItsPart(change)
          continue
        }
        if (!this.sink.isWritable) return false
        this.#send(change)
        if (found.length <= 1) found.push(change)
      }
      if (from === 0 && !isRedefined) frames.add(this.query, commitTs, found)
      this.passed(commitTs)
      return true
    })
  }

  /**
   * History may begin before there was such a table, and then nothing of it is of concern; nor is a table
   * that bore the same name before, of another key than the client knows. Once the statement has fitted,
   * it has to go on fitting: throws PlanError.
   */
  #indexFor(catalog: Catalog): SubscriptionIndex {
    const { query } = this
    const hasFitted = this.#index?.has(query) ?? false
    const index = new SubscriptionIndex(catalog)
    try {
      index.add(query)
    } catch (error) {
      if (hasFitted) throw error
      return index
    }
    const { tableId } = this.#knownColumns
    const isAnother = tableId !== undefined && query.planAt(catalog).table.id !== tableId
    if (isAnother && !hasFitted) index.delete(query)
    return index
  }

  /** Throws PlanError `limit_exceeded`. */
  #requireItsPart({ account, spent }: CostlyQuery): void {
    const held = this.#deps.shares.subscriptions.heldBy(account.client)
    const refusal = workRefusal(account, spent, held)
    if (refusal !== undefined) throw refusal
  }

  #counted(changes: number): void {
    this.#toldCount += changes
    this.#deps.told.count += changes
  }

  #send({ commitTs, plan, frame, next }: ChangeFrame): void {
    const columns = this.#knownColumns.changed(plan)
    if (columns !== undefined) this.sink.send(columns)
    this.sink.send(frame)
    this.#counted(1)
    this.#row = next ?? 0
    if (next === undefined) this.passed(commitTs)
  }
}

/** What this token sees and the other did not, or the other way round, no change would tell. */
function ofAnotherView(): ServerError {
  const detail = 'A rule or this token shows other rows than those that the position is of.'
  const hint = 'Begin with a snapshot; to go on later, send the view of "subscribed" with since.'
  return new ServerError('resume_too_old', detail, { hint })
}
