// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../../../storage/storage.ts'
import type { ClientKey } from '../../../guard/budgets/client-key.ts'
import { Turns, turnTaker } from '../../../guard/budgets/turns.ts'
import type { SharedResult } from '../subscription-list.ts'
import type { SubscriptionDependencies } from '../subscription-parts.ts'
import { type Evaluated, evaluate } from './evaluation.ts'
import { type EvaluationCosts, RESULT_PART } from './evaluation-costs.ts'
import { type ResultState, StateFrames } from './lists/state-frames.ts'
import { ReadSets } from './reads/read-sets.ts'
import type { TouchedKeys } from './reads/touched-keys.ts'
import type { ResultQuery } from './result-query.ts'
import type { ResultSubscription, SubscribedResult } from './result-subscription.ts'

/** Keys of commits that are remembered while an evaluation runs; beyond them it is made again. */
const REMEMBERED_KEYS_MAX = 1_000

/** What live results share. */
export type ResultDependencies = {
  readonly deps: SubscriptionDependencies
  readonly sets: ReadSets<LiveResult>
  readonly costs: EvaluationCosts
  /** Those that are being evaluated hear of every commit. */
  readonly evaluating: Set<LiveResult>
  /** How many evaluations there were, of all of them. */
  readonly evaluations: { count: number }
  /** Resolves when commits are followed. */
  readonly followed: () => Promise<void>
  readonly closing: AbortSignal
}

/**
 * The answer of a statement as it is now, for all who are subscribed to it. It is evaluated when somebody wants it and
 * when a commit has touched what the last evaluation has read: one at a time, and once more where commits came
 * meanwhile. Each evaluation is told as of its own timestamp.
 */
export class LiveResult implements SubscribedResult {
  readonly query: ResultQuery
  /** How many are subscribed to it, or about to be. */
  holders = 0
  readonly #parts: ResultDependencies
  readonly #subscriptions = new Set<ResultSubscription>()
  /** Those that have not been told of the newest state, or begin. */
  readonly #waiting = new Set<ResultSubscription>()
  #state: ResultState | undefined
  #isStale = false
  /** Commits that came while it is evaluated; undefined while it is not. */
  #meanwhile: TouchedKeys[] | undefined
  #meanwhileKeys = 0
  #mayBeginAtMs = 0
  #working: Promise<void> | undefined
  /** Ends the waiting for the next evaluation. */
  #wake = new AbortController()
  /** How many evaluations there were, and how long the last one took. */
  readonly #cost = { evaluations: 0, lastMs: 0 }

  constructor(query: ResultQuery, parts: ResultDependencies) {
    this.query = query
    this.#parts = parts
  }

  get state(): ResultState | undefined {
    return this.#state
  }

