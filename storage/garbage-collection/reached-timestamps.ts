// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cell-store/cell.ts'

/** So many moments are kept; they are as far apart as it takes to reach back as far as is asked for. */
const MOMENTS_MAX = 512

type Moment = { readonly monotonicMs: number; readonly timestamp: Timestamp }

/**
 * Which timestamp had been reached so long ago. That is the time itself where timestamps follow the clock. After
 * a clock that was ahead they do not for a while: they stand still until the time has caught up, and
 * retention would stand still with them. So now and then the newest timestamp is remembered with the moment
 * of the monotonic clock at which it was the newest.
 *
 *     clock 13:00 (an hour ahead)   timestamps 13:00
 *     it is set back to 12:01       timestamps 13:00:00.000001, …2, …
 *     at 12:20 all up to 13:00:00.000777 are older than ten minutes, because that was reached before 12:10
 */
export class ReachedTimestamps {
  readonly #spanMs: number
  readonly #moments: Moment[] = []

  /** `agoMsMax`: how far back it is going to be asked. */
  constructor(agoMsMax: number) {
    this.#spanMs = agoMsMax
  }

  /** To be told now and then. */
  reached(moment: Moment): void {
    const last = this.#moments.at(-1)
    if (last !== undefined && moment.monotonicMs - last.monotonicMs < this.#spanMs / MOMENTS_MAX)
      return
    this.#moments.push(moment)
    // One that is older than all that is asked for is enough.
    const until = moment.monotonicMs - this.#spanMs
    while ((this.#moments[1]?.monotonicMs ?? Number.POSITIVE_INFINITY) <= until)
      this.#moments.shift()
  }

  /**
   * A timestamp that was issued at least so long ago, the newest that is known. A timestamp is never below the time at
   * which it was issued, so the time so long ago is one as well.
   */
  ago(agoMs: number, now: { readonly monotonicMs: number; readonly micros: number }): Timestamp {
    const untilMs = now.monotonicMs - agoMs
    const moment = this.#moments.findLast(({ monotonicMs }) => monotonicMs <= untilMs)
    return Math.max(0, now.micros - agoMs * 1000, moment?.timestamp ?? 0)
  }
}
