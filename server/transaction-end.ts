// SPDX-License-Identifier: Apache-2.0
import { PlanError } from '../planner/planner.ts'
import { retryableCause } from './retry.ts'

/**
 * Whether a transaction over several requests is over with this error of one of its statements: what
 * it read cannot hold any more, or a CHECK says that it must not go on.
 */
export function endsTransaction(error: unknown): boolean {
  return retryableCause(error) || isFailedCheck(error)
}

function isFailedCheck(error: unknown): boolean {
  if (error instanceof PlanError) return error.code === 'check_failed'
  return error instanceof Error && isFailedCheck(error.cause)
}
