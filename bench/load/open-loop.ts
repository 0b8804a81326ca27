// SPDX-License-Identifier: Apache-2.0
import { createHistogram } from 'node:perf_hooks'
import { setImmediate as nextTurn, setTimeout as timeout } from 'node:timers/promises'
import { type Latency, latencyOf, recordMs } from '../harness/sample.ts'

export type OpenLoop = {
  /** Operations started per second, evenly spaced, whether or not earlier ones have ended. */
  readonly ratePerSecond: number
  readonly seconds: number
  readonly signal: AbortSignal
  /** `intendedMs` is when it should have begun, by `performance.now()`. */
  readonly operation: (sequence: number, intendedMs: number) => Promise<unknown>
}

/**
 * A timer wakes up to about this much too late, so for the rest the clock is read in every turn of the
 * event loop. That costs a core.
 */
const TIMER_MS = 1.2

/**
 * Starts operations at a fixed rate and takes each one's latency from its **intended** start. A stall
 * is thereby counted for every operation that should have begun during it, and not only for the one
 * that stalled (coordinated omission). `operations` counts those that ended; all are waited for. The
 * first failure ends the loop and is thrown.
 */
export async function runOpenLoop(
  loop: OpenLoop,
): Promise<{ readonly operations: number; readonly latency: Latency }> {
  const { ratePerSecond, signal, operation } = loop
  const total = Math.max(1, Math.round(ratePerSecond * loop.seconds))
  const startedMs = performance.now()
  const intendedMs = (sequence: number) => startedMs + (sequence * 1000) / ratePerSecond
  const histogram = createHistogram()
  const failures: unknown[] = []
  let operations = 0
  const underWay = new Set<Promise<void>>()

  const start = (sequence: number): void => {
    const running = operation(sequence, intendedMs(sequence))
      .then(() => {
        recordMs(histogram, performance.now() - intendedMs(sequence))
        operations += 1
      })
      .catch((error: unknown) => void failures.push(error))
      .finally(() => underWay.delete(running))
    underWay.add(running)
  }
  for (let sequence = 0; sequence < total && !signal.aborted && failures.length === 0; ) {
    const early = intendedMs(sequence) - performance.now()
    if (early <= 0) {
      start(sequence++)
    } else if (early < TIMER_MS) {
      await nextTurn()
    } else {
      await timeout(early - TIMER_MS)
    }
  }
  await Promise.all(underWay)
  if (failures.length > 0) throw failures[0]
  return { operations, latency: latencyOf(histogram) }
}
