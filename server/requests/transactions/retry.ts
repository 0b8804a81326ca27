// SPDX-License-Identifier: Apache-2.0
import {
  type Clock,
  type MaybePromise,
  type Randomness,
  StorageError,
} from '../../../storage/storage.ts'
import { SERVER_LIMITS } from '../../limits.ts'

const FIRST_WAIT_MS = 4
const WAIT_MS_MAX = 250

export type RetrySurroundings = {
  readonly clock: Clock
  readonly randomness: Randomness
  readonly signal?: AbortSignal
  /** When the first attempt began, on the clock that only goes on. */
  readonly beganMs: number
  /** Whether the work may run again after this error. */
  readonly isWorthRerun: (error: unknown) => boolean
}

/**
 * Runs `work` again, which has failed with `first`, until it succeeds: at most `transactionAttemptsMax` times in all,
 * and no further attempt is begun later than `transactionRetryMsMax` after the first. Waits in between are fully
 * jittered (anything from zero to a bound that doubles), so that transactions that met once do not meet again in step.
 * Rejects with what it fails with in the end.
 */
export async function runAgain<T>(
  { clock, randomness, signal, beganMs, isWorthRerun }: RetrySurroundings,
  first: unknown,
  work: (attempt: number) => MaybePromise<T>,
): Promise<T> {
  let failure = first
  for (let failed = 1; failed < SERVER_LIMITS.transactionAttemptsMax; failed += 1) {
    if (!isWorthRerun(failure)) break
    const waitMs = randomness.fraction() * Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** failed)
    if (clock.monotonicMs() + waitMs > beganMs + SERVER_LIMITS.transactionRetryMsMax) break
    await clock.sleep(waitMs, signal)
    try {
      return await work(failed + 1)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

/** Whether the error, or what caused it, asks for the whole transaction to be run again. */
export function retryableCause(error: unknown): boolean {
  // A store that is away is waited for by clients, between their requests.
  if (error instanceof StorageError) return error.retryable && error.code !== 'store_unavailable'
  return error instanceof Error && retryableCause(error.cause)
}
