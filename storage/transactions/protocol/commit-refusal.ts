// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { CellStoreError } from '../../cells/cell-store.ts'
import { writeRefusalOf } from '../../cells/disk-full.ts'
import { storeUnavailableOf } from '../../cells/store-unavailable.ts'
import { StorageError } from '../../errors.ts'
import type { ProtocolContext } from './protocol-context.ts'
import type { CommitOutcome } from './transaction-protocol.ts'

/** What stood in the way of a write: a newer version, a newer guard, or what a commit under way holds. */
export type ConflictMet = 'write' | 'guard' | 'lock'

/** Of what it met its client is told no more than the row and the timestamp. */
export class WriteConflict extends StorageError {
  readonly row: Uint8Array
  readonly winner: Timestamp
  readonly met: ConflictMet

  constructor(row: Uint8Array, winner: Timestamp, met: ConflictMet) {
    const fields = { row, conflictingTimestamp: winner }
    super('write_conflict', 'Another transaction wrote the same row first.', fields)
    this.row = row
    this.winner = winner
    this.met = met
  }
}

export function schemaChanged(startTs: Timestamp, schemaFence: Timestamp): StorageError {
  return new StorageError(
    'schema_changed',
    'The definition of a table that this transaction wrote may have changed since it began.',
    { startTimestamp: startTs, schemaFence },
  )
}

/** Whether the store certainly applied nothing, so that the outcome is known. */
export function isNotApplied(error: unknown): boolean {
  return error instanceof CellStoreError && error.kind !== 'ambiguous'
}

/**
 * The outcome of a batch that may or may not be on disk; its latches stay. An engine that is in doubt has given up and
 * reported it. Anything else that it throws is a bug, and is logged, because otherwise nothing would explain why these
 * rows remain latched.
 */
export function inDoubt(
  { log }: ProtocolContext,
  startTs: Timestamp,
  error: unknown,
): CommitOutcome {
  if (!(error instanceof CellStoreError)) {
    log.error({ startTs, error: String(error) }, 'J5: a batch failed oddly, and its latches stay')
  }
  return { kind: 'unknown' }
}

/** The StorageError of a commit that wrote nothing. Rethrows an error that is not expected. */
export function refusalOf(error: unknown): StorageError {
  if (error instanceof StorageError) return error
  const known = writeRefusalOf(error) ?? storeUnavailableOf(error)
  if (known !== undefined) return known
  if (error instanceof CellStoreError) {
    if (error.kind === 'damaged') {
      return new StorageError('store_damaged', error.message, {}, { cause: error })
    }
    return new StorageError(
      'transaction_rolled_back',
      `The store did not take the transaction: ${error.message}`,
      {},
      { cause: error },
    )
  }
  throw error
}

export function outcomeUnknown(id: string): StorageError {
  return new StorageError(
    'commit_outcome_unknown',
    'The answer to the commit was lost: the transaction may or may not be committed. Ask for its outcome by its id.',
    { transaction: id },
  )
}

export function transactionClosed(message: string): StorageError {
  return new StorageError('transaction_closed', message)
}
