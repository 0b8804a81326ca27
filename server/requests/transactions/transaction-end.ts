// SPDX-License-Identifier: Apache-2.0
import { PlanError } from '../../../planner/planner.ts'
import { ServerError } from '../../errors/server-error.ts'
import { retryableCause } from './retry.ts'

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
