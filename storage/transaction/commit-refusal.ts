// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cell-store/cell.ts'
import { CellStoreError } from '../cell-store/cell-store.ts'
import { StorageError } from '../errors.ts'

export function writeConflict(row: Uint8Array, conflictingTimestamp: Timestamp): StorageError {
  return new StorageError('write_conflict', 'Another transaction wrote the same row first.', {
    row,
    conflictingTimestamp,
  })
}

/** Why a commit ended with nothing written. Throws what is no expected failure. */
export function refusalOf(error: unknown): StorageError {
  if (error instanceof StorageError) return error
  if (error instanceof CellStoreError) {
    return new StorageError(
      'transaction_rolled_back',
      `The store did not take the transaction: ${error.message}`,
      {},
      { cause: error },
    )
  }
  throw error
}
