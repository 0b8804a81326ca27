// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'

/** Moments that are kept; their distance is what it takes to cover the time that is asked for. */
const MOMENTS_MAX = 512

type Moment = { readonly monotonicMs: number; readonly timestamp: Timestamp }

/**
 * The timestamp that had been reached a given time ago. That is the time itself where timestamps follow the clock.
 * After a clock that was ahead they do not for a while: they stand still until the time has caught up, and retention
 * would stand still with them. So now and then the newest timestamp is remembered with the moment of the monotonic
 * clock at which it was the newest.
 *
 *     clock 13:00 (an hour ahead)   timestamps 13:00
 *     it is set back to 12:01       timestamps 13:00:00.000001, …2, …
 *     at 12:20 all up to 13:00:00.000777 are older than ten minutes, because that was reached before 12:10
 */
export class ReachedTimestamps {
  readonly #moments: Moment[] = []

  /** Must be called now and then. `agoMsMax`: how far back it is going to be asked from now on. */
  reached(moment: Moment, agoMsMax: number): void {
    const last = this.#moments.at(-1)
    if (last !== undefined && moment.monotonicMs - last.monotonicMs < agoMsMax / MOMENTS_MAX) return
    this.#moments.push(moment)
    // One that is older than all that is asked for is enough.
    const until = moment.monotonicMs - agoMsMax
    while ((this.#moments[1]?.monotonicMs ?? Number.POSITIVE_INFINITY) <= until)
      this.#moments.shift()
  }

  /**
   * The newest known timestamp that was issued at least `agoMs` ago. A timestamp is never below the time at which it
   * was issued, so the time `agoMs` ago is one as well.
   */
  ago(agoMs: number, now: { readonly monotonicMs: number; readonly micros: number }): Timestamp {
    const untilMs = now.monotonicMs - agoMs
    const moment = this.#moments.findLast(({ monotonicMs }) => monotonicMs <= untilMs)
    return Math.max(0, now.micros - agoMs * 1000, moment?.timestamp ?? 0)
  }
}
