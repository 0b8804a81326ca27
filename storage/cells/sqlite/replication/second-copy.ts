// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '../../../clock.ts'
import { invariant } from '../../../invariant.ts'
import type { StorageLog } from '../../../storage-log.ts'
import type { SecondCopyMode, SecondCopyState } from '../../store-replication.ts'

/** A standby that has not asked for so long is not there. */
const GONE_MS = 5_000
/** So long a standby that is there may take for a group. */
const TAKEN_MS_MAX = 5_000
/** So long `preferred` waits for a standby, and then goes on without. */
const ALONE_AFTER_MS = 5_000

type Waiting = { readonly number: number; readonly sinceMs: number; readonly resolve: () => void }

/**
 * Who waits for a standby to have a group durably (S4). What waits here is durable in this store already, and nobody
 * was answered: its latches stay, so no read shows it.
 *
 *     required    group 7 is durable here; the standby asks for what follows 7        group 7 is answered
 *                 the standby is gone, or does not take 8: that waits, and a group that comes now is refused
 *                 a standby comes, and asks for what follows 8                        group 8 is answered
 *     preferred   the same; but after 5 s without it all go on, until it has caught up
 */
export class SecondCopy implements SecondCopyState {
  mode: SecondCopyMode = 'none'
  readonly #clock: Clock
  readonly #log: StorageLog
  #copied = 0
  #waiting: Waiting[] = []
  /** Requests of standbys that are being answered. */
  #asking = 0
  #seenMs = Number.NEGATIVE_INFINITY
  #isAlone = false
  #stopped: (() => void) | undefined

  constructor(clock: Clock, log: StorageLog) {
    this.#clock = clock
    this.#log = log
  }

  /** Whether groups are answered without a second copy although one is preferred. */
  get isAlone(): boolean {
    return this.#isAlone
  }

  /** The last group of which a standby has said that it has everything up to it. */
  get copied(): number {
    return this.#copied
  }

  /** Whether a standby asks, or did so a moment ago. */
  get isConnected(): boolean {
    return this.#asking > 0 || this.#clock.monotonicMs() - this.#seenMs < GONE_MS
  }

  /** Whether a second copy is required and cannot be had now: what comes is refused, or it would wait unbounded. */
  get isLacking(): boolean {
    if (this.mode !== 'required') return false
    if (!this.isConnected) return true
    const [oldest] = this.#waiting
    return oldest !== undefined && this.#clock.monotonicMs() - oldest.sinceMs >= TAKEN_MS_MAX
  }

  /** From now on, also for what is durable here and no standby has. */
  demand(mode: SecondCopyMode): void {
    this.mode = mode
    if (mode === 'preferred') this.#watch()
    if (mode === 'none') for (const { resolve } of this.#waiting.splice(0)) resolve()
  }

  /** Resolves when a standby has the group; undefined where nothing is to be waited for. */
  wait(number: number): Promise<void> | undefined {
    if (this.mode === 'none' || this.#isAlone || number <= this.#copied) return undefined
    return new Promise((resolve) => {
      this.#waiting.push({ number, sinceMs: this.#clock.monotonicMs(), resolve })
    })
  }

  /** A standby has everything up to this group, durably. */
  has(number: number, last: number): void {
    invariant(number <= last, 'S4', { number, last })
    this.#seenMs = this.#clock.monotonicMs()
    if (number > this.#copied) this.#copied = number
    if (this.#isAlone && number >= last) {
      this.#isAlone = false
      this.#log.info({ group: number }, 'a standby has caught up: writes wait for it again')
    }
    while ((this.#waiting[0]?.number ?? Number.POSITIVE_INFINITY) <= this.#copied) {
      this.#waiting.shift()?.resolve()
    }
  }

  /** To be called when a standby asks, and the result when it is answered or gone. */
  asks(): (wasAnswered: boolean) => void {
    this.#asking += 1
    return (wasAnswered) => {
      this.#asking -= 1
      // One whose connection has ended is gone at once.
      this.#seenMs = wasAnswered ? this.#clock.monotonicMs() : Number.NEGATIVE_INFINITY
    }
  }

  stop(): void {
    this.#stopped?.()
  }

  #watch(): void {
    const stopping = new AbortController()
    this.#stopped = () => stopping.abort()
    const { signal } = stopping
    const look = async () => {
      while (!signal.aborted) {
        await this.#clock.sleep(ALONE_AFTER_MS / 10, signal).catch(() => undefined)
        this.#goOnWhenDue()
      }
    }
    void look()
  }

  #goOnWhenDue(): void {
    const [oldest] = this.#waiting
    if (oldest === undefined) return
    if (this.#clock.monotonicMs() - oldest.sinceMs < ALONE_AFTER_MS) return
    this.#isAlone = true
    this.#log.warn(
      { group: oldest.number, copied: this.#copied },
      'no standby has taken what was written for 5 s: writes go on without a second copy',
    )
    for (const { resolve } of this.#waiting.splice(0)) resolve()
  }
}
