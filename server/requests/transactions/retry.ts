// SPDX-License-Identifier: Apache-2.0

import { PlanError } from '../../../planner/planner.ts'
import {
  type Clock,
  type MaybePromise,
  type Randomness,
  StorageError,
} from '../../../storage/storage.ts'
import { ServerError } from '../../errors/server-error.ts'
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
  /**
   * Waits until those are done that lost the same rows before: resolves to whether that took no longer than `msMax`.
   * Undefined where it is not known which rows were lost.
   */
  readonly inLine?: (msMax: number) => Promise<boolean> | undefined
}

/**
 * Runs `work` again, which has failed with `first`, until it succeeds: at most `transactionAttemptsMax` times in all,
 * and no further attempt is begun later than `transactionRetryMsMax` after the first. In between it waits in line;
 * where there is none, waits are fully jittered (anything from zero to a bound that doubles), so that transactions that
 * met once do not meet again in step. Rejects with what it fails with in the end.
 */
export async function runAgain<T>(
  { clock, randomness, signal, beganMs, isWorthRerun, inLine }: RetrySurroundings,
  first: unknown,
  work: (attempt: number) => MaybePromise<T>,
): Promise<T> {
  const untilMs = beganMs + SERVER_LIMITS.transactionRetryMsMax
  let failure = first
  for (let failed = 1; failed < SERVER_LIMITS.transactionAttemptsMax; failed += 1) {
    if (!isWorthRerun(failure)) break
    const leftMs = untilMs - clock.monotonicMs()
    const isItsTurn = leftMs < 0 ? undefined : inLine?.(leftMs)
    if (isItsTurn !== undefined) {
      if (!(await isItsTurn)) break
    } else {
      const waitMs = randomness.fraction() * Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** failed)
      if (waitMs > leftMs) break
      await clock.sleep(waitMs, signal)
    }
    try {
      return await work(failed + 1)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

/** What is away for longer than a conflict lasts is waited for by clients, between their requests. */
const WAITED_FOR_BY_CLIENTS = ['store_unavailable', 'no_second_copy', 'behind']

/** Whether the error, or what caused it, asks for the whole transaction to be run again. */
export function retryableCause(error: unknown): boolean {
  if (error instanceof StorageError) {
    return error.retryable && !WAITED_FOR_BY_CLIENTS.includes(error.code)
  }
  return error instanceof Error && retryableCause(error.cause)
}

/**
 * Whether a transaction over several requests is over with this error of one of its statements: what
 * it read cannot hold any more, a CHECK says that it must not go on, or there is nothing to observe.
 */
export function endsTransaction(error: unknown): boolean {
  return retryableCause(error) || isFailedCheck(error) || isAlreadyObserved(error)
}

export function isAlreadyObserved(error: unknown): boolean {
  return error instanceof ServerError && error.code === 'already_observed'
}

function isFailedCheck(error: unknown): boolean {
  // That of a table refuses a row, as a unique index does: nothing is known to have changed.
  if (error instanceof PlanError) {
    return error.code === 'check_failed' && error.fields?.constraint === undefined
  }
  return error instanceof Error && isFailedCheck(error.cause)
}
