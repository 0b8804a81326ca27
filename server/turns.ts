// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '../storage/storage.ts'
import type { ClientKey } from './budgets/client-key.ts'
import { FairQueue } from './budgets/fair-queue.ts'
import { ALL_LIMITS } from './limits.ts'

/**
 * So long requests that arrive in one turn go on at once. To put one off costs as much as a small one, and makes the
 * groups smaller in which their commits are synced.
 */
const ARRIVALS_MS_MAX = 2 * ALL_LIMITS.turnMsMax

/** Somebody who works in turns. */
export type TurnTaker = {
  /** The clients take turns, and with each one of its requests. */
  readonly client: ClientKey
  readonly signal: AbortSignal
  /** Told before it waits; throws where too many wait already. `goOn` ends the waiting when the signal is aborted. */
  waitsForTurn(goOn: () => void): void
  /** Told when its turn has come. */
  hasTurn(): void
}

/**
 * Who wants to go on after a pause waits here, and each turn of the event loop wakes them one after
 * the other until its time for that is used up. If every statement went on by itself, a turn would grow
 * with their number, and everybody else (a new connection, a small request) would wait for all of them.
 *
 * Requests that have not begun come before those that have had turns, of which at least one goes on in each turn:
 * most are small, and done in less time than a long one would keep them waiting. Of either kind the clients take turns, so
 * that the one statement of a client does not wait for the five hundred of another.
 */
export class TurnQueue {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #newcomers = new FairQueue<() => void>()
  readonly #others = new FairQueue<() => void>()
  #scheduled = false
  /** When the first request of this turn asked whether it may go on; absent until one has. */
  #turnBeganMs: number | undefined

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  get isEmpty(): boolean {
    return this.#newcomers.size === 0 && this.#others.size === 0
  }

  /**
   * Whether a request that arrives now may go on at once: nobody waits before it, and those that have arrived in
   * the same turn have left something of it.
   */
  get isFree(): boolean {
    if (!this.isEmpty) return false
    const nowMs = this.#clock.monotonicMs()
    if (this.#turnBeganMs !== undefined) return nowMs - this.#turnBeganMs < ARRIVALS_MS_MAX
    this.#turnBeganMs = nowMs
    setImmediate(() => {
      this.#turnBeganMs = undefined
    })
    return true
  }

  /** Resolves when it is the turn of a request that has not begun, or when it is aborted. */
  first(taker: TurnTaker): Promise<void> {
    return this.#wait(this.#newcomers, taker)
  }

  /** Resolves when who has had a turn may go on, or when it is aborted. */
  next(taker: TurnTaker): Promise<void> {
    return this.#wait(this.#others, taker)
  }

  async #wait(line: FairQueue<() => void>, taker: TurnTaker): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    taker.waitsForTurn(() => {
      line.delete(taker.client, resolve)
      resolve()
    })
    line.push(taker.client, resolve)
    this.#schedule()
    await promise
    taker.hasTurn()
  }

  #schedule(): void {
    if (this.#scheduled || this.isEmpty) return
    this.#scheduled = true
    setImmediate(() => {
      const endMs = this.#clock.monotonicMs() + ALL_LIMITS.turnMsMax
      this.#wakeUntil(endMs, { someoneWentOn: this.#others.size === 0 })
    })
  }

  #wakeUntil(endMs: number, { someoneWentOn }: { readonly someoneWentOn: boolean }): void {
    const isInTime = this.#clock.monotonicMs() < endMs
    const newcomer = isInTime ? this.#newcomers.shift() : undefined
    const woken = newcomer ?? (isInTime || !someoneWentOn ? this.#others.shift() : undefined)
    if (woken === undefined) {
      this.#scheduled = false
      this.#schedule()
      return
    }
    woken()
    // What was woken runs in microtasks, and those come to their end before a tick that one of them asks for.
    queueMicrotask(() =>
      process.nextTick(() =>
        this.#wakeUntil(endMs, { someoneWentOn: someoneWentOn || newcomer === undefined }),
      ),
    )
  }
}

/**
 * Lets the rest of the process have its turn between the statements of one request. Each of them is
 * short; a thousand of them, parsed or run one after the other, would hold everybody else up.
 */
export class Turns {
  readonly #queue: TurnQueue
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #taker: TurnTaker
  #beganMs: number

  constructor(queue: TurnQueue, clock: Pick<Clock, 'monotonicMs'>, taker: TurnTaker) {
    this.#queue = queue
    this.#clock = clock
    this.#taker = taker
    this.#beganMs = clock.monotonicMs()
  }

  /** To be asked once, before the first piece of work, and to be answered with `begin` where it is false. */
  get mayBegin(): boolean {
    return this.#queue.isFree
  }

  /** Waits for the first turn. Throws the signal's reason, and what `waitsForTurn` throws. */
  async begin(): Promise<void> {
    await this.#queue.first(this.#taker)
    this.#began()
  }

  /** To be asked between two pieces of work, and to be answered with `pause`. */
  get isDue(): boolean {
    return this.#clock.monotonicMs() - this.#beganMs >= ALL_LIMITS.turnMsMax
  }

  /** Throws the signal's reason. Separate from the questions, so that most work costs no promise. */
  async pause(): Promise<void> {
    await this.#queue.next(this.#taker)
    this.#began()
  }

  #began(): void {
    this.#taker.signal.throwIfAborted()
    this.#beganMs = this.#clock.monotonicMs()
  }
}
