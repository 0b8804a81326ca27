// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../../../storage/storage.ts'
import type { ClientKey } from '../../../guard/budgets/client-key.ts'
import { Reservation } from '../../../guard/budgets/hold.ts'
import type { RunningRequest } from '../../../requests/prepared/running-request.ts'
import type { SubscriptionSink } from '../frames/frame-batch.ts'
import { SubscriptionFrame } from '../frames/subscription-frame.ts'
import type { OpenSubscription, SharedResult, SubscriptionState } from '../subscription-list.ts'
import type { SubscriptionDependencies } from '../subscription-parts.ts'
import { evaluate } from './evaluation.ts'
import type { RowList } from './lists/row-list.ts'
import type { ResultState, StateFrames } from './lists/state-frames.ts'
import type { ResultQuery } from './result-query.ts'

/** What a client has of a list, by what it was told with it. */
export type Bookmark = {
  readonly since: Timestamp
  readonly digest: string | undefined
  readonly history: string | undefined
}

/** What it is told by: the answer of a statement, for all who are subscribed to it. */
export interface SubscribedResult {
  readonly query: ResultQuery
  /** The newest that is known; undefined before the first evaluation. */
  readonly state: ResultState | undefined
  readonly shared: SharedResult
  join(subscription: ResultSubscription): void
  leave(subscription: ResultSubscription): void
  /** The subscription has room for the newest state. */
  want(subscription: ResultSubscription): void
  /** Whether it has told this subscription everything, as far as is known. */
  isCurrent(subscription: ResultSubscription): boolean
}

/** What a subscription takes beside its list and its read set. */
const OWN_BYTES = 1_024

/** One subscriber of a live result: the list that it has been told last, and where its frames go. */
export class ResultSubscription implements OpenSubscription {
  readonly mode = 'result'
  readonly sink: SubscriptionSink
  readonly running: RunningRequest
  readonly #deps: SubscriptionDependencies
  readonly #reservation: Reservation
  readonly #begun = Promise.withResolvers<void>()
  /** Resolves when it has to wait for room; rejects with what ends it. */
  #changed = Promise.withResolvers<void>()
  #result: SubscribedResult | undefined
  #list: RowList | undefined
  #shape: string | undefined
  #position: Timestamp = 0
  #isBegun = false
  #isReset = false
  #toldCount = 0

  constructor(
    deps: SubscriptionDependencies,
    own: { readonly sink: SubscriptionSink; readonly running: RunningRequest },
  ) {
    this.#deps = deps
    this.sink = own.sink
    this.running = own.running
    this.#reservation = new Reservation(deps.shares.liveResultsBytes, own.running.client)
  }

  /** Whether it has been told of a state. */
  get isBegun(): boolean {
    return this.#isBegun
  }

  /** Whether it has been told all that is known. */
  get isNewest(): boolean {
    return this.#result?.isCurrent(this) === true
  }

  get shared(): SharedResult | undefined {
    return this.#result?.shared
  }

  get client(): ClientKey {
    return this.running.client
  }

  get isWritable(): boolean {
    return this.sink.isWritable && !this.running.signal.aborted
  }

  get position(): Timestamp {
    return this.#position
  }

  get toldCount(): number {
    return this.#toldCount
  }

  get state(): SubscriptionState {
    if (this.sink.isPaused) return 'paused'
    return this.#isBegun && this.isWritable ? 'live' : 'catchingUp'
  }

  /** Whether it has not been told of this state. */
  isBehind({ list }: ResultState): boolean {
    return !this.#isBegun || this.#list !== list
  }

  /** Never resolves: rejects with the reason of `running`, or with what else ended it. */
  async run(result: SubscribedResult, bookmark: Bookmark | undefined): Promise<never> {
    try {
      const ended = this.#run(result, bookmark)
      await this.#deps.ended.counted(() => Promise.race([this.#begun.promise, ended]))
      this.running.follows()
      return await ended
    } finally {
      result.leave(this)
      this.#reservation.close()
    }
  }

