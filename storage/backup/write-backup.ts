// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs'
import { mkdir, readdir, rm } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { CellStore, StoreCopier } from '../cell-store/cell-store.ts'
import { fileBytes } from '../cell-store/sqlite/disk-use.ts'
import { isFull } from '../cell-store/sqlite/error.ts'
import { openSqliteCellStore } from '../cell-store/sqlite/sqlite-cell-store.ts'
import { repeat, systemClock } from '../clock.ts'
import { checkDataDirectory } from '../consistency/data-directory-check.ts'
import { StorageError } from '../errors.ts'
import { inDirectory } from '../history/directory-history.ts'
import { readHistoryRows } from '../history/history-rows.ts'
import { completeUpTo } from '../history/renew-history.ts'
import { readOracleState } from '../oracle/oracle-row.ts'
import {
  FOLDER_MODE,
  finishBackup,
  hashOfFile,
  requireRoom,
  requireWholeFile,
} from './backup-files.ts'
import {
  type BackupCheck,
  type BackupManifest,
  backupCheckOf,
  COPY_FILE,
  PARTIAL,
} from './manifest.ts'

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
  /** Ends it after the copy, which is one statement of SQLite, and during the check. */
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
  const folder = resolve(options.folder)
  const use = await cellStore.diskUse?.()
  const copier = use === undefined ? undefined : await openCopier(cellStore, folder)
  if (use === undefined || copier === undefined) throw notOnDisk()
  const partial = `${folder}${PARTIAL}`
  const bytesTotal = use.storeBytes + use.logBytes
  try {
    await makeFolder(folder)
    try {
      const { reservedBytes = LOG_BYTES_RESERVED } = options
      await requireRoom(partial, bytesTotal + reservedBytes)
      const manifest = await fillFolder(copier, partial, bytesTotal, options)
      await finishBackup(folder, manifest)
      return manifest
    } catch (error) {
      await rm(partial, { recursive: true, force: true })
      throw isFull(error) ? copyFoundNoRoom(partial, error) : error
    }
  } finally {
    await copier.close()
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

async function openCopier(
  cellStore: Pick<CellStore, 'openCopier'>,
  folder: string,
): Promise<StoreCopier | undefined> {
  if (existsSync(folder)) {
    throw new StorageError('already_exists', `There is something at ${folder} already.`)
  }
  return await cellStore.openCopier?.()
}

/**
 * What an earlier one has left that was killed is removed. Rejects with StorageError `already_exists` where something
 * else has its name.
 */
async function makeFolder(folder: string): Promise<void> {
  const partial = `${folder}${PARTIAL}`
  await requireOwnWork(partial)
  await rm(partial, { recursive: true, force: true })
  await mkdir(dirname(partial), { recursive: true, mode: FOLDER_MODE })
  await mkdir(partial, { mode: FOLDER_MODE })
}

/** All that a backup has in its folder while it is made. */
const OWN_FILE = /^(?:(?:cells|lock)\.db(?:-\w+)?|lock\.pid|manifest\.json)$/

async function requireOwnWork(partial: string): Promise<void> {
  let names: string[]
  try {
    names = await readdir(partial)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return
    names = [`(${code})`]
  }
  const foreign = names.find((name) => !OWN_FILE.test(name))
  if (foreign === undefined) return
  throw new StorageError(
    'already_exists',
    `${partial} is where the backup would be made, and has something else in it: ${foreign}. Move it away, or give the backup another name.`,
  )
}

async function fillFolder(
  copier: StoreCopier,
  partial: string,
  bytesTotal: number,
  { percolite, check, onProgress = () => {}, signal }: BackupOptions,
): Promise<BackupManifest> {
  const file = join(partial, COPY_FILE)
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
  const checked = check ? await checkCopy(copier, partial, signal) : undefined
  const found = await lookInto(partial)
  await requireWholeFile(partial)
  // Its lock is of no use to others.
  await rm(join(partial, 'lock.db'), { force: true })
  const hash = await hashOfFile(file, signal)
  const told = { percolite, storeFormat, ...found, ...hash }
  return { format: 1, ...told, ...(checked === undefined ? {} : { check: checked }) }
}

/** SQLite's own look at a large file takes long, so the thread does it. */
async function checkCopy(
  copier: StoreCopier,
  partial: string,
  signal: AbortSignal | undefined,
): Promise<BackupCheck> {
  const report = await checkDataDirectory(partial, {
    ...(signal && { signal }),
    fileProblems: (dataDirectory) => copier.fileProblems(dataDirectory),
  })
  return backupCheckOf(report)
}

/** Opens the copy as a store, which moves its redo log into the tables. */
async function lookInto(
  dataDirectory: string,
): Promise<Pick<BackupManifest, 'history' | 'timestamp' | 'safePoint'>> {
  const cellStore = await openSqliteCellStore({ dataDirectory })
  try {
    const oracle = await readOracleState(cellStore)
    const { current } = await readHistoryRows(cellStore)
    const timestamp = Math.max(current?.from ?? 0, await completeUpTo(cellStore, oracle))
    return { history: current?.id ?? '', timestamp, safePoint: oracle.safePoint }
  } finally {
    await cellStore.close()
  }
}

function notOnDisk(): StorageError {
  return new StorageError(
    'backup_unusable',
    'Only a database in a folder can be backed up by Percolite: use the backups of the engine.',
  )
}

function copyFoundNoRoom(partial: string, cause: unknown): StorageError {
  const message = `The disk of ${dirname(partial)} became full, so there is no backup. The database was not harmed.`
  return new StorageError('disk_full', message, {}, { cause })
}
