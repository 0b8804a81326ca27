// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { EmbeddedCellStore } from '../cell-store/embedded-cell-store.ts'
import { openSqliteCellStore } from '../cell-store/sqlite/sqlite-cell-store.ts'
import { type Clock, systemClock } from '../clock.ts'
import { StorageError } from '../errors.ts'
import { type Randomness, systemRandomness } from '../randomness.ts'
import { openHistory } from './open-history.ts'
import { type RenewedHistory, renewHistory } from './renew-history.ts'
import type { StoreHistory } from './store-history.ts'

type Outside = { readonly clock?: Clock; readonly randomness?: Randomness }

/**
 * The history of a data directory that no server uses. Rejects with StorageError `data_directory_locked` or
 * `data_directory_unusable`.
 */
export async function readDirectoryHistory(
  dataDirectory: string,
  outside: Outside = {},
): Promise<StoreHistory> {
  return await inDirectory(dataDirectory, (cellStore) =>
    openHistory({ cellStore, ...outsideOf(outside) }),
  )
}

/** Renews the history of such a directory, as has to be done after a copy was put in its place. */
export async function renewDirectoryHistory(
  dataDirectory: string,
  outside: Outside = {},
): Promise<RenewedHistory> {
  return await inDirectory(dataDirectory, (cellStore) =>
    renewHistory({ cellStore, ...outsideOf(outside) }),
  )
}

function outsideOf({ clock = systemClock, randomness = systemRandomness }: Outside) {
  return { clock, randomness }
}

/**
 * What is done with the store of such a directory, which is closed afterwards. Rejects with StorageError
 * `data_directory_locked` or `data_directory_unusable`, also if there is no store.
 */
export async function inDirectory<T>(
  dataDirectory: string,
  work: (cellStore: EmbeddedCellStore) => Promise<T>,
): Promise<T> {
  // Opening would make a new store, whose history was not asked for.
  if (!existsSync(join(dataDirectory, 'cells.db'))) {
    throw new StorageError('data_directory_unusable', `There is no store in ${dataDirectory}.`)
  }
  const cellStore = await openSqliteCellStore({ dataDirectory })
  try {
    return await work(cellStore)
  } finally {
    await cellStore.close()
  }
}
