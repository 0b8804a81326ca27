// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '../../../storage/storage.ts'

/** If `/readyz` was not asked for this long, no load balancer watches it, and there is no reason to wait. */
const WATCHED_WITHIN_MS = 60_000

/**
 * The time between `/readyz` saying no and the end of the listening socket: a load balancer that goes by
 * `/readyz` sends the next ones elsewhere, and none of them meets a connection that is refused.
 */
export class Drain {
  readonly #clock: Clock
  readonly #drainMs: number
  readonly #ending = new AbortController()
  #askedAtMs: number | undefined
  #isDraining = false
  #isWaiting = false

  constructor(clock: Clock, drainMs: number) {
    this.#clock = clock
    this.#drainMs = drainMs
  }

  get isDraining(): boolean {
    return this.#isDraining
  }

  /** To be called for each request of `/readyz`. */
  readinessAsked(): void {
    this.#askedAtMs = this.#clock.monotonicMs()
  }

  /** Resolves to the milliseconds that it took: none when no client watches `/readyz`, at most `maxMs`. */
  async wait(maxMs: number): Promise<number> {
    this.#isDraining = true
    const startedMs = this.#clock.monotonicMs()
    const isWatched =
      this.#askedAtMs !== undefined && startedMs - this.#askedAtMs <= WATCHED_WITHIN_MS
    const waitMs = isWatched ? Math.min(this.#drainMs, maxMs) : 0
    const { signal } = this.#ending
    if (waitMs > 0 && !signal.aborted) {
      this.#isWaiting = true
      await this.#clock.sleep(waitMs, signal).catch((error: unknown) => {
        if (!signal.aborted) throw error
      })
      this.#isWaiting = false
    }
    return this.#clock.monotonicMs() - startedMs
  }

  /** Ends the waiting, also before it has begun. Returns whether it was under way. */
  end(): boolean {
    const wasWaiting = this.#isWaiting && !this.#ending.signal.aborted
    this.#ending.abort()
    return wasWaiting
  }
}
