// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { StorageError } from '../../errors.ts'
import type { TimestampOracle } from '../oracle/timestamp-oracle.ts'

export function snapshotTooOld(readTs: Timestamp, safePoint: Timestamp): StorageError {
  return new StorageError(
    'snapshot_too_old',
    `The snapshot at ${readTs} is older than the safe point ${safePoint}.`,
    { readTimestamp: readTs, oldest: safePoint },
  )
}

export function snapshotInFuture(asOf: Timestamp, newest: Timestamp): StorageError {
  return new StorageError(
    'timestamp_in_future',
    `The timestamp ${asOf} has not been reached; the newest is ${newest}.`,
    { asOf, newest },
  )
}

/**
 * Rule F2: what was read may be shown only if the safe point had not passed the snapshot when the
 * store was read; otherwise versions may have been missing. Throws `snapshot_too_old`.
 */
export async function checkSnapshotReadable(
  oracle: TimestampOracle,
  readTs: Timestamp,
): Promise<void> {
  const safePoint = await oracle.currentSafePoint()
  if (safePoint > readTs) throw snapshotTooOld(readTs, safePoint)
}
