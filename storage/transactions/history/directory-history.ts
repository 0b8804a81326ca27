// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { CellStore } from '../../cells/cell-store.ts'
import type { EmbeddedCellStore } from '../../cells/embedded-cell-store.ts'
import { openSqliteCellStore } from '../../cells/sqlite/sqlite-cell-store.ts'
import { type Clock, systemClock } from '../../clock.ts'
import { StorageError } from '../../errors.ts'
import { type Randomness, systemRandomness } from '../../randomness.ts'
import { readOracleState } from '../oracle/oracle-row.ts'
import { requireKnownFeatures } from './format-features.ts'
import { openHistory, readFollowedHistory } from './open-history.ts'
import { type RenewedHistory, renewHistory } from './renew-history.ts'
import { requireNoStandby, STANDBY_MARK } from './standby-mark.ts'
import type { StoreHistory } from './store-history.ts'

type Dependencies = { readonly clock?: Clock; readonly randomness?: Randomness }

/**
 * The history of a data directory that no server uses. Rejects with StorageError `data_directory_locked` or
 * `data_directory_unusable`.
 */
export async function readDirectoryHistory(
  dataDirectory: string,
  deps: Dependencies = {},
): Promise<StoreHistory> {
  const isStandby = STANDBY_MARK.read(dataDirectory) !== undefined
  return await inDirectory(dataDirectory, (cellStore) =>
    isStandby ? readFollowedHistory(cellStore) : readStoreHistory(cellStore, deps),
  )
}

/** Renews the history of such a directory, as has to be done after a copy was put in its place. */
export async function renewDirectoryHistory(
  dataDirectory: string,
  deps: Dependencies = {},
): Promise<RenewedHistory> {
  requireNoStandby(dataDirectory)
  return await inDirectory(dataDirectory, (cellStore) => renewStoreHistory(cellStore, deps))
}

/** The same of an open store. Rejects with StorageError `data_directory_unusable` where nothing was ever in it. */
export async function readStoreHistory(
  cellStore: CellStore,
  deps: Dependencies = {},
): Promise<StoreHistory> {
  await requireUsed(cellStore)
  return await openHistory({ cellStore, ...outsideOf(deps) })
}

/** The same of an open store, which no server may use meanwhile. */
export async function renewStoreHistory(
  cellStore: CellStore,
  deps: Dependencies = {},
): Promise<RenewedHistory> {
  await requireUsed(cellStore)
  return await renewHistory({ cellStore, ...outsideOf(deps) })
}

/** Opening the history of a new store would make one. */
async function requireUsed(cellStore: CellStore): Promise<void> {
  const { timestamp } = await readOracleState(cellStore)
  if (timestamp > 0) return
  throw new StorageError('data_directory_unusable', 'There is no database in this store.')
}

function outsideOf({ clock = systemClock, randomness = systemRandomness }: Dependencies) {
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
    await requireKnownFeatures(cellStore)
    return await work(cellStore)
  } finally {
    await cellStore.close()
  }
}
