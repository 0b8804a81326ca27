// SPDX-License-Identifier: Apache-2.0
import { setTimeout as timeout } from 'node:timers/promises'

/**
 * Time as the storage layer knows it. This file is the only one below `storage/` that reads a clock
 * or sets a timer, so that a test can put the whole layer on a time of its own.
 */
export interface Clock {
  /** Wall clock, in whole microseconds since 1970. It may jump either way; only liveness uses it. */
  wallMicros(): number
  /** Milliseconds on a clock that never goes back. Durations that safety rests on use this one. */
  monotonicMs(): number
  /** Resolves after at least `ms`; rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  wallMicros: () => Date.now() * 1000,
  monotonicMs: () => performance.now(),
  async sleep(ms, signal) {
    try {
      await timeout(ms, undefined, signal === undefined ? {} : { signal })
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    }
  },
}

type Repeated = {
  readonly everyMs: number
  readonly signal: AbortSignal
  /** Whether it is done at once, and not after `everyMs` for the first time. */
  readonly isDue?: boolean
  readonly work: () => unknown
  /** Told why it failed this time; without it a failure ends the repetition. */
  readonly failed?: (error: unknown) => void
}

/** Does the work again and again, with a pause in between. Resolves when the signal is aborted. */
export async function repeat(
  clock: Clock,
  { everyMs, signal, isDue = false, work, failed }: Repeated,
): Promise<void> {
  for (let isFirst = isDue; !signal.aborted; isFirst = false) {
    try {
      if (!isFirst) await clock.sleep(everyMs, signal)
      await work()
    } catch (error) {
      if (signal.aborted) return
      if (failed === undefined) throw error
      failed(error)
    }
  }
}

/** Microseconds since 1970 as people read them, in UTC. */
export function timeText(micros: number): string {
  return new Date(Math.floor(micros / 1000)).toISOString()
}
