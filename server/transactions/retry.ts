// SPDX-License-Identifier: Apache-2.0
import { type Clock, type Randomness, StorageError, type Work } from '../../storage/storage.ts'
import { SERVER_LIMITS } from '../limits.ts'

const FIRST_WAIT_MS = 4
const WAIT_MS_MAX = 250

export type RetrySurroundings = {
  readonly clock: Clock
  readonly randomness: Randomness
  readonly signal: AbortSignal
  /** Whether the work may run again where its error is one that this may help against. */
  readonly isRepeatable: boolean
  readonly ended: { failed(error: unknown): void }
}

/**
 * Runs `work` until it succeeds: at most `transactionAttemptsMax` times, and no further attempt is
 * begun later than `transactionRetryMsMax`. Waits in between are fully jittered (anything from zero
 * to a bound that doubles), so that transactions that met once do not meet again in step. What it fails
 * with in the end is counted.
 */
export function* withRetries<T>(
  { clock, randomness, signal, isRepeatable, ended }: RetrySurroundings,
  work: (attempt: number) => Work<T>,
): Work<T> {
  const deadline = clock.monotonicMs() + SERVER_LIMITS.transactionRetryMsMax
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return yield* work(attempt)
      } catch (error) {
        if (!isRepeatable || !retryableCause(error)) throw error
        if (attempt === SERVER_LIMITS.transactionAttemptsMax) throw error
        const waitMs = randomness.fraction() * Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** attempt)
        if (clock.monotonicMs() + waitMs > deadline) throw error
        yield clock.sleep(waitMs, signal)
      }
    }
  } catch (error) {
    ended.failed(error)
    throw error
  }
}

/** Whether the error, or what caused it, asks for the whole transaction to be run again. */
export function retryableCause(error: unknown): boolean {
  // A store that is away is waited for by clients, between their requests.
  if (error instanceof StorageError) return error.retryable && error.code !== 'store_unavailable'
  return error instanceof Error && retryableCause(error.cause)
}
