// SPDX-License-Identifier: Apache-2.0
import { rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { CellStore, StoreCopier } from '../../cells/cell-store.ts'
import { fileBytes } from '../../cells/sqlite/disk-use.ts'
import { repeat, systemClock } from '../../clock.ts'
import { StorageError } from '../../errors.ts'
import { inDirectory } from '../../transactions/history/directory-history.ts'
import { readHistoryRows } from '../../transactions/history/history-rows.ts'
import { completeUpTo } from '../../transactions/history/renew-history.ts'
import { readOracleState } from '../../transactions/oracle/oracle-row.ts'
import { checkDataDirectory } from '../consistency/data-directory-check.ts'
import { foundNoRoom, hashOfFile, requireWholeFile } from './backup-files.ts'
import { BackupStage } from './backup-stage.ts'
import { type BackupCheck, type BackupManifest, backupCheckOf, COPY_FILE } from './manifest.ts'

/** Beside the copy itself: the log of the store, which grows while it is read. */
const LOG_BYTES_RESERVED = 768 * 2 ** 20
/** Between two looks at how much has been written. */
const LOOK_MS = 250

/** How far a backup is. */
export type BackupProgress = {
  readonly state: 'copying' | 'checking'
  readonly bytesDone: number
  /** What the store's file and its log have; the copy may have less. */
  readonly bytesTotal: number
}

export type BackupOptions = {
  /** The folder of the backup, `DIR/NAME`. It is made, and must not exist. */
  readonly folder: string
  /** The version of this program, for the manifest. */
  readonly percolite: string
  /** Whether every cell of the copy is looked at. */
  readonly check: boolean
  readonly onProgress?: (progress: BackupProgress) => void
  /** Ends it. */
  readonly signal?: AbortSignal
  /** Bytes of a disk that have to be left beside the copy; for tests. */
  readonly reservedBytes?: number
}

/**
 * Copies a store into a folder while it is used: `cells.db`, the store at one moment, and `manifest.json`, which says
 * what is in it. Resolves to the manifest once all is on disk under its name. Rejects with StorageError
 * `already_exists`, `disk_full` or `backup_unusable` (where the engine has nothing that could be copied), with the
 * signal's reason, or with the error of a check that failed; then nothing of it is left.
 */
export async function writeBackup(
  cellStore: Pick<CellStore, 'openCopier' | 'diskUse'>,
  options: BackupOptions,
): Promise<BackupManifest> {
  const { folder, signal, reservedBytes = LOG_BYTES_RESERVED } = options
  const use = await cellStore.diskUse?.()
  if (use === undefined || cellStore.openCopier === undefined) throw notOnDisk()
  const bytesTotal = use.storeBytes + use.logBytes
  const stage = await BackupStage.open(folder)
  try {
    await stage.requireRoom(bytesTotal + reservedBytes)
    const copier = cellStore.openCopier()
    const endCopier = () => void copier.close()
    signal?.addEventListener('abort', endCopier)
    try {
      const manifest = await fillFolder(copier, stage.folder, bytesTotal, options)
      await stage.finish(manifest)
      return manifest
    } finally {
      signal?.removeEventListener('abort', endCopier)
      await copier.close()
    }
  } catch (error) {
    signal?.throwIfAborted()
    throw foundNoRoom(error) ? copyFoundNoRoom(folder, error) : error
  } finally {
    await stage.close()
  }
}

/**
 * As `writeBackup`, of a data directory that no server uses. Rejects with StorageError `data_directory_locked` or
 * `data_directory_unusable` as well.
 */
export async function backUpDirectory(
  dataDirectory: string,
  options: BackupOptions,
): Promise<BackupManifest> {
  return await inDirectory(dataDirectory, (cellStore) => writeBackup(cellStore, options))
}

async function fillFolder(
  copier: StoreCopier,
  folder: string,
  bytesTotal: number,
  { percolite, check, onProgress = () => {}, signal }: BackupOptions,
): Promise<BackupManifest> {
  signal?.throwIfAborted()
  const file = join(folder, COPY_FILE)
  const bytesDone = () => Math.min(fileBytes(file), bytesTotal)
  const tell = (state: BackupProgress['state']) =>
    onProgress({ state, bytesDone: bytesDone(), bytesTotal })
  tell('copying')
  const copied = new AbortController()
  const work = () => tell('copying')
  const looking = repeat(systemClock, { everyMs: LOOK_MS, signal: copied.signal, work })
  const storeFormat = await copier.copyTo(file).finally(() => copied.abort())
  await looking
  signal?.throwIfAborted()
  tell('checking')
  const checked = check ? await checkCopy(copier, folder, signal) : undefined
  const found = await lookInto(folder)
  await requireWholeFile(folder)
  // Its lock is of no use to others.
  await rm(join(folder, 'lock.db'), { force: true })
  const hash = await hashOfFile(file, signal)
  const told = { percolite, storeFormat, ...found, ...hash }
  return { format: 1, ...told, ...(checked === undefined ? {} : { check: checked }) }
}

/** SQLite's own look at a large file takes long, so the process of the copier does it. */
async function checkCopy(
  copier: StoreCopier,
  folder: string,
  signal: AbortSignal | undefined,
): Promise<BackupCheck> {
  const report = await checkDataDirectory(folder, {
    ...(signal && { signal }),
    fileProblems: (dataDirectory) => copier.fileProblems(dataDirectory),
  })
  return backupCheckOf(report)
}

/** Opens the copy as a store, which moves its redo log into the tables. */
async function lookInto(
  folder: string,
): Promise<Pick<BackupManifest, 'history' | 'timestamp' | 'safePoint'>> {
  return await inDirectory(folder, async (cellStore) => {
    const oracle = await readOracleState(cellStore)
    const { current } = await readHistoryRows(cellStore)
    const timestamp = Math.max(current?.from ?? 0, await completeUpTo(cellStore, oracle))
    return { history: current?.id ?? '', timestamp, safePoint: oracle.safePoint }
  })
}

function notOnDisk(): StorageError {
  return new StorageError(
    'backup_unusable',
    'Only a database in a folder can be backed up by Percolite: use the backups of the engine.',
  )
}

function copyFoundNoRoom(folder: string, cause: unknown): StorageError {
  const message = `The disk of ${dirname(resolve(folder))} became full, so there is no backup. The database was not harmed.`
  return new StorageError('disk_full', message, {}, { cause })
}
