// SPDX-License-Identifier: Apache-2.0
import { DatabaseError } from 'pg'
import { TransactionAborted } from '../engine.ts'

const SERIALIZATION_FAILURE = '40001'
const DEADLOCK = '40P01'
const UNIQUE_VIOLATION = '23505'

/**
 * What a failure means for the transaction. PostgreSQL reports two concurrent inserts of one key as a
 * unique violation also where the snapshot does not show the other row: a conflict like any other.
 */
export function postgresAbort(cause: unknown, during: 'statement' | 'commit'): unknown {
  if (!(cause instanceof DatabaseError)) {
    const outcome = during === 'commit' ? 'unknown' : 'rolledBack'
    return new TransactionAborted('connectionLost', { outcome, cause })
  }
  const { code, table } = cause
  if (code === SERIALIZATION_FAILURE) return new TransactionAborted('writeConflict', { cause })
  if (code === DEADLOCK) return new TransactionAborted('locked', { cause })
  if (code === UNIQUE_VIOLATION && table === 'holding_summary') {
    return new TransactionAborted('writeConflict', { cause })
  }
  return cause
}
