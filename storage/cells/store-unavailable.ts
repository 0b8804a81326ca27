// SPDX-License-Identifier: Apache-2.0
import { StorageError } from '../errors.ts'
import { CellStoreError } from './cell-store.ts'

/** The StorageError `store_unavailable` if the error is that of a store that did not answer, else undefined. */
export function storeUnavailableOf(error: unknown): StorageError | undefined {
  if (!(error instanceof CellStoreError) || !error.isAway) return undefined
  return new StorageError(
    'store_unavailable',
    `The store did not answer: ${error.message}`,
    {},
    { cause: error },
  )
}
