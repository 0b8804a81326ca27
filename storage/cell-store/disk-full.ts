// SPDX-License-Identifier: Apache-2.0
import { StorageError } from '../errors.ts'
import { CellStoreError } from './cell-store.ts'

/** What a writer is told while the disk has no room, or too little. */
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

/** Undefined for every error but that of a store without room. */
export function diskFullOf(error: unknown): StorageError | undefined {
  if (!(error instanceof CellStoreError) || error.kind !== 'full') return undefined
  return diskFull(error.freeBytes, { cause: error })
}
