// SPDX-License-Identifier: Apache-2.0
import { CellStoreError, mayBeSentAgain } from '../../cells/cell-store.ts'
import type { Clock } from '../../clock.ts'
import { STORAGE_LIMITS } from '../../limits.ts'

const ATTEMPTS_MAX = 10
const FIRST_PAUSE_MS = 5
const PAUSE_MS_MAX = 500

/** For steps of an opening, which nobody ends. */
export const NEVER_ABORTED = new AbortController().signal

/**
 * Runs a step again when the store did not take it or its answer was lost. Every such step may happen twice: a gap
 * between timestamps is harmless, and raising a counter or making a row that is missing has no memory. Ends once it has
 * taken as long as one call may.
 * Rejects with the store's last error, or with the signal's reason.
 */
export async function askedAgain<T>(
  clock: Clock,
  signal: AbortSignal,
  step: () => Promise<T>,
): Promise<T> {
  const untilMs = clock.monotonicMs() + STORAGE_LIMITS.storeCallMsMax - PAUSE_MS_MAX
  for (let attempt = 1; ; attempt++) {
    try {
      return await step()
    } catch (error) {
      const isLast = attempt === ATTEMPTS_MAX || clock.monotonicMs() >= untilMs
      if (!isPassing(error) || isLast) throw error
      signal.throwIfAborted()
      // The first answer that is lost says little about the next one.
      if (attempt === 1) continue
      await clock.sleep(Math.min(FIRST_PAUSE_MS * 2 ** attempt, PAUSE_MS_MAX), signal)
    }
  }
}

function isPassing(error: unknown): boolean {
  // One that is away has been waited for long enough.
  const isLate = error instanceof CellStoreError && error.kind === 'deadline' && !error.isAway
  return isLate || mayBeSentAgain(error)
}
