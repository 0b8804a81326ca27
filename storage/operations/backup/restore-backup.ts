// SPDX-License-Identifier: Apache-2.0
import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { SqliteDataDirectory } from '../../cells/sqlite/file/data-directory.ts'
import { StorageError } from '../../errors.ts'
import { renewDirectoryHistory } from '../../transactions/history/directory-history.ts'
import type { RenewedHistory } from '../../transactions/history/renew-history.ts'
import type { ConsistencyReport } from '../consistency/consistency-report.ts'
import { checkDataDirectory } from '../consistency/data-directory-check.ts'
import {
  copyHashed,
  FOLDER_MODE,
  requireRoom,
  requireWholeFile,
  syncFolder,
} from './backup-files.ts'
import {
  type BackupManifest,
  backupUnusable,
  COPY_FILE,
  readManifest,
  requireSameFile,
} from './manifest.ts'

/**
 * In the folder of the database while it is being restored, and locked as a data directory is: two that restore into
 * one folder would remove each other's work. No server takes it for a database.
 */
const STAGE = 'restore.partial'
/** In that one. */
const WORK = 'data'
/** Opening the copy writes its redo log into its tables. */
const ROOM_BYTES = 64 * 2 ** 20

export type RestoreOptions = {
  /** Whether every cell is looked at. */
  readonly check: boolean
  /** Told of the bytes of the copy that have been written, and of all of them. */
  readonly onProgress?: (bytesDone: number, bytesTotal: number) => void
}

export type Restored = {
  readonly manifest: BackupManifest
  readonly history: RenewedHistory
  /** Absent where it was not checked. */
  readonly report?: ConsistencyReport
}

/**
 * Makes a database in `dataDirectory` from the backup in `folder`. All is done in a folder within that one, and moving
 * its file is the last step: cut off before, it leaves no database, and the same call starts again. Its history is
 * renewed, so that no client takes what came after the backup for something of this database.
 *
 * Rejects with StorageError `data_directory_unusable` where the folder is not empty, `data_directory_locked` where
 * another one restores into it, `backup_unusable` or `disk_full`.
 */
export async function restoreBackup(
  folder: string,
  dataDirectory: string,
  { check, onProgress = () => {} }: RestoreOptions,
): Promise<Restored> {
  const manifest = await readManifest(folder)
  const target = resolve(dataDirectory)
  await requireEmpty(target)
  const lock = new SqliteDataDirectory(join(target, STAGE))
  const work = join(lock.path, WORK)
  try {
    await rm(work, { recursive: true, force: true })
    await mkdir(work, { mode: FOLDER_MODE })
    await requireRoom(work, manifest.bytes + ROOM_BYTES)
    await takeCopy(folder, work, manifest, onProgress)
    const report = check ? await soundReport(folder, work) : undefined
    const history = await renewDirectoryHistory(work)
    // What the cells say, and not what the manifest does.
    const timestamp = history.now.gaps.at(-1)?.after ?? 0
    await requireWholeFile(work)
    // A server may have been started there, or another one have ended just before.
    await requireEmpty(target)
    await rename(join(work, COPY_FILE), join(target, COPY_FILE))
    await syncFolder(target)
    await syncFolder(dirname(target))
    return {
      manifest: { ...manifest, timestamp },
      history,
      ...(report === undefined ? {} : { report }),
    }
  } finally {
    // First, so that who gets the lock finds no folder of ours.
    await rm(lock.path, { recursive: true, force: true })
    lock.release()
  }
}

/**
 * Verifies the hash of a backup and checks every cell in it, in a copy within the system's folder for temporary files:
 * opening a database writes into it. Rejects with StorageError `backup_unusable` or `disk_full`.
 */
export async function checkBackup(
  folder: string,
  { onProgress = () => {} }: Pick<RestoreOptions, 'onProgress'> = {},
): Promise<ConsistencyReport> {
  const manifest = await readManifest(folder)
  const stage = await mkdtemp(join(tmpdir(), 'percolite-check-'))
  try {
    await requireRoom(stage, manifest.bytes + ROOM_BYTES)
    await takeCopy(folder, stage, manifest, onProgress)
    return await checkDataDirectory(stage)
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

/** Rejects with StorageError `data_directory_unusable`. */
async function requireEmpty(target: string): Promise<void> {
  let names: string[]
  try {
    names = await readdir(target)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return
    throw new StorageError('data_directory_unusable', `${target} cannot be used: ${message}.`)
  }
  if (names.every((name) => name === STAGE)) return
  throw new StorageError(
    'data_directory_unusable',
    `${target} is not empty. A backup is restored into a new folder, which then takes the place of the old one.`,
  )
}

async function takeCopy(
  folder: string,
  stage: string,
  manifest: BackupManifest,
  onProgress: (bytesDone: number, bytesTotal: number) => void,
): Promise<void> {
  const written = (bytes: number) => onProgress(bytes, manifest.bytes)
  const from = join(folder, COPY_FILE)
  let found: Awaited<ReturnType<typeof copyHashed>>
  try {
    found = await copyHashed(from, join(stage, COPY_FILE), { written, bytesMax: manifest.bytes })
  } catch (error) {
    const { code, message, path } = error as NodeJS.ErrnoException
    if (code === 'ENOSPC') throw new StorageError('disk_full', `The disk of ${stage} is full.`)
    const isOfBackup = path === from || code === 'EISDIR'
    throw isOfBackup ? backupUnusable(folder, `${COPY_FILE}: ${message}`) : error
  }
  requireSameFile(manifest, found, folder)
}

async function soundReport(folder: string, stage: string): Promise<ConsistencyReport> {
  const report = await checkDataDirectory(stage)
  const { problems, problemCount } = report
  if (problemCount === 0) return report
  const first = problems[0]?.message ?? ''
  throw backupUnusable(
    folder,
    `it has ${problemCount} problems, the first: ${first} (--no-check restores it all the same, and percolite check lists them)`,
  )
}