  isCurrent(subscription: ResultSubscription): boolean {
    if (this.#state === undefined || this.#isStale || this.#meanwhile !== undefined) return false
    return !subscription.isBehind(this.#state)
  }

  get isEmpty(): boolean {
    return this.#subscriptions.size === 0
  }

  get shared(): SharedResult {
    const { evaluations, lastMs } = this.#cost
    const rows = this.#state?.list.length ?? 0
    const ranges = this.#state?.ranges ?? 0
    return { subscribers: this.#subscriptions.size, rows, ranges, evaluations, lastMs }
  }

  join(subscription: ResultSubscription): void {
    this.#subscriptions.add(subscription)
  }

  leave(subscription: ResultSubscription): void {
    this.#subscriptions.delete(subscription)
    this.#waiting.delete(subscription)
    if (this.isEmpty) this.#parts.sets.delete(this)
  }

  want(subscription: ResultSubscription): void {
    if (this.#state === undefined || subscription.isBehind(this.#state)) {
      this.#waiting.add(subscription)
    }
    this.#wake.abort()
    this.#work()
  }

  /** A commit has touched what was read, as far as is known. */
  touched(commitTs: Timestamp): void {
    if (this.#meanwhile !== undefined || commitTs <= (this.#state?.timestamp ?? 0)) return
    this.outdate()
  }

  /** Told of every commit while it is evaluated: what that is going to have read is not known yet. */
  passed(commit: TouchedKeys): void {
    this.#meanwhileKeys += commit.keys.length + 1
    if (this.#meanwhileKeys > REMEMBERED_KEYS_MAX) this.#isStale = true
    else this.#meanwhile?.push(commit)
  }

  /** Its state may be another one by now, for whatever reason. */
  outdate(): void {
    this.#isStale = true
    this.#work()
  }

  /** Nothing that it has read was changed up to there. */
  progress(position: Timestamp): void {
    const state = this.#state
    const isProven = !this.#isStale && this.#meanwhile === undefined
    if (state === undefined || !isProven || position < state.timestamp) return
    for (const subscription of this.#subscriptions) subscription.progress(state, position)
  }

  /** To be called when all subscriptions have been ended. */
  async close(): Promise<void> {
    await this.#working
  }

  /** Whether somebody who has room is to be told of another state. */
  get #isDue(): boolean {
    let isWanted = false
    for (const subscription of this.#isStale ? this.#subscriptions : this.#waiting) {
      if (subscription.isWritable) isWanted = true
      else this.#fellBehind(subscription)
    }
    return isWanted
  }

  /** It asks again when it has room. */
  #fellBehind(subscription: ResultSubscription): void {
    this.#waiting.delete(subscription)
    subscription.fellBehind()
  }

  #work(): void {
    this.#working ??= this.#workOff()
      .catch((error) => this.#endAll(error))
      .finally(() => {
        this.#working = undefined
        if (this.#isDue && !this.#parts.closing.aborted) this.#work()
      })
  }

  async #workOff(): Promise<void> {
    await this.#parts.followed()
    while (this.#isDue) {
      const payer = await this.#nextPayer()
      if (payer === undefined) return
      const evaluated = await this.#evaluated(payer)
      if (evaluated !== undefined) await this.#tell(evaluated, payer)
    }
  }

  /** Who pays for the next evaluation, when it may begin; undefined where nobody wants it any more. */
  async #nextPayer(): Promise<ResultSubscription | undefined> {
    const { deps, costs, closing } = this.#parts
    for (;;) {
      const nowMs = deps.clock.monotonicMs()
      const mayBeginMs = this.#mayBeginAtMs - nowMs
      let waitMs = Number.POSITIVE_INFINITY
      const wanting = this.#isStale ? this.#subscriptions : this.#waiting
      for (const subscription of wanting) {
        if (!subscription.isWritable) continue
        const ownMs = Math.max(mayBeginMs, costs.waitMs(subscription.client, nowMs))
        if (ownMs <= 0) return subscription
        waitMs = Math.min(waitMs, ownMs)
      }
      if (waitMs === Number.POSITIVE_INFINITY) return undefined
      // Who comes meanwhile may have to wait less.
      this.#wake = new AbortController()
      const signal = AbortSignal.any([closing, this.#wake.signal])
      await deps.clock.sleep(waitMs, signal).catch(() => closing.throwIfAborted())
    }
  }

  /** Undefined where it came to nothing; then who is left wants it again. */
  async #evaluated(payer: ResultSubscription): Promise<Evaluated | undefined> {
    const { deps, costs, evaluating } = this.#parts
    const { running } = payer
    const { turns } = running
    let tookMs = 0
    this.#isStale = false
    this.#meanwhile = []
    this.#meanwhileKeys = 0
    evaluating.add(this)
    try {
      const evaluated = await costs.run(payer.client, async () => {
        await turns.pause()
        // Who waits for others takes nothing from them.
        const before = turns.workedMs
        try {
          return await evaluate(deps, this.query, running)
        } finally {
          tookMs = turns.workedMs - before
        }
      })
      // A process that stands still, or works for others in between, spends nothing here.
      tookMs = Math.min(tookMs, mostOf(evaluated))
      this.#read(evaluated, this.#meanwhile)
      return evaluated
    } catch (error) {
      this.#isStale = true
      // What is wrong for one that has not begun may be its own fault.
      if (payer.isBegun && !running.signal.aborted) this.#endAll(error)
      else this.#end(payer, error)
      return undefined
    } finally {
      evaluating.delete(this)
      this.#meanwhile = undefined
      this.#took(tookMs)
    }
  }

  #took(tookMs: number): void {
    const nowMs = this.#parts.deps.clock.monotonicMs()
    this.#mayBeginAtMs = nowMs + tookMs / RESULT_PART - tookMs
    this.#cost.evaluations += 1
    this.#parts.evaluations.count += 1
    this.#cost.lastMs = tookMs
  }

  /** From here on commits are looked up in what it has read; those of before are looked at once more. */
  #read({ reads, timestamp }: Evaluated, meanwhile: readonly TouchedKeys[]): void {
    if (!this.isEmpty) this.#parts.sets.set(this, reads)
    const later = meanwhile.filter(({ commitTs }) => commitTs > timestamp)
    if (later.length === 0) return
    const own = new ReadSets<LiveResult>()
    own.set(this, reads)
    if (later.some((commit) => own.touchedBy(commit).size > 0)) this.#isStale = true
  }

  /** Those who have no room, or have spent their part, are told of a later state. */
  async #tell(evaluated: Evaluated, payer: ResultSubscription): Promise<void> {
    const { deps, costs, closing } = this.#parts
    const { reads, ...listed } = evaluated
    const before = this.#state
    const isSame = before !== undefined && before.list.digest === listed.list.digest
    const list = isSame ? before.list : listed.list
    const state = { ...listed, list, readBytes: reads.bytes, ranges: reads.ranges.length }
    const { texts: _, ...kept } = state
    this.#state = kept
    const frames = new StateFrames(state)
    // The payer may go while the others are told.
    const turns = new Turns(deps.turnQueue, turnTaker(payer.client, closing))
    const nowMs = deps.clock.monotonicMs()
    const clients = new Set<ClientKey>()
    // Who had a right to the evaluation is told of it, whatever else was spent meanwhile.
    const mayHave = new Map<ClientKey, boolean>([[payer.client, true]])
    for (const subscription of [...this.#subscriptions]) {
      const { client } = subscription
      const isFree = mayHave.get(client) ?? costs.waitMs(client, nowMs) === 0
      mayHave.set(client, isFree)
      if (!subscription.isWritable) {
        this.#fellBehind(subscription)
      } else if (isFree && this.#subscriptions.has(subscription)) {
        this.#waiting.delete(subscription)
        subscription.tell(state, frames)
        clients.add(client)
      } else if (!isFree && subscription.isBehind(state)) {
        this.#waiting.add(subscription)
      }
      if (turns.isDue) await turns.pause()
    }
    if (clients.size > 0) costs.spend(clients, this.#cost.lastMs, nowMs)
  }

  #endAll(error: unknown): void {
    for (const subscription of [...this.#subscriptions]) this.#end(subscription, error)
  }

  #end(subscription: ResultSubscription, error: unknown): void {
    this.leave(subscription)
    subscription.end(error)
  }
}

/** What an evaluation takes at most, by the rows that it has read, in ms. */
function mostOf({ reads }: Evaluated): number {
  return 1 + reads.rows * ROW_MS_MAX
}

const ROW_MS_MAX = 0.05
