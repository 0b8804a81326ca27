// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '../storage/storage.ts'
import { ALL_LIMITS } from './limits.ts'

/** How much of a turn of the event loop goes to those who waited for it. */
const WAKING_MS_MAX = 1

/**
 * Who wants to go on after a pause waits here, and each turn of the event loop wakes them one after
 * the other until its time for that is used up. If every statement went on by itself, a turn would grow
 * with their number, and everybody else (a new connection, a small request) would wait for all of them.
 * One that goes on for long is alone in its turn; small requests, which a long one had made wait, pass
 * many at a time, for a turn of its own costs each of them more than its work.
 */
export class TurnQueue {
  readonly #clock: Pick<Clock, 'monotonicMs'>
  readonly #waiting: Array<() => void> = []
  #scheduled = false

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock
  }

  get isEmpty(): boolean {
    return this.#waiting.length === 0
  }

  next(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiting.push(resolve)
    this.#schedule()
    return promise
  }

  #schedule(): void {
    if (this.#scheduled || this.isEmpty) return
    this.#scheduled = true
    setImmediate(() => this.#wakeUntil(this.#clock.monotonicMs() + WAKING_MS_MAX))
  }

  #wakeUntil(endMs: number): void {
    this.#waiting.shift()?.()
    // What was woken runs in microtasks, and those come to their end before a tick that one of them asks for.
    queueMicrotask(() =>
      process.nextTick(() => {
        if (!this.isEmpty && this.#clock.monotonicMs() < endMs) return this.#wakeUntil(endMs)
        this.#scheduled = false
        this.#schedule()
      }),
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
  readonly #signal: AbortSignal
  #beganMs: number

  constructor(queue: TurnQueue, clock: Pick<Clock, 'monotonicMs'>, signal: AbortSignal) {
    this.#queue = queue
    this.#clock = clock
    this.#signal = signal
    this.#beganMs = clock.monotonicMs()
  }

  /** To be asked before the first piece of work: where others wait, it waits behind them. */
  get othersWait(): boolean {
    return !this.#queue.isEmpty
  }

  /** To be asked between two pieces of work, and to be answered with `pause`. */
  get isDue(): boolean {
    return this.#clock.monotonicMs() - this.#beganMs >= ALL_LIMITS.turnMsMax
  }

  /** Throws the signal's reason. Separate from the questions, so that most work costs no promise. */
  async pause(): Promise<void> {
    await this.#queue.next()
    this.#signal.throwIfAborted()
    this.#beganMs = this.#clock.monotonicMs()
  }
}
