// SPDX-License-Identifier: Apache-2.0
import { StorageError } from '../../storage/storage.ts'

/**
 * Why a run is to be repeated that did nothing wrong: somebody else came first, or nobody knows how
 * its commit ended. It may be wrapped in errors that say more; undefined where there is none.
 */
export function lostRaceOf(error: unknown): StorageError | undefined {
  if (error instanceof StorageError) {
    return error.retryable || error.code === 'commit_outcome_unknown' ? error : undefined
  }
  return error instanceof Error ? lostRaceOf(error.cause) : undefined
}
