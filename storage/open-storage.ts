// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from './cells/cell-store.ts'
import { MemoryCellStore } from './cells/memory/memory-cell-store.ts'
import { openSqliteCellStore } from './cells/sqlite/sqlite-cell-store.ts'
import { StoreAnswers } from './cells/store-answers.ts'
import { systemClock } from './clock.ts'
import { Storage } from './database.ts'
import { notPrimary, StorageError } from './errors.ts'
import type { StorageOptions } from './storage-options.ts'
import { requireNoStandby } from './transactions/history/standby-mark.ts'

/**
 * Opens the embedded store: this process is its only owner. Rejects with StorageError
 * `data_directory_locked` or `data_directory_unusable`, the latter for a standby as well.
 */
export async function openStorage(options: StorageOptions): Promise<Storage> {
  const { engine, dataDirectory } = options
  if (engine === 'sqlite' && dataDirectory !== undefined) requireNoStandby(dataDirectory)
  const cellStore = await openEngine(options)
  try {
    return await Storage.open(cellStore, { ...options, owner: 'exclusive' })
  } catch (error) {
    await cellStore.close()
    throw error
  }
}

/**
 * Opens one of several gateways over a cell store that they share; `close` leaves the store open, unless it is said to
 * be this gateway's own. No call of it is waited for longer than `storeCallMsMax`.
 * The timestamps come from the store itself, and a gateway's locks outlive it only by its liveness.
 */
export async function openGateway(
  cellStore: CellStore,
  options: Omit<StorageOptions, 'engine' | 'dataDirectory' | 'onFatal'> & {
    readonly ownsCellStore?: boolean
  } = {},
): Promise<Storage> {
  const answers = new StoreAnswers(cellStore, options.clock ?? systemClock)
  answers.start()
  try {
    return await Storage.open(answers.store, { ...options, owner: 'shared', answers })
  } catch (error) {
    await answers.stop()
    if (options.ownsCellStore === true) await cellStore.close()
    throw error
  }
}

/**
 * Opens a copy of a store that follows it: it is read, and takes no writes. `primary` is where they are taken. Rejects
 * as `openStorage`.
 */
export async function openStandby(
  options: Omit<StorageOptions, 'engine'> & { readonly primary: string },
): Promise<Storage> {
  // What is replayed goes into the tables, many groups at a time.
  const cellStore = await openEngine({ ...options, engine: 'sqlite', redoLog: 'never' })
  const refusal = notPrimary(options.primary)
  try {
    return await Storage.open(cellStore, { ...options, owner: 'standby', notPrimary: refusal })
  } catch (error) {
    await cellStore.close()
    throw error
  }
}

async function openEngine(options: StorageOptions): Promise<CellStore> {
  if (options.engine === 'memory') return new MemoryCellStore()
  if (options.dataDirectory === undefined) {
    throw new StorageError('data_directory_unusable', 'No data directory was given.')
  }
  return await openSqliteCellStore({
    dataDirectory: options.dataDirectory,
    ...(options.onFatal === undefined ? {} : { onFatal: options.onFatal }),
    ...(options.log === undefined ? {} : { log: options.log }),
    ...(options.measures === undefined ? {} : { measures: options.measures }),
    ...(options.redoLog === undefined ? {} : { redoLog: options.redoLog }),
    ...(options.keptGroups === undefined ? {} : { keptGroups: options.keptGroups }),
    ...(options.clock === undefined ? {} : { clock: options.clock }),
  })
}