  async #run(result: SubscribedResult, bookmark: Bookmark | undefined): Promise<never> {
    const { signal } = this.running
    if (bookmark !== undefined) await this.#resume(result, bookmark)
    const abort = () => this.end(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    try {
      result.join(this)
      this.#result = result
      for (;;) {
        await this.sink.room(signal)
        this.#changed = Promise.withResolvers()
        result.want(this)
        await this.#changed.promise
      }
    } finally {
      signal.removeEventListener('abort', abort)
    }
  }

  /**
   * The list of a bookmark is the answer as of its time, where that has its digest. What cannot be told any more, of
   * another store or another definition, restarts with all rows.
   */
  async #resume(result: SubscribedResult, { since, digest, history }: Bookmark): Promise<void> {
    this.#isReset = true
    if (digest === undefined) return
    const isNewest = result.state?.list.digest === digest
    const known = isNewest ? result.state : await this.#asOf(result, since, history)
    if (known?.list.digest !== digest) return
    this.#list = known.list
    this.#shape = known.shape
    this.#position = since
    this.#isReset = false
  }

  async #asOf({ query }: SubscribedResult, asOf: Timestamp, history: string | undefined) {
    const { running } = this
    const read = () => evaluate(this.#deps, query, running, { asOf, history })
    try {
      return await this.#deps.readers.run(running.client, read)
    } catch (error) {
      if (running.signal.aborted) throw error
      return undefined
    }
  }

  /** It has no room, and asks again when there is some. */
  fellBehind(): void {
    this.#changed.resolve()
  }

  end(error: unknown): void {
    this.#changed.reject(error)
    // Nobody may be waiting for it at this moment.
    this.#changed.promise.catch(() => undefined)
  }

  /** Sends what makes this state out of what the client has. */
  tell(state: ResultState, frames: StateFrames): void {
    try {
      this.#reservation.moveTo(OWN_BYTES + state.list.bytes + state.readBytes)
    } catch (refusal) {
      this.end(refusal)
      return
    }
    const { timestamp } = state
    const isFirst = !this.#isBegun
    if (isFirst) this.#begin(state)
    const known = this.#list
    if (known === undefined) this.#send(frames.whole())
    else if (this.#shape !== state.shape) this.#sendAnew(state, frames.inPlaceOf(known))
    else if (known.digest !== state.list.digest) this.#send(frames.after(known))
    else if (isFirst) this.sink.send(SubscriptionFrame.of('progress', { timestamp }))
    this.#list = state.list
    this.#shape = state.shape
    this.#position = Math.max(this.#position, timestamp)
  }

  /** The state is still right as of this position. */
  progress({ list }: ResultState, position: Timestamp): void {
    if (this.#list !== list || !this.#isBegun || !this.sink.isWritable) return
    if (position <= this.#position) return
    this.#position = position
    this.sink.send(SubscriptionFrame.of('progress', { timestamp: position }))
  }

  #begin(state: ResultState): void {
    const { columns, shape } = state
    const timestamp = this.#list === undefined ? state.timestamp : this.#position
    const history = this.#deps.storage.history.name
    const reset = this.#isReset ? { reset: true } : {}
    const said = { timestamp, history, mode: 'result', columns, shape, ...reset }
    this.sink.send(SubscriptionFrame.of('subscribed', said))
    this.#isBegun = true
    this.#begun.resolve()
  }

  #sendAnew({ columns, shape }: ResultState, frames: readonly SubscriptionFrame[]): void {
    this.sink.send(SubscriptionFrame.of('columns', { columns, shape }))
    this.#send(frames)
  }

  #send(frames: readonly SubscriptionFrame[]): void {
    if (frames.length === 0) return
    for (const frame of frames) this.sink.send(frame)
    this.#toldCount += 1
    this.#deps.told.count += 1
  }
}
