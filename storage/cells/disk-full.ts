// SPDX-License-Identifier: Apache-2.0
import { noSecondCopy, StorageError } from '../errors.ts'
import { CellStoreError } from './cell-store.ts'

/** The error for a writer while the disk is full or nearly so. */
export function diskFull(freeBytes: number | undefined, options?: ErrorOptions): StorageError {
  const left = freeBytes === undefined ? 'too little' : `only ${freeBytes} bytes`
  return new StorageError(
    'disk_full',
    `The disk of the database has ${left} left, so nothing was written. Reads, DELETE and DROP go on; \
writes go on by themselves when the disk has room again.`,
    freeBytes === undefined ? {} : { freeBytes },
    options,
  )
}

/** The StorageError `disk_full` if the error is that of a full store, else undefined. */
function diskFullOf(error: unknown): StorageError | undefined {
  if (!(error instanceof CellStoreError) || error.kind !== 'full') return undefined
  return diskFull(error.freeBytes, { cause: error })
}

/** Why the store takes no writes for now, if the error says so: `disk_full` or `no_second_copy`. */
export function writeRefusalOf(error: unknown): StorageError | undefined {
  const isNotCopied = error instanceof CellStoreError && error.kind === 'notCopied'
  return isNotCopied ? noSecondCopy() : diskFullOf(error)
}
